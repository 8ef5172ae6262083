// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 8.14 limits the lifetime of a cookie to 400 days, as the successor of RFC 6265 requires, and truncates the
/// seconds of such a time. 7.88 keeps a cookie until the server's date; versions between them have not been examined.
/// There is no workaround: both behaviours are correct, and a cookie that the program sets has the same limit.
enum CookieLifetime: CurlQuirk {
    static let versions = Range.since(8, 0)
    /// The longest lifetime in seconds.
    static let longest: Double = 400 * 86_400
}
