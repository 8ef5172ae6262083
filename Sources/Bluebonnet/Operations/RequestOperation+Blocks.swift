// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
public import FoundationNetworking
internal import Synchronization

extension RequestOperation {
    /// Sees a redirect before it is followed: gives the request to send, the proposed one or another, or nil to take
    /// the redirect itself as the response.
    public typealias RedirectBlock =
        @Sendable (_ operation: RequestOperation, _ proposed: URLRequest, _ response: HTTPURLResponse) async ->
        URLRequest?

    /// Answers a challenge.
    public typealias ChallengeBlock =
        @Sendable (_ operation: RequestOperation, _ challenge: AuthenticationChallenge) async -> ChallengeAnswer

    /// Makes a body stream again, from its start; nil when that is not possible.
    public typealias BodyStreamBlock = @Sendable () -> InputStream?

    /// Asks `block` before each redirect is followed; it counts from the operation's start.
    ///
    /// The block runs off the network thread, never for two hops of one operation at once, and while it decides nothing
    /// is read from the connection. What it gives is checked like a caller's request, and the limits stand: how many
    /// redirects, none from https to http. Fields of the proposal that belong to its origin do not go to another one
    /// that the block chooses; those that it sets go where it says. Default nil: every allowed redirect is followed.
    public func setRedirectResponse(_ block: RedirectBlock?) {
        replace(\.extras.blocks.redirect, with: block)
    }

    /// Asks `block` about each Basic or Digest challenge that can be answered, of any origin that the operation came
    /// to, twice at most for each; it counts from the operation's start.
    ///
    /// The block runs off the network thread, and while it decides nothing is read from the connection. Its credential
    /// is used for the origin that asked and no other. Default nil: `credential`, once, for the first request's origin.
    public func setWillSendRequestForAuthenticationChallenge(_ block: ChallengeBlock?) {
        replace(\.extras.blocks.challenge, with: block)
    }

    /// Asks `block` for the request's body stream again, when a redirect, a challenge or a dead connection makes it
    /// necessary to send it once more. It runs on a queue of the library's. Default nil: a stream that is a
    /// `ReplayableBodyStream` is asked itself; any other cannot be sent again, which is the error
    /// `bodyStreamExhausted`.
    public func setNeedNewBodyStream(_ block: BodyStreamBlock?) {
        replace(\.extras.blocks.needNewBodyStream, with: block)
    }
}

// What an operation's user has a say in when a server is judged.
extension RequestOperation {
    /// Decides about a server.
    public typealias ServerTrustBlock =
        @Sendable (_ operation: RequestOperation, _ challenge: ServerTrustChallenge) async -> ServerTrustAnswer

    /// Told of a server that matches none of the report-only pins.
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
