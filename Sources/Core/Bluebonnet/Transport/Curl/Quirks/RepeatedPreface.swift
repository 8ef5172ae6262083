// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl before 8.1 sends the preface of HTTP/2 a second time on a kept connection that was made with prior
/// knowledge, without TLS, and the connection fails. Later versions know that the connection speaks HTTP/2 already.
///
/// Each such request has a connection of its own.
enum RepeatedPreface: CurlQuirk {
    static let versions = Range.before(8, 1)
}
