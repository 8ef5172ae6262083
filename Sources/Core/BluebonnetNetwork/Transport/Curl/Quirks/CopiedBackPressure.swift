// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// Over HTTP/2, a connection is read for its other streams while one stream is paused. libcurl 7.88 buffers the bytes
/// of the paused stream, up to 64 MB, and copies them each time the stream continues and is paused again: the other
/// streams would make almost no progress. Later versions buffer less; they have not been measured. A connection whose
/// only stream is paused is not read, so the partitions of requests that may be paused do not share connections.
enum CopiedBackPressure: CurlQuirk {
    static let versions = Range<CurlVersion>.all

    static func shareNoConnection(of multi: UnsafeMutableRawPointer) {
        if isPresent { _ = bluebonnet_multi_setopt_long(multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING) }
    }
}
