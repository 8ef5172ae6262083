// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 8.14 keeps no cookie for longer than 400 days, as the successor of RFC 6265 demands, and cuts the seconds of
/// such a time. 7.88 keeps a cookie until the date of the server; versions between them have not been examined. No
/// workaround: both are right, and a cookie that the program sets has the same limit.
enum CookieLifetime: CurlQuirk {
    static let versions = Range.since(8, 0)
    /// The longest lifetime in seconds.
    static let longest: Double = 400 * 86_400
}
