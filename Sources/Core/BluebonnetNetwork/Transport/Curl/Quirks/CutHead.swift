// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 7.88 loses the bytes of a request head after the first buffer (over TLS), or after the first write to the
/// socket and one more buffer. Without a body, it then considers the request sent, and the server waits for the rest
/// of the head. With a body without length, it loses the chunk sizes, so that a server would misinterpret the bytes of
/// the body. A body with a length is safe. Later versions have not been examined and get the same treatment: a buffer
/// that is large enough for the whole head, and a check of libcurl's log (CURLOPT_DEBUGFUNCTION) for requests that may
/// be affected.
enum CutHead: CurlQuirk {
    static let versions = Range<CurlVersion>.all
    /// The minimum that a kernel lets a new connection buffer (the first number of tcp_wmem). A smaller head is sent
    /// in one write.
    private static let leastSocketBufferByteCount = 4096

    /// Returns whether the head must be sent in one piece.
    ///
    /// - Parameter bodyByteCount: the length of the body; nil if it is not known, 0 without a body.
    static func requiresWholeHead(bodyByteCount: Int64?) -> Bool {
        isPresent && (bodyByteCount == nil || bodyByteCount == 0)
    }

    /// Returns whether a body without length may lose its chunk sizes.
    static func canLoseChunkSizes(headByteCount: Int) -> Bool {
        isPresent && headByteCount > leastSocketBufferByteCount
    }
}
