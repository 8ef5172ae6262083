// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a server sent on the HTTP/2 stream of one transfer, and what of it libcurl has delivered.
package struct HTTP2Stream {
    /// Whether a frame with END_STREAM came.
    package private(set) var hasEnded = false
    private var dataByteCount = 0
    private(set) var deliveredByteCount = 0

    package init() {}

    /// A valid frame came.
    package mutating func note(dataByteCount: Int, endsStream: Bool) {
        self.dataByteCount += dataByteCount
        if endsStream { hasEnded = true }
    }

    /// libcurl delivered a piece of the body.
    package mutating func noteDelivered(_ byteCount: Int) { deliveredByteCount += byteCount }

    /// Whether all of the response came, when the transfer is over: all that its server sent before it ended the
    /// stream; or the head, of a response that has no body; or as many bytes as the head says, which may be before the
    /// frame that ends the stream.
    ///
    /// - Parameter length: the value of `Content-Length`.
    package func isComplete(hasBody: Bool, length: Int64?) -> Bool {
        if !hasBody { return true }
        if let length { return Int64(deliveredByteCount) == length }
        return hasEnded && deliveredByteCount == dataByteCount
    }

    /// What its server did, of a response that is not complete.
    package var fault: String {
        if !hasEnded { return "did not end the HTTP/2 stream" }
        let counts = "\(deliveredByteCount) of \(dataByteCount) body bytes"
        return "ended the HTTP/2 connection when \(counts) had been read of the response"
    }
}
