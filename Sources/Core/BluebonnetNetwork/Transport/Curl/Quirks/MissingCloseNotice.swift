// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 7.88 treats the end of a TLS connection without close_notify as the end of a body without length, so the
/// library observes the alert itself (`CloseNotice`). 8.14 reports a receive error with OpenSSL's text. In both cases
/// the body is truncated (RFC 9112, 9.8), and the library reports the same error. Versions between them have not been
/// examined.
enum MissingCloseNotice: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    /// Returns whether libcurl's error text reports a missing close_notify.
    static func isReported(_ text: String) -> Bool { text.contains("unexpected eof while reading") }
}
