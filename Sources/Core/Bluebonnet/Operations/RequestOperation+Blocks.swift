// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
public import FoundationNetworking

extension RequestOperation {
    /// Decides about a redirect before it is followed. Returns the request to send, the proposed request or another;
    /// nil makes the redirect itself the response.
    public typealias RedirectBlock =
        @Sendable (_ operation: RequestOperation, _ proposed: URLRequest, _ response: HTTPURLResponse) async ->
        URLRequest?

    /// Answers an authentication challenge.
    public typealias ChallengeBlock =
        @Sendable (_ operation: RequestOperation, _ challenge: AuthenticationChallenge) async -> ChallengeAnswer

    /// Called with a response that could be cached. The returned response is cached; nil caches nothing.
    public typealias CacheResponseBlock =
        @Sendable (_ operation: RequestOperation, _ response: CachedResponse) -> CachedResponse?

    /// Returns a new body stream from its start; nil if that is not possible.
    public typealias BodyStreamBlock = @Sendable () -> InputStream?

    /// Decides about a server's certificates.
    public typealias ServerTrustBlock =
        @Sendable (_ operation: RequestOperation, _ challenge: ServerTrustChallenge) async -> ServerTrustAnswer

    /// Decides what happens to the body of the final response, after its head has arrived.
    public typealias ResponseBlock =
        @Sendable (_ operation: RequestOperation, _ head: ResponseHead) async -> ResponseDisposition

    /// Called with a piece of the response body.
    public typealias DataHandler = @Sendable (_ operation: RequestOperation, _ data: Data) -> Void

    /// Decides whether a request is retried after a failed attempt.
    public typealias RetryBlock =
        @Sendable (_ operation: RequestOperation, _ proposal: RetryProposal) async -> RetryAnswer

    /// Handles a server that matches none of the report-only pins.
    public typealias PinViolationHandler =
        @Sendable (_ operation: RequestOperation, _ violation: PinViolation) -> Void
}

// Blocks that make decisions while the request runs. A block that is set after the start has no effect, and its
// property does not return it.
extension RequestOperation {
    /// The block that is called before each redirect is followed.
    ///
    /// The block runs off the network thread, and never for two hops of one operation at the same time. While it
    /// decides, the connection is not read. The returned request is checked like the caller's request, and the limits
    /// still apply: the number of redirects, and no redirect from https to http. Header fields of the proposal that
    /// belong to its origin are not sent to another origin that the block chooses; fields that the block sets are sent.
    /// Default nil: every allowed redirect is followed.
    public var onRedirect: RedirectBlock? {
        get { state.plan.blocks.onRedirect }
        set { state.changePlan { $0.blocks.onRedirect = newValue } }
    }

    /// The block that answers Basic and Digest challenges of every origin that the operation reaches, at most twice for
    /// each origin.
    ///
    /// The block runs off the network thread. While it decides, the connection is not read. Its credential is used only
    /// for the origin that sent the challenge. Default nil: `credential`, once, for the first request's origin.
    public var onChallenge: ChallengeBlock? {
        get { state.plan.blocks.onChallenge }
        set { state.changePlan { $0.blocks.onChallenge = newValue } }
    }

    /// The block that makes the request's body stream again, if a redirect, a challenge or a dead connection requires
    /// that the body be sent again. The block runs on a queue of the library. Default nil: a `ReplayableBodyStream`
    /// makes its own copy; any other stream cannot be sent again, and the operation fails with `bodyStreamExhausted`.
    public var onNeedNewBodyStream: BodyStreamBlock? {
        get { state.plan.blocks.needNewBodyStream }
        set { state.changePlan { $0.blocks.needNewBodyStream = newValue } }
    }

    /// The block that decides about the certificates of each https server that the operation reaches, including after
    /// redirects, whatever the policy's verdict. Default nil: the policy decides alone.
    ///
    /// The block runs off the network thread. While it decides, there is no connection and no part of the request has
    /// been sent: the handshake was aborted, and is repeated with the answer. The answer applies only to this
    /// certificate chain, this host and this operation. The operation therefore needs a second connection, shares no
    /// connection with operations that have other answers, and uses no cache. The block is not called for an https
    /// proxy; `Proxy.securityPolicy` decides there.
    public var onServerTrust: ServerTrustBlock? {
        get { state.plan.blocks.onServerTrust }
        set { state.changePlan { $0.blocks.onServerTrust = newValue } }
    }

    /// The block that decides once what happens to the body, after the head of the final response has arrived. It is
    /// called for a refused status too, but not for a redirect that is followed, and not for a response from a cache.
    ///
    /// The block runs off the network thread. While it decides, the connection is not read. Its answer also applies to
    /// the rest of a body that was paused. Default nil: `allow`.
    public var onResponse: ResponseBlock? {
        get { state.plan.blocks.onResponse }
        set { state.changePlan { $0.blocks.onResponse = newValue } }
    }

