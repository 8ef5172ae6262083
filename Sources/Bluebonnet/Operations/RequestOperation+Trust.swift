// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

// What an operation's user has a say in when a server is judged.
extension RequestOperation {
    /// Decides about a server.
    public typealias ServerTrustBlock =
        @Sendable (_ operation: RequestOperation, _ challenge: ServerTrustChallenge) async -> ServerTrustAnswer

    /// Told of a server that matches none of the pins on trial.
    public typealias PinViolationHandler =
        @Sendable (_ operation: RequestOperation, _ violation: PinViolation) -> Void

    /// Asks `block` about the certificates of each https server that the operation comes to, redirects included,
    /// whatever the policy says of them; it counts from the operation's start. Default nil: the policy decides alone.
    ///
    /// The block runs off the network thread. While it decides there is no connection and nothing of the request was
    /// sent: the handshake was broken off, and is made again with the answer, which is kept for exactly that chain of
    /// that host and for this operation only. So it costs a second connection, and such an operation uses no connection
    /// of one that has another answer, and no cache. An https proxy is not asked about: `Proxy.securityPolicy`.
    public func setServerTrustChallenge(_ block: ServerTrustBlock?) {
        replace(\.extras.blocks.serverTrust, with: block)
    }

    /// Tells `handler`, on `completionQueue`, of each server that matches none of the policy's `reportOnlyPins`, for
    /// each transfer to it; the request goes on. It counts from the operation's start. Default nil.
    public func setPinViolationHandler(_ handler: PinViolationHandler?) {
        replace(\.extras.blocks.pinViolation, with: handler)
    }

    /// Called on the network thread; the handler runs elsewhere.
    func report(_ violation: PinViolation, to handler: @escaping PinViolationHandler) {
        let queue = shared.withLock { $0.completionQueue }
        (queue ?? Queues.callbacks).async { [self] in handler(self, violation) }
    }
}
