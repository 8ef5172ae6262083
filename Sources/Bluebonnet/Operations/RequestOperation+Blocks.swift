// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
public import FoundationNetworking

extension RequestOperation {
    /// Decides about a redirect before it is followed: returns the request to send, the proposed one or another, or nil
    /// to take the redirect itself as the response.
    public typealias RedirectBlock =
        @Sendable (_ operation: RequestOperation, _ proposed: URLRequest, _ response: HTTPURLResponse) async ->
        URLRequest?

    /// Answers an authentication challenge.
    public typealias ChallengeBlock =
        @Sendable (_ operation: RequestOperation, _ challenge: AuthenticationChallenge) async -> ChallengeAnswer

    /// Called with a response that could be cached; the returned response is cached, and nil caches nothing.
    public typealias CacheResponseBlock =
        @Sendable (_ operation: RequestOperation, _ response: CachedResponse) -> CachedResponse?

    /// Returns a new body stream from its start; nil when that is not possible.
    public typealias BodyStreamBlock = @Sendable () -> InputStream?

    /// Sets the block that is asked before each redirect is followed. Set it before the operation is started.
    ///
    /// The block runs off the network thread, and never for two hops of one operation at the same time. While it
    /// decides, the connection is not read. The returned request is checked like a caller's request, and the limits
    /// still apply: the number of redirects, and none from https to http. Header fields of the proposal that belong to
    /// its origin are not sent to another origin that the block chooses; fields that the block sets are sent. Default
    /// nil: every allowed redirect is followed.
    public func setRedirectResponse(_ block: RedirectBlock?) {
        state.changePlan { plan in
            plan.blocks.redirect = nil
            if let block { plan.blocks.redirect = { await block(RequestOperation.asked($0), $1, $2) } }
        }
    }

    /// Sets the block that answers Basic and Digest challenges of every origin that the operation comes to, at most
    /// twice for each origin. Set it before the operation is started.
    ///
    /// The block runs off the network thread. While it decides, the connection is not read. Its credential is used only
    /// for the origin that asked. Default nil: `credential`, once, for the first request's origin.
    public func setWillSendRequestForAuthenticationChallenge(_ block: ChallengeBlock?) {
        state.changePlan { plan in
            plan.blocks.challenge = nil
            if let block { plan.blocks.challenge = { await block(RequestOperation.asked($0), $1) } }
        }
    }

    /// Sets the block that makes the request's body stream again, when a redirect, a challenge or a dead connection
    /// requires that the body be sent again. The block runs on a queue of the library. Default nil: a
    /// `ReplayableBodyStream` makes its own copy; any other stream cannot be sent again, and the operation fails with
    /// `bodyStreamExhausted`.
    public func setNeedNewBodyStream(_ block: BodyStreamBlock?) {
        state.changePlan { $0.blocks.needNewBodyStream = block }
    }
}

// Blocks that take part in the evaluation of a server's trust.
extension RequestOperation {
    /// Decides about a server's certificates.
    public typealias ServerTrustBlock =
        @Sendable (_ operation: RequestOperation, _ challenge: ServerTrustChallenge) async -> ServerTrustAnswer

    /// Handles a server that matches none of the report-only pins.
    public typealias PinViolationHandler =
        @Sendable (_ operation: RequestOperation, _ violation: PinViolation) -> Void

    /// Sets the block that is asked about the certificates of each https server that the operation comes to, redirects
    /// included, whatever the policy's verdict. Set it before the operation is started. Default nil: the policy decides
    /// alone.
    ///
    /// The block runs off the network thread. While it decides, there is no connection and no part of the request has
    /// been sent: the handshake was aborted, and is made again with the answer. The answer counts only for this
    /// certificate chain, this host and this operation. The operation therefore needs a second connection, shares no
    /// connection with operations that have other answers, and uses no cache. The block is not asked about an https
    /// proxy; `Proxy.securityPolicy` decides there.
    public func setServerTrustChallenge(_ block: ServerTrustBlock?) {
        state.changePlan { plan in
            plan.blocks.serverTrust = nil
            if let block { plan.blocks.serverTrust = { await block(RequestOperation.asked($0), $1) } }
        }
    }

    /// Sets the handler for servers that match none of the policy's `reportOnlyPins`. It is called on
    /// `completionQueue`, once for each transfer to such a server; the request continues. Set it before the operation
    /// is started. Default nil.
    public func setPinViolationHandler(_ handler: PinViolationHandler?) {
        state.changePlan { plan in
            plan.blocks.pinViolation = nil
            guard let handler else { return }
            plan.blocks.pinViolation = { owner, violation in
                let operation = RequestOperation.asked(owner)
                operation.handlerQueue.async { handler(operation, violation) }
            }
        }
    }

    /// Sets the block that decides whether, and in which form, the response is stored in
    /// `TransferOptions.responseCache`. It is called on a queue of the library, before the operation is finished, and
    /// only when the operation succeeded with a response that may be stored (RFC 9111). Default nil: the response is
    /// stored unchanged.
    public func setCacheResponseBlock(_ block: CacheResponseBlock?) {
        state.changePlan { plan in
            plan.blocks.cacheResponse = nil
            if let block { plan.blocks.cacheResponse = { block(RequestOperation.asked($0), $1) } }
        }
    }

    /// The operation that a block is asked for.
    private static func asked(_ owner: any ExchangeOwner) -> RequestOperation {
        guard let operation = owner as? RequestOperation else {
            preconditionFailure("a block of an operation is asked by its exchange")
        }
        return operation
    }
}
