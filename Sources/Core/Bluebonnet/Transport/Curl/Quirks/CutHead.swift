// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 7.88 loses the bytes of a request's head behind the first buffer (over TLS), or behind the first write to
/// the socket and one buffer more. Without a body it takes the request for sent then, and the server waits for the rest
/// of the head. A body without length loses the sizes of its chunks, so that a server would take its bytes for
/// anything. A body with a length is safe. Later versions have not been examined, and get the same treatment: a buffer
/// that holds the whole head, and a look at libcurl's log (CURLOPT_DEBUGFUNCTION) for the requests that it may happen
/// to.
enum CutHead: CurlQuirk {
    static let versions = Range<CurlVersion>.all
    /// The least that a kernel lets a new connection buffer (the first number of tcp_wmem): a smaller head leaves in
    /// one write.
    private static let leastSocketBufferByteCount = 4096

    /// Whether the head has to leave in one piece.
    ///
    /// - Parameter bodyByteCount: nil when it is not known; 0 without a body.
    static func mayLose(bodyByteCount: Int64?) -> Bool {
        isPresent && (bodyByteCount == nil || bodyByteCount == 0)
    }

    /// Whether a body without length may lose the sizes of its chunks.
    static func mayLoseChunks(headByteCount: Int) -> Bool {
        isPresent && headByteCount > leastSocketBufferByteCount
    }
}
