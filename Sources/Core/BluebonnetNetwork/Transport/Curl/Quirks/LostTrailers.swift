// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Before 8.1, libcurl loses buffered bytes of a body if trailers end the HTTP/2 stream and the same read ends the
/// connection. Later versions deliver these bytes. `CHTTP2` works around the bug.
enum LostTrailers: CurlQuirk {
    static let versions = Range.before(8, 1)
}
