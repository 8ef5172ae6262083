// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl before 8.1 loses buffered bytes of a body when trailers end the stream and the connection ends in the same
/// read. Later versions deliver them. `CHTTP2` repairs it.
enum LostTrailers: CurlQuirk {
    static let versions = Range.before(8, 1)
}
