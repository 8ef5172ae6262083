// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl does not report whether a server ended a response's HTTP/2 stream (END_STREAM; RFC 9113, 8.1).
///
/// - Before 8.1, certain broken connections count as the end of a response without length.
/// - In every version so far, RST_STREAM with NO_ERROR before END_STREAM counts as the end of such a response.
///
/// The library observes the frames that nghttp2 receives instead (`HTTP2Streams`).
enum UnreportedStreamEnd: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    /// The versions that do not report a broken connection either. Where frames cannot be observed, a response without
    /// length counts as truncated if its connection ends with the response.
    enum BrokenConnection: CurlQuirk {
        static let versions = Range.before(8, 1)
    }
}
