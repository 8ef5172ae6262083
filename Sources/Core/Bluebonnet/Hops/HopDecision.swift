// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The decision about what follows a response head.
enum HopDecision {
    /// The response is the result. `continues`: whether its body continues where an interrupted body stopped.
    case deliver(continues: Bool)
    /// The interrupted body was already complete: its head is the head of the result.
    case alreadyComplete
    /// Another hop follows, and the body of this response is discarded.
    case send(Next)
    /// The program or the credential storage decides. The body is not read until then.
    case ask(Question)
    case fail(NetworkingError)

    /// The next hop.
    enum Next {
        case redirect(HopRequest)
        /// The same request: with a credential, or to a server that was accepted.
        case sameRequest
        /// The same request, for the whole body: the response to the range request does not match.
        case wholeBody
        /// None: a stored response answers.
        case stored
    }

    /// A question to the program or the credential storage.
    enum Question {
        /// The redirect block is called with the request that the redirect leads to.
        case redirect(HopRequest)
        /// The challenge block is called if there is one; otherwise the credential storage is queried, if that is
        /// allowed.
        case challenge(HTTPChallenge, mayLookUp: Bool)
        /// The response block is called with the head of the result; `continues` as in `deliver`.
        case response(continues: Bool)
    }

    /// The answer to a question.
    enum Answer: Sendable {
        case follow(URLRequest)
        /// The redirect is the result.
        case deliver
        case challenge(ChallengeAnswer, HTTPChallenge, stored: URLCredential?)
        case response(ResponseAnswer, continues: Bool)
    }
}

/// The state of an interrupted body, as needed for the decision about a response.
struct InterruptedBody {
    /// Nil if the whole body is requested.
    var resumption: RangeResumption?
    /// Whether the head of the interrupted response is known. It is not if another process or operation received it.
    var hasHead = false
}

/// The requests of one hop sequence, hop by hop. Decides what is sent next, and what follows each response head. A
/// value; it sends nothing, opens nothing and calls no block.
struct HopChain {
    private let prepared: PreparedRequest
    /// The request of the next or current hop.
    private(set) var request: HopRequest
    /// Made at the first redirect.
    private var knownRedirects: RedirectChain?
    /// Made at the first challenge.
    private var knownAuthentication: HTTPAuthentication?
    /// Made at the first challenge of a proxy that forwards the request.
    private var proxyAuthentication: (proxy: Proxy, answers: HTTPAuthentication)?
    /// The hop that was proposed to the redirect block.
    private var proposed: HopRequest?
    /// Whether the server has reported that the connection was wrong for the request (421). The request is then sent
    /// once over a new connection.
    private(set) var needsNewConnection = false
    /// Nil without request adapters and an authenticator.
    private var credentials: HopCredentials?

    init(_ prepared: PreparedRequest) {
        self.prepared = prepared
        request = prepared.first
        if prepared.resolvedOptions.areRequestsAdapted { credentials = HopCredentials(prepared) }
    }

    /// The number of redirects that were followed.
    var redirectCount: Int { knownRedirects?.hopCount ?? 0 }

    /// The destination of the next hop; nil if its URL has no usable origin.
    var origin: Origin? {
        redirectCount == 0 && credentials?.adapted?.isAdapted != true ? prepared.origin : Origin(request.url)
    }

    /// Whether a credential was sent to the server.
    var hasAuthenticated: Bool { knownAuthentication?.hasAnswered == true }

    /// Whether the request may be sent twice. If so, a pause closes the connection.
    var canBeSentAgain: Bool {
        ["GET", "HEAD"].contains(request.method) && (prepared.bodyStream == nil || !request.hasBody)
    }

    /// Whether the server reflects the request in its response: secrets are not added without being asked for
    /// (RFC 9110, 9.3.8).
    private var isTrace: Bool { request.method == "TRACE" }

    /// The jar, if it may be used for the current hop.
    var cookieJar: CookieJar? {
        guard let jar = prepared.options.cookieJar, prepared.request.handlesCookies, !isTrace else {
            return nil
        }
        let mayUse = CookieRules.canUseJar(host: request.url.host ?? "", namesHost: request.headers["Host"] != nil)
        return mayUse ? jar : nil
    }

