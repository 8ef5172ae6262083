// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// Over HTTP/2, a connection is read for its other streams while one stream is paused. libcurl 7.88 keeps the bytes of
/// the paused stream, up to 64 MB, and copies them whenever the stream continues and is paused again: the other streams
/// would hardly move. Later versions keep less; they have not been measured. A connection with nothing but a paused
/// stream is not read, so the partitions of requests that may be paused share no connection.
enum CopiedBackPressure: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func shareNoConnection(of multi: UnsafeMutableRawPointer) {
        if isPresent { _ = bluebonnet_multi_setopt_long(multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING) }
    }
}
