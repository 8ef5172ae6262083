// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 7.88 keeps an HTTP/2 connection whose end arrives after the end of a stream, and forgets the error of a
/// stream that was reset. Later versions have not been examined and get the same treatment: the library checks the
/// sockets.
enum KeptEndedStream: CurlQuirk {
    static let versions = Range<CurlVersion>.all
}
