// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// One operation's exchange over all its transfers: decides the next request, and collects the response.
///
/// Network thread only. For each response head it decides what the body is for (the result, or nothing because another
/// transfer follows). It asks the user's blocks, and knows neither the transport nor admission.
final class Exchange {
    /// What follows when a transfer has ended.
    enum NextStep {
        case complete
        case failed(NetworkingError)
        /// Another transfer, with `next`.
        case another(isRedirect: Bool)
        /// A block of the user has not answered yet.
        case pending
    }

    /// What the body of the current response is for.
    enum BodyDisposition {
        case undecided
        /// A block of the user decides; until then the body is not read.
        case awaitingDecision
        /// The result.
        case body(BodyReceiver)
        /// A part of the error, because the status is refused.
        case errorBody(BodyReceiver)
        /// Nothing: the head has decided what follows.
        case discard(Discarded)
        case failed(NetworkingError)
    }

    enum Discarded {
        case redirect(RedirectPolicy.Request)
        case challenge
        case startAgain
        case isComplete

        /// Whether another transfer follows.
        var leadsOn: Bool {
            switch self {
            case .redirect, .challenge, .startAgain: true
            case .isComplete: false
            }
        }
    }

    let prepared: PreparedRequest
    /// Nil until they were opened.
    var files: PreparedRequest.Files?
    let operation: any ExchangeOwner
    var options: TransferOptions { prepared.options }
    var blocks: ExchangeBlocks { prepared.blocks }
    @exclusivity(unchecked) var assembly: BodyAssembly
    /// Made at the first redirect; the authentication state is made at the first challenge.
    private(set) var knownRedirects: RedirectChain?
    @exclusivity(unchecked) private(set) var knownAuthentication: HTTPAuthentication?
    @exclusivity(unchecked) var tls = HopTLS()

    /// The request of the next transfer.
    @exclusivity(unchecked) var next: RedirectPolicy.Request
    /// The body of a request that a block returned, instead of the caller's.
    var replacedBody: Data?
    private var feed: BodyFeed?
    /// Whether a streamed body was sent once more because the connection was closed.
    var hasSentAgain = false
    var head: ResponseHead?
    var disposition = BodyDisposition.undecided
    var questionCount = 0
    /// The answers of the user's block about servers; nil without such a block.
    @exclusivity(unchecked) var trustAnswers: TrustAnswers?
    /// The hop that the redirect block was shown.
    var proposed: RedirectPolicy.Request?
    /// The limit for a body that is not the result; nil for the result's body, and before the decision.
    @exclusivity(unchecked) var allowance: BodyAllowance?
    /// Why the transfer ended while a block decided what its response is for.
    var transferError: NetworkingError?
    /// Why the body of a refused response is not whole, or not decoded.
    var bodyError: NetworkingError?
    @exclusivity(unchecked) private var upload = ProgressMeter()
    @exclusivity(unchecked) var download = ProgressMeter()

    init(_ prepared: PreparedRequest, operation: any ExchangeOwner) {
        self.prepared = prepared
        self.operation = operation
        assembly = BodyAssembly(prepared)
        trustAnswers = prepared.blocks.serverTrust == nil ? nil : TrustAnswers()
        next = prepared.first
        if let part = prepared.continuation, !prepared.hasOutput { assembly.goOn(with: part) }
    }

    var redirects: RedirectChain {
        get { knownRedirects ?? makeRedirects() }
        set { knownRedirects = newValue }
    }

    private func makeRedirects() -> RedirectChain {
        let policy = RedirectPolicy(
            limit: options.maximumRedirectCount, allowsInsecureTarget: options.allowsInsecureRedirects,
            keepsDotSegments: options.keepsDotSegments)
        return RedirectChain(prepared.first, policy: policy)
    }

    var authentication: HTTPAuthentication {
        get { knownAuthentication ?? HTTPAuthentication(credential: options.credential, origin: prepared.origin) }
        set { knownAuthentication = newValue }
    }

    /// How many redirects were followed.
    var hopCount: Int { knownRedirects?.hopCount ?? 0 }

    /// Takes the files, and notes the part of the body that an earlier process or operation left.
    func takeFiles(_ files: PreparedRequest.Files) {
        self.files = files
        assembly.takeFile(files.output)
    }
}

@available(*, unavailable)
extension Exchange: Sendable {}

// MARK: - What goes out

extension Exchange {
    /// Whether the request may be sent twice; if so, a pause closes the connection.
    var canBeSentAgain: Bool {
        ["GET", "HEAD"].contains(next.method) && (prepared.bodyStream == nil || !next.hasBody)
    }