    /// The last request, as it was sent.
    var lastRequest: HTTPRequest {
        let isAsGiven = redirectCount == 0 && credentials?.adapted?.isAdapted != true
        return isAsGiven ? prepared.request : request.request
    }

    private var redirects: RedirectChain {
        if let knownRedirects { return knownRedirects }
        let policy = RedirectPolicy(
            limit: prepared.options.maximumRedirectCount,
            allowsInsecureTarget: prepared.options.allowsInsecureRedirects,
            keepsDotSegments: prepared.options.keepsDotSegments)
        return RedirectChain(prepared.first, policy: policy)
    }

    private var authentication: HTTPAuthentication {
        if let knownAuthentication { return knownAuthentication }
        let hasOwn = request.headers["Authorization"] != nil || URLText(request.url.absoluteString).userInfo != nil
        let origin = origin ?? prepared.origin
        let credential = prepared.options.defaultCredential(for: origin, hasOwn: hasOwn)
        return HTTPAuthentication(credential: credential, origin: origin)
    }

    /// Returns the fields of the next hop. Mutating, because each Digest answer is counted.
    ///
    /// - Parameter rangeFields: the fields that ask for the rest of a body.
    mutating func headers(rangeFields: [(name: String, value: String)]) -> [HeaderFields.Field] {
        var fields = (credentials?.adapted?.sentHeaders ?? request.headers).fields
        func set(_ name: String, _ value: String) {
            fields.removeAll { FieldSyntax.isSameName($0.name, name) }
            fields.append(HeaderFields.Field(name: name, value: value))
        }
        for field in rangeFields { set(field.name, field.value) }
        if let authorization = knownAuthentication?.authorization(method: request.method, url: request.url) {
            set("Authorization", authorization)
        }
        if let proxyAuthentication, proxyAuthentication.proxy == forwardingProxy,
            let answer = self.proxyAuthentication?.answers.authorization(method: request.method, url: request.url)
        {
            set("Proxy-Authorization", answer)
        }
        return fields
    }

    /// Follows a redirect.
    ///
    /// - Returns: whether the target is another origin, which gets no credential and no client certificate.
    /// - Throws: the refusal of the security policy.
    mutating func follow(_ target: HopRequest) throws(NetworkingError) -> Bool {
        let origin = Origin(target.url)
        if let refusal = prepared.options.securityPolicy.refusal(ofHost: origin?.host ?? "") { throw refusal }
        var redirects = redirects
        redirects.follow(target)
        knownRedirects = redirects
        credentials?.follow(target, from: request)
        needsNewConnection = false
        defer { request = target }
        guard let origin, origin != Origin(request.url) else { return false }
        knownAuthentication = HTTPAuthentication(credential: nil, origin: origin)
        return true
    }
}

// MARK: - Decisions

extension HopChain {
    /// Decides what follows a response to the current request.
    ///
    /// - Parameter canRepeatBody: whether the request body can be sent from its start again.
    mutating func decision(
        on head: ResponseHead, _ body: InterruptedBody = InterruptedBody(),
        canRepeatBody: Bool = true
    ) -> HopDecision {
        // After Set-Cookie a redirect to a visited URL is allowed, because the request is now different.
        if cookieJar != nil, head.hasField("set-cookie") {
            var redirects = redirects
            redirects.forgetVisits()
            knownRedirects = redirects
        }
        let hasAnswered = hasAuthenticated
        if credentials?.beginRepeat(after: head, canRepeatBody: canRepeatBody, hasAuthenticated: hasAnswered) == true {
            return .send(.sameRequest)
        }
        if head.statusCode == 401, let decision = challengeDecision(on: head) { return decision }
        if head.statusCode == 407, canRepeatBody, answerProxyChallenge(of: head) { return .send(.sameRequest) }
        // The server has not processed the request, whatever its method (RFC 9110, 15.5.20).
        if head.statusCode == 421, canRepeatBody, !needsNewConnection {
            needsNewConnection = true
            return .send(.sameRequest)
        }
        guard (300...399).contains(head.statusCode) else { return resultDecision(on: head, body) }
        switch redirects.decision(status: head.statusCode, locations: head.locations) {
        case .fail(let error): return .fail(error)
        case .follow(let target) where prepared.blocks.redirect != nil:
            proposed = target
            return .ask(.redirect(target))
        case .follow(let target): return .send(.redirect(target))
        case .deliver: return resultDecision(on: head, body)
        }
    }

