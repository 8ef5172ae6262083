// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// On a kept connection to an HTTP proxy, libcurl writes the host with or without brackets as in the first request:
/// `Host: [example.org]`, `Host: 2001::1`. Observed with 7.88 and 8.14; no version without the fault is known. The
/// library sends the `Host` field of a forwarded request itself.
enum BracketedHost: CurlQuirk {
    static let versions = Range<CurlVersion>.all
}
