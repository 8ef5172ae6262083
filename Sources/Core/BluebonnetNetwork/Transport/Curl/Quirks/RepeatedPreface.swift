// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Before 8.1, libcurl sends the HTTP/2 preface a second time on a kept connection that was made with prior knowledge
/// and without TLS, and the connection fails. Later versions know that the connection already uses HTTP/2.
///
/// Each such request gets its own connection.
enum RepeatedPreface: CurlQuirk {
    static let versions = Range.before(8, 1)
}
