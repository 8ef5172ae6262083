// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Each time a paused response continues, libcurl reads one more buffer, even if the write callback pauses again at
/// once: with a slow consumer, memory would grow without limit. Observed with 8.14 (1 GB after 4,000 pauses), not with
/// 7.88; versions between them have not been examined. Where the quirk is present, the bytes that libcurl has buffered
/// are accepted while the response continues, although their consumer has no capacity for them: one buffer at most.
enum GrowingPause: CurlQuirk {
    static let versions = Range.since(8, 0)
}
