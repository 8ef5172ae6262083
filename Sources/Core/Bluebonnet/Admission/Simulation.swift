// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A manager's replacement for the network: an in-memory transport, and timers that follow the transport's clock. The
/// hook of `BluebonnetTesting` in this module. Any thread.
package struct Simulation: Sendable {
    let transport: NetworkBound<any Transport>
    /// Where operations wait for their next attempt; nil for the process's timers.
    let retryWaits: NetworkBound<RetryWaits>?
    /// A caller's object that the manager retains, for instance a log of the requests.
    package let record: (any AnyObject & Sendable)?

    package init(
        _ transport: sending any Transport, retryWaits: NetworkBound<RetryWaits>? = nil,
        record: (any AnyObject & Sendable)? = nil
    ) {
        self.transport = NetworkBound(transport)
        self.retryWaits = retryWaits
        self.record = record
    }
}

/// The members for an in-memory transport, which has no stale connections and sends no body twice.
extension TransferMachine {
    /// Begins to send the request over a new connection, which opens at once.
    package mutating func beginSending(now: UInt64) {
        _ = acceptFirstConnection(isKept: false, isUsable: true)
        _ = beginSending(multiplexed: false, isExplained: false, bodyCanStartAgain: true, now: now)
    }

    /// Reads the next bytes of the request's body. Network thread only.
    ///
    /// - Returns: the number of bytes, 0 at the end; nil if no bytes are available yet.
    ///   `TransferRequest.whenBodyIsReady(_:)` reports when they are.
    package mutating func readBody(
        into buffer: UnsafeMutableRawBufferPointer, now: UInt64
    ) throws(NetworkingError) -> Int? {
        let piece = try request.body.read(into: buffer, at: upload.readByteCount)
        bodyWasRead(piece, now: now)
        guard case .bytes(let count) = piece else { return nil }
        return count
    }

    /// The response's head; nil before it is complete.
    package var head: ResponseHead? { response.head }
}