    /// Sets a response block with an additional parameter: whether the body continues where an earlier transfer
    /// stopped.
    func setResponseBlock(
        _ block: @escaping @Sendable (_ head: ResponseHead, _ continues: Bool) async -> ResponseDisposition
    ) {
        state.changePlan { plan in
            plan.blocks.response = RequestBlocks.Block(given: block) { _, head, continues in
                await block(head, continues)
            }
        }
    }

    /// The handler that is called on `completionQueue` with each piece of the final response's body as it arrives,
    /// decoded, for a refused status too. The body is still written to memory, its file or its stream. If a body starts
    /// over after a pause, the handler is called again from its start. Default nil.
    ///
    /// Pieces that wait for the handler are stored in memory. If the connection has to wait for the program, use
    /// `chunks`.
    public var onReceivedData: DataHandler? {
        get { state.plan.blocks.onReceivedData }
        set { state.changePlan { $0.blocks.onReceivedData = newValue } }
    }

    /// The handler for servers that match none of the policy's `reportOnlyPins`. It is called on `completionQueue`,
    /// once for each transfer to such a server; the request continues. Default nil.
    public var onPinViolation: PinViolationHandler? {
        get { state.plan.blocks.onPinViolation }
        set { state.changePlan { $0.blocks.onPinViolation = newValue } }
    }

    /// The block that decides about another attempt, instead of the rules of `retryPolicy`. It is called after each
    /// failed attempt except the last that the policy allows, also with any response that the response serializer does
    /// not accept. It is not called after a failed pin or certificate check, or if the request is invalid or data
    /// cannot be decoded, parsed or written. Without a policy the limits of `RetryPolicy.standard` apply.
    ///
    /// The block runs off the network thread. While it decides, the operation has no slot. A request that is not
    /// idempotent is sent again if the block says so: `RetryProposal.mayHaveBeenReceived` shows the risk. Default nil:
    /// the policy decides.
    public var onRetry: RetryBlock? {
        get { state.plan.blocks.onRetry }
        set { state.changePlan { $0.blocks.onRetry = newValue } }
    }

    /// The block that decides whether, and in which form, the response is stored in `TransferOptions.responseCache`. It
    /// is called on a queue of the library, before the operation is finished, and only if the operation succeeded with
    /// a response that may be stored (RFC 9111). Default nil: the response is stored unchanged.
    public var onCacheResponse: CacheResponseBlock? {
        get { state.plan.blocks.onCacheResponse }
        set { state.changePlan { $0.blocks.onCacheResponse = newValue } }
    }
}

// The blocks as the program sets them, with the operation as their first argument.
extension RequestBlocks {
    var onRedirect: RequestOperation.RedirectBlock? {
        get { self.redirect?.given as? RequestOperation.RedirectBlock }
        set {
            self.redirect = newValue.map { block in
                Block(given: block) { await block(Self.operation($0), $1, $2) }
            }
        }
    }

    var onChallenge: RequestOperation.ChallengeBlock? {
        get { self.challenge?.given as? RequestOperation.ChallengeBlock }
        set {
            self.challenge = newValue.map { block in Block(given: block) { await block(Self.operation($0), $1) } }
        }
    }

    var onRetry: RequestOperation.RetryBlock? {
        get { self.retry?.given as? RequestOperation.RetryBlock }
        set {
            self.retry = newValue.map { block in Block(given: block) { await block(Self.operation($0), $1) } }
        }
    }

    var onServerTrust: RequestOperation.ServerTrustBlock? {
        get { self.serverTrust?.given as? RequestOperation.ServerTrustBlock }
        set {
            self.serverTrust = newValue.map { block in Block(given: block) { await block(Self.operation($0), $1) } }
        }
    }

    var onPinViolation: RequestOperation.PinViolationHandler? {
        get { self.pinViolation?.given as? RequestOperation.PinViolationHandler }
        set {
            self.pinViolation = newValue.map { block in
                Block(given: block) { owner, violation in
                    let operation = Self.operation(owner)
                    operation.handlerQueue.async { block(operation, violation) }
                }
            }
        }
    }

    var onResponse: RequestOperation.ResponseBlock? {
        get { self.response?.given as? RequestOperation.ResponseBlock }
        set {
            self.response = newValue.map { block in
                Block(given: block) { owner, head, _ in await block(Self.operation(owner), head) }
            }
        }
    }

    var onReceivedData: RequestOperation.DataHandler? {
        get { self.receivedData?.given as? RequestOperation.DataHandler }
        set {
            self.receivedData = newValue.map { block in
                Block(given: block) { owner, data in
                    let operation = Self.operation(owner)
                    operation.handlerQueue.async { block(operation, data) }
                }
            }
        }
    }

    var onCacheResponse: RequestOperation.CacheResponseBlock? {
        get { self.cacheResponse?.given as? RequestOperation.CacheResponseBlock }
        set {
            self.cacheResponse = newValue.map { block in Block(given: block) { block(Self.operation($0), $1) } }
        }
    }

    /// Returns the operation that a block is called for.
    private static func operation(_ owner: Owner) -> RequestOperation {
        guard let operation = owner as? RequestOperation else {
            preconditionFailure("a block of an operation is asked by its hop sequence")
        }
        return operation
    }
}
