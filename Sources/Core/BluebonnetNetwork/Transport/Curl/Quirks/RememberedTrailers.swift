// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 7.88 remembers, even after curl_easy_reset, that a handle has sent a trailer section. It reserves no space
/// for the chunk sizes of the next body that the handle sends in chunks, and writes them before the buffer. Later
/// versions have not been examined and get the same treatment: such a handle is not used for another request.
enum RememberedTrailers: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func spoilHandle(hasTrailers: Bool) -> Bool { isPresent && hasTrailers }
}