    /// Decides what follows the response that a question was about.
    mutating func decision(
        after answer: HopDecision.Answer, on head: ResponseHead, _ body: InterruptedBody = InterruptedBody()
    ) -> HopDecision {
        switch answer {
        case .deliver: break
        case .response(.fail(let error), _): return .fail(error)
        case .response(_, let continues): return .deliver(continues: continues)
        case .follow(let request):
            do throws(NetworkingError) {
                return .send(.redirect(try checkedTarget(request)))
            } catch {
                return .fail(error)
            }
        case .challenge(.cancel, _, _):
            let host = head.url.host ?? ""
            return .fail(NetworkingError(.authenticationRequired, "the challenge of \(host) was cancelled"))
        case .challenge(.useCredential(let credential), let challenge, _):
            if tryCredential({ $0.use(credential, for: challenge) }) { return .send(.sameRequest) }
        case .challenge(.performDefault, let challenge, let stored):
            if tryCredential({ $0.useDefaultCredential(for: challenge) }) { return .send(.sameRequest) }
            if let stored, tryCredential({ $0.use(stored, for: challenge) }) { return .send(.sameRequest) }
        }
        return resultDecision(on: head, body)
    }

    /// Decides on a response that neither redirects nor challenges.
    private func resultDecision(on head: ResponseHead, _ body: InterruptedBody) -> HopDecision {
        switch body.resumption?.decide(on: head) {
        case .askAgain?: .send(.wholeBody)
        case .isComplete?: body.hasHead ? .alreadyComplete : .send(.wholeBody)
        case .append?: .deliver(continues: true)
        case .startOver?, .unrelated?, nil: .deliver(continues: false)
        }
    }

    /// Decides on a 401 whose challenge can be answered; returns nil for any other 401.
    private mutating func challengeDecision(on head: ResponseHead) -> HopDecision? {
        let authentication = authentication
        guard !isTrace, let challenge = authentication.challenge(in: head.values(for: "WWW-Authenticate")) else {
            return nil
        }
        let hasBlock = prepared.blocks.challenge != nil
        let isStale = authentication.hasAnswered && challenge.isStale  // the credential was right
        if !hasBlock || isStale, tryCredential({ $0.useDefaultCredential(for: challenge) }) {
            return .send(.sameRequest)
        }
        let mayLookUp =
            prepared.options.usesCredentialStorage && request.carriesCredentials && !authentication.hasAnswered
        guard hasBlock || mayLookUp else { return nil }
        return .ask(.challenge(challenge, mayLookUp: mayLookUp))
    }

    /// The proxy that forwards the current hop's request without a tunnel.
    private var forwardingProxy: Proxy? {
        guard let origin, !origin.isSecure else { return nil }
        return prepared.options.proxy(to: origin).flatMap { $0.forwardsRequests ? $0 : nil }
    }

    /// Answers a Digest challenge of a proxy. The answer to a Basic challenge was already sent with the request.
    private mutating func answerProxyChallenge(of head: ResponseHead) -> Bool {
        guard let origin, let proxy = forwardingProxy, let user = proxy.user else { return false }
        let credential = URLCredential(user: user, password: proxy.password ?? "", persistence: .none)
        var answers = HTTPAuthentication(credential: credential, origin: origin, isForProxy: true)
        if let known = proxyAuthentication, known.proxy == proxy, known.answers.origin == origin {
            answers = known.answers
        }
        guard let challenge = answers.challenge(in: head.values(for: "Proxy-Authenticate")),
            challenge.scheme == "digest", answers.useDefaultCredential(for: challenge)
        else { return false }
        proxyAuthentication = (proxy, answers)
        return true
    }

