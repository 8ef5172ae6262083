// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 7.88 takes the end of a TLS connection without close_notify for the end of a body without length, so that
/// the library observes the alert itself (`CloseNotice`). 8.14 reports an error of receiving with OpenSSL's words. In
/// both cases the body is truncated (RFC 9112, 9.8), and the error is the same. Versions between them have not been
/// examined.
enum MissingCloseNotice: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    /// Whether libcurl's text is about a missing close_notify.
    static func isReported(_ text: String) -> Bool { text.contains("unexpected eof while reading") }
}
