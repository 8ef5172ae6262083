// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Before 8.1, libcurl loses buffered bytes of a body if trailers end the stream and the connection ends in the same
/// read. Later versions deliver them. `CHTTP2` works around the fault.
enum LostTrailers: CurlQuirk {
    static let versions = Range.before(8, 1)
}