    /// Tries a credential, and stores the new state if the credential can be sent.
    private mutating func tryCredential(_ use: (inout HTTPAuthentication) -> Bool) -> Bool {
        var authentication = authentication
        guard use(&authentication) else { return false }
        knownAuthentication = authentication
        return true
    }

    /// Returns the challenge in the form for the program.
    func challenge(_ challenge: HTTPChallenge, in head: ResponseHead) -> AuthenticationChallenge {
        let authentication = authentication
        return AuthenticationChallenge(
            challenge, of: authentication.origin, previousFailureCount: authentication.tryCount,
            response: head.urlResponse)
    }
}

// MARK: - Redirects as requests

extension HopChain {
    /// Returns the hop for a request that a block returned, checked like the caller's request. If it goes to another
    /// origin than the proposal, header fields of the proposed origin are dropped, as in any redirect.
    private mutating func checkedTarget(_ given: URLRequest) throws(NetworkingError) -> HopRequest {
        guard let proposed, let givenURL = given.url else {
            throw NetworkingError(.badURL, "the redirect block returned a request without a URL")
        }
        let options = prepared.options
        let url = options.keepsDotSegments ? givenURL : DotSegments.removed(from: givenURL) ?? givenURL
        try RequestCheck.check(url)
        let method = given.httpMethod ?? "GET"
        try RequestCheck.method(method)
        guard
            url.scheme?.lowercased() == "https" || request.url.scheme?.lowercased() == "http"
                || options.allowsInsecureRedirects
        else { throw NetworkingError(.redirectRefused, "the redirect block redirects from https to http") }
        var hop = proposed
        if Origin(url) != Origin(proposed.url) { hop.leaveOrigin() }
        (hop.url, hop.method) = (url, method)
        if given.httpBody != proposed.body {
            hop.hasBody = given.httpBody?.isEmpty == false
            hop.body = hop.hasBody ? given.httpBody : nil
        }
        try hop.applyHeaders(of: given, changedFrom: proposed)
        return hop
    }
}

// MARK: - Request adapters and credentials

extension HopChain {
    /// The generation of the credential that the server has refused; nil if it has refused no credential.
    var refusedGeneration: Int? { credentials?.refusedGeneration }
    /// Why a refused request is not sent again.
    var credentialStop: RetryStop? { credentials?.stop }

    /// Returns the work of adapters and authenticator on the next hop.
    ///
    /// - Parameters:
    ///   - adapted: the hop after the finished work; nil before the adapters have run.
    ///   - credential: nil if no credential is to be applied.
    func adaptation(after adapted: HopRequest?, _ credential: CurrentCredential?) -> Adaptation {
        let hop = adapted ?? credentials?.hop ?? request
        let runsAdapters = adapted == nil && hop.carriesCredentials
        return Adaptation(
            base: hop, fixedBody: hop.hasBody && hop.body == nil ? prepared.fixedBody : nil,
            options: prepared.resolvedOptions,
            adapters: runsAdapters ? prepared.options.requestAdapters : [], credential: credential,
            authenticator: prepared.resolvedOptions.authenticator)
    }

    /// Whether the next hop carries the authenticator's credential.
    func needsCredential(_ adapted: HopRequest?) -> Bool {
        !isTrace && credentials?.isNeeded(for: adapted, hasAuthenticated: hasAuthenticated) == true
    }

    /// Sets the final form of the next hop.
    mutating func setFinalForm(_ adapted: HopRequest) {
        credentials?.setFinalForm(adapted)
        if adapted.url != request.url || adapted.method != request.method {
            var redirects = redirects
            redirects.change(to: adapted)
            knownRedirects = redirects
            if Origin(adapted.url) != Origin(request.url) { knownAuthentication = nil }
        }
        request = adapted
        request.credential = nil
    }

    /// Begins another attempt: its credential and its connection may each be replaced once again.
    mutating func beginAttempt() {
        credentials?.hasRepeated = false
        needsNewConnection = false
    }
}
