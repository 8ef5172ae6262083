// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Over HTTP/2, libcurl 7.88 gives a response's head in pieces of its buffer, and waits for the connection to become
/// readable between two of them, although it holds the rest: a response whose head is longer than two buffers stalls
/// until the idle limit. 8.14 gives the whole head at once; versions between them have not been examined. Where the
/// quirk is present, the library has libcurl continue. Several such heads at once on one connection may still stall.
enum StalledHead: CurlQuirk {
    static let versions = Range.before(8, 14)
    static let isNeeded = isPresent
    /// So many calls read the longest line that libcurl takes (100 KiB), and some more.
    static let callCount = 16
}
