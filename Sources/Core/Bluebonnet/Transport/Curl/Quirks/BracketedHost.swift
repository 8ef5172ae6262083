// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// On a kept connection to an HTTP proxy, libcurl writes a host with the brackets, or without them, of the first
/// request: `Host: [example.org]`, `Host: 2001::1`. Seen with 7.88 and 8.14; no version is known to be without it.
/// The library sends the `Host` field of a forwarded request itself.
enum BracketedHost: CurlQuirk {
    static let versions = Range<CurlVersion>.all
}
