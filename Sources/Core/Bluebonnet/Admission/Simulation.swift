// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a manager has in place of the network: a transport in memory, and the timers of that transport's time. The hook
/// of `BluebonnetTesting` in this module. Any thread.
package struct Simulation: Sendable {
    let transport: NetworkBound<any Transport>
    /// Where operations wait for their next attempt; nil for the process's timers.
    let retryWaits: NetworkBound<RetryWaits>?
    /// An object of the caller that the manager keeps, for instance a log of the requests.
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

/// What a transport in memory needs: it has no connection that could be stale, and no body that is sent twice.
extension TransferMachine {
    /// The request is sent over a new connection, which is open at once.
    package mutating func beginSending(now: UInt64) {
        _ = takes(keptConnection: false, isClean: true)
        _ = sends(multiplexed: false, isExplained: false, bodyCanStartAgain: true, now: now)
    }

    /// Reads the next bytes of the request's body. Network thread only.
    ///
    /// - Returns: their number, 0 at the end; nil if there are none yet: `TransferRequest.whenBodyIsReady(_:)` tells
    ///   when there are.
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