    func transferRequest(to origin: Origin, deadline: UInt64) -> TransferRequest {
        head = nil
        disposition = .undecided
        (allowance, transferError, bodyError) = (nil, nil, nil)
        upload.restart(at: 0)
        assembly.checkInterruptedFile()
        return TransferRequest(
            url: next.url, origin: origin, method: next.method, headers: headers, body: nextBody(),
            poolKey: poolKey(to: origin), limits: limits(deadline: deadline), cookieJar: cookieJar)
    }

    private func limits(deadline: UInt64) -> TransferRequest.Limits {
        let options = prepared.resolvedOptions
        return TransferRequest.Limits(
            httpVersion: options.value.httpVersion, connectTimeout: options.connectTimeout,
            idleTimeout: prepared.idleTimeout, deadline: deadline,
            headerByteLimit: options.value.maximumHeaderByteCount,
            expectsLargeBody: files?.output != nil || prepared.streamOutput != nil)
    }

    /// The connection pool key of the next transfer: the one shared by all operations with the same options, unless
    /// this operation's own differs.
    private func poolKey(to origin: Origin) -> PoolKeyBox {
        let shared = prepared.resolvedOptions
        if trustAnswers == nil, !tls.hasLeftOrigin, shared.value.securityPolicy.table == nil {
            return shared.poolKey(with: tls.setup)
        }
        var poolKey = shared.value.poolKey(forHost: origin.host)
        poolKey.trustAnswers = trustAnswers
        tls.complete(&poolKey)
        return PoolKeyBox(poolKey)
    }

    /// The jar, where it may be used for the next transfer.
    var cookieJar: CookieJar? {
        guard let jar = options.cookieJar, prepared.request.httpShouldHandleCookies else { return nil }
        return CookieRules.mayUseJar(host: next.url.host ?? "", namesHost: next.headers["Host"] != nil) ? jar : nil
    }

    /// Where the next transfer goes.
    var nextOrigin: Origin? { hopCount == 0 ? prepared.origin : Origin(next.url) }

    /// The body of the next transfer. A stream that was read before is made again.
    private func nextBody() -> TransferBody {
        guard next.hasBody else { return .none }
        if let replacedBody { return .data(replacedBody) }
        guard let source = prepared.bodyStream else { return files?.body ?? .none }
        if let feed, !feed.isTouched { return .stream(feed) }
        feed?.cancel()
        let made = source.makeFeed(isFirst: feed == nil, again: blocks.needNewBodyStream)
        feed = made
        return .stream(made)
    }

    /// Stops reading a streamed body.
    func giveUpBody() { feed?.cancel() }

    private var headers: [HTTPHeaders.Field] {
        var fields = next.headers.fields
        func set(_ name: String, _ value: String) {
            fields.removeAll { FieldSyntax.isSameName($0.name, name) }
            fields.append(HTTPHeaders.Field(name: name, value: value))
        }
        for field in assembly.rangeFields { set(field.name, field.value) }
        if let authorization = knownAuthentication?.authorization(method: next.method, url: next.url) {
            set("Authorization", authorization)
        }
        return fields
    }
}

// MARK: - Progress

extension Exchange {
    /// The body goes out from its start again.
    func noteSendingStartedAgain() {
        upload.restart(at: 0)
    }

    func noteSent(_ byteCount: Int) {
        guard let delta = upload.advance(by: byteCount, now: MonotonicClock.now()) else { return }
        operation.reportUpload(delta, upload.total, sendingByteCount)
    }

    func noteReceived(_ byteCount: Int) {
        guard let delta = download.advance(by: byteCount, now: MonotonicClock.now()) else { return }
        operation.reportDownload(delta, download.total, expectedByteCount)
    }

    /// Reports the progress that was not reported yet, before the end.
    func flushProgress() {
        if let delta = upload.takeUntold() { operation.reportUpload(delta, upload.total, sendingByteCount) }
        if let delta = download.takeUntold() { operation.reportDownload(delta, download.total, expectedByteCount) }
    }

    /// The length of the body that goes out, -1 when it is not known.
    private var sendingByteCount: Int64 {
        if let replacedBody { return Int64(replacedBody.count) }
        if let source = prepared.bodyStream { return source.declaredByteCount ?? -1 }
        return files?.body.byteCount ?? 0
    }

    /// The whole body's length, -1 when it is not known.
    private var expectedByteCount: Int64 {
        guard let head, head.contentCodings.isEmpty else { return -1 }
        return head.totalByteCount ?? -1
    }
}
