// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// With several addresses of one family, libcurl spends half of the connect timeout on the first address before it
/// tries the next one (RFC 8305 recommends 250 ms). Observed with 7.88 and 8.14; later versions get the same
/// treatment. The library opens libcurl's sockets and races the addresses itself (`OpeningConnection`).
enum SlowNextAddress: CurlQuirk {
    static let versions = Range<CurlVersion>.all
}
