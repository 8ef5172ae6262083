// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Compares what a server sent on the HTTP/2 stream of one transfer with the bytes that libcurl has delivered.
package struct HTTP2Stream {
    /// Whether a frame with END_STREAM has arrived.
    package private(set) var hasEnded = false
    private var dataByteCount = 0
    private(set) var deliveredByteCount = 0

    package init() {}

    /// Records a valid frame.
    package mutating func recordFrame(dataByteCount: Int, endsStream: Bool) {
        self.dataByteCount += dataByteCount
        if endsStream { hasEnded = true }
    }

    /// Records a piece of the body that libcurl delivered.
    package mutating func recordDelivered(_ byteCount: Int) { deliveredByteCount += byteCount }

    /// Returns whether the whole response has arrived, once the transfer is over. A response without a body is complete
    /// with its head. A response with a `Content-Length` is complete when as many bytes were delivered, possibly before
    /// the frame that ends the stream. Any other response is complete when the server has ended the stream and all
    /// bytes that it sent were delivered.
    ///
    /// - Parameter length: the value of `Content-Length`.
    package func isComplete(hasBody: Bool, length: Int64?) -> Bool {
        if !hasBody { return true }
        if let length { return Int64(deliveredByteCount) == length }
        return hasEnded && deliveredByteCount == dataByteCount
    }

    /// How the server left the response incomplete, as part of a sentence.
    package var fault: String {
        if !hasEnded { return "did not end the HTTP/2 stream" }
        let counts = "\(deliveredByteCount) of \(dataByteCount) body bytes"
        return "ended the HTTP/2 connection when \(counts) had been read of the response"
    }
}
