// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl gives the first of several addresses of one family half of the time for connecting before it tries the next
/// one (RFC 8305 wants 250 ms). Seen with 7.88 and 8.14; later versions are treated alike. The library opens libcurl's
/// sockets, and races the addresses itself (`OpeningConnection`).
enum SlowNextAddress: CurlQuirk {
    static let versions = Range<CurlVersion>.all
}
