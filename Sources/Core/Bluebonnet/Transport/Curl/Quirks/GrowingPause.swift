// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Each time a paused response continues, libcurl reads one more buffer, also when the write callback pauses again at
/// once: a slow consumer would let memory grow without an end. Seen with 8.14 (1 GB after 4,000 pauses), not with 7.88;
/// versions between them have not been examined. Where the quirk is present, the bytes that libcurl holds are taken
/// while the response continues, although their consumer has no capacity for them: one buffer at most.
enum GrowingPause: CurlQuirk {
    static let versions = Range.since(8, 0)
}
