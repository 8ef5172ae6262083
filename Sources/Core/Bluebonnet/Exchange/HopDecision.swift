// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// What follows a response head.
enum HopDecision {
    /// The response is the result. `continues` tells whether its body goes on where an interrupted body stopped.
    case deliver(continues: Bool)
    /// The interrupted body was complete already: its head is the result's.
    case alreadyComplete
    /// Another hop follows, and nobody sees the body of this response.
    case send(Next)
    /// The user, or the credential storage, decides; meanwhile the body is not read.
    case ask(Question)
    case fail(NetworkingError)

    /// The next hop.
    enum Next {
        case redirect(HopRequest)
        /// The request again: with a credential, or to a server that was accepted.
        case sameRequest
        /// The request again, for the whole body: the answer to the range request fits nothing.
        case wholeBody
    }

    enum Question {
        /// The redirect block is shown the request that the redirect leads to.
        case redirect(HopRequest)
        /// The challenge block, where there is one, else the credential storage, if it may be looked up.
        case challenge(HTTPChallenge, mayLookUp: Bool)
        /// The response block is shown the head of the result; `continues` is that of `deliver`.
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

/// What remains of an interrupted body, as far as it decides about a response.
struct InterruptedBody {
    /// Nil when the whole body is requested.
    var resumption: RangeResumption?
    /// Whether the head of the interrupted response is known; else another process or operation received it.
    var hasHead = false
}

/// The requests of one exchange, hop by hop: what goes out next, and what follows each response head. A value; it sends
/// nothing, opens nothing and asks nobody.
struct HopChain {
    private let prepared: PreparedRequest
    /// The request of the next hop, or of the current one.
    private(set) var request: HopRequest
    /// Made at the first redirect.
    private var knownRedirects: RedirectChain?
    /// Made at the first challenge.
    private var knownAuthentication: HTTPAuthentication?
    /// Made at the first challenge of a proxy that forwards the request.
    private var proxyAuthentication: (proxy: Proxy, answers: HTTPAuthentication)?
    /// The hop that the redirect block was shown.
    private var proposed: HopRequest?
    /// Whether the server has said that the connection was not the right one for the request (421): the request goes
    /// over a new one, once.
    private(set) var needsNewConnection = false
    /// Nil without request adapters and an authenticator.
    private var credentials: HopCredentials?

    init(_ prepared: PreparedRequest) {
        self.prepared = prepared
        request = prepared.first
        if prepared.resolvedOptions.areRequestsAdapted { credentials = HopCredentials(prepared) }
    }

    /// How many redirects were followed.
    var redirectCount: Int { knownRedirects?.hopCount ?? 0 }

    /// Where the next hop goes; nil when its URL has no usable origin.
    var origin: Origin? {
        redirectCount == 0 && credentials?.adapted?.isAdapted != true ? prepared.origin : Origin(request.url)
    }

    /// Whether the server was given a credential.
    var hasAuthenticated: Bool { knownAuthentication?.hasAnswered == true }

    /// Whether the request may be sent twice; if so, a pause closes the connection.
    var canBeSentAgain: Bool {
        ["GET", "HEAD"].contains(request.method) && (prepared.bodyStream == nil || !request.hasBody)
    }

    /// Whether the server sends the request back as it came: no secret goes into it unasked (RFC 9110, 9.3.8).
    private var isTrace: Bool { request.method == "TRACE" }

    /// The jar, where it may be used for the current hop.
    var cookieJar: CookieJar? {
        guard let jar = prepared.options.cookieJar, prepared.request.handlesCookies, !isTrace else {
            return nil
        }
        let mayUse = CookieRules.mayUseJar(host: request.url.host ?? "", namesHost: request.headers["Host"] != nil)
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

    /// The fields of the next hop. Mutating because each Digest answer counts.
    ///
    /// - Parameter rangeFields: those that ask for the rest of a body.
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

    /// Goes to where a redirect leads.
    ///
    /// - Returns: whether that is another origin, which gets no credential and no client certificate.
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
    /// What follows a response to the current request.
    ///
    /// - Parameter canRepeatBody: whether the request's body can be sent from its start again.
    mutating func decision(
        on head: ResponseHead, _ body: InterruptedBody = InterruptedBody(),
        canRepeatBody: Bool = true
    ) -> HopDecision {
        // After Set-Cookie a redirect to a visited URL is allowed: the request now differs.
        if cookieJar != nil, head.hasField("set-cookie") {
            var redirects = redirects
            redirects.forgetVisits()
            knownRedirects = redirects
        }
        let hasAnswered = hasAuthenticated
        if credentials?.repeats(after: head, canRepeatBody: canRepeatBody, hasAuthenticated: hasAnswered) == true {
            return .send(.sameRequest)
        }
        if head.statusCode == 401, let decision = challengeDecision(on: head) { return decision }
        if head.statusCode == 407, canRepeatBody, answersProxy(of: head) { return .send(.sameRequest) }
        // The server has not acted on the request, whatever its method (RFC 9110, 15.5.20).
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

    /// What follows the response that a question was about.
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
            if authenticates({ $0.use(credential, for: challenge) }) { return .send(.sameRequest) }
        case .challenge(.performDefault, let challenge, let stored):
            if authenticates({ $0.useDefaultCredential(for: challenge) }) { return .send(.sameRequest) }
            if let stored, authenticates({ $0.use(stored, for: challenge) }) { return .send(.sameRequest) }
        }
        return resultDecision(on: head, body)
    }

    /// The decision on a response that neither redirects nor challenges.
    private func resultDecision(on head: ResponseHead, _ body: InterruptedBody) -> HopDecision {
        switch body.resumption?.decide(on: head) {
        case .askAgain?: .send(.wholeBody)
        case .isComplete?: body.hasHead ? .alreadyComplete : .send(.wholeBody)
        case .append?: .deliver(continues: true)
        case .startOver?, .unrelated?, nil: .deliver(continues: false)
        }
    }

    /// The decision on a 401 whose challenge can be answered; nil for any other.
    private mutating func challengeDecision(on head: ResponseHead) -> HopDecision? {
        let authentication = authentication
        guard !isTrace, let challenge = authentication.challenge(in: head.values(for: "WWW-Authenticate")) else {
            return nil
        }
        let hasBlock = prepared.blocks.challenge != nil
        let isStale = authentication.hasAnswered && challenge.isStale  // the credential was right
        if !hasBlock || isStale, authenticates({ $0.useDefaultCredential(for: challenge) }) {
            return .send(.sameRequest)
        }
        let mayLookUp =
            prepared.options.usesCredentialStorage && request.carriesCredentials && !authentication.hasAnswered
        guard hasBlock || mayLookUp else { return nil }
        return .ask(.challenge(challenge, mayLookUp: mayLookUp))
    }

    /// The proxy that reads the current hop's request, without a tunnel.
    private var forwardingProxy: Proxy? {
        guard let origin, !origin.isSecure else { return nil }
        return prepared.options.proxy(to: origin).flatMap { $0.forwardsRequests ? $0 : nil }
    }

    /// Answers a proxy that wants Digest. The answer to a Basic challenge went out with the request.
    private mutating func answersProxy(of head: ResponseHead) -> Bool {
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

    /// Tries a credential; the state is kept when it can be sent.
    private mutating func authenticates(_ use: (inout HTTPAuthentication) -> Bool) -> Bool {
        var authentication = authentication
        guard use(&authentication) else { return false }
        knownAuthentication = authentication
        return true
    }

    /// The challenge as the user sees it.
    func challenge(_ challenge: HTTPChallenge, in head: ResponseHead) -> AuthenticationChallenge {
        let authentication = authentication
        return AuthenticationChallenge(
            challenge, of: authentication.origin, previousFailureCount: authentication.tryCount,
            response: head.urlResponse)
    }
}

// MARK: - Redirects as requests

extension HopChain {
    /// The hop for a request that a block returned, checked like a caller's request. When it goes to another origin
    /// than the proposal, header fields of the proposed origin are dropped, as in any redirect.
    private mutating func checkedTarget(_ given: URLRequest) throws(NetworkingError) -> HopRequest {
        guard let proposed, let givenURL = given.url else {
            throw NetworkingError(.badURL, "the redirect block gave a request without a URL")
        }
        let options = prepared.options
        let url = options.keepsDotSegments ? givenURL : DotSegments.removed(from: givenURL) ?? givenURL
        try RequestCheck.check(url)
        let method = given.httpMethod ?? "GET"
        try RequestCheck.method(method)
        guard
            url.scheme?.lowercased() == "https" || request.url.scheme?.lowercased() == "http"
                || options.allowsInsecureRedirects
        else { throw NetworkingError(.redirectRefused, "the redirect block leads from https to http") }
        var hop = proposed
        if Origin(url) != Origin(proposed.url) { hop.leaveOrigin() }
        (hop.url, hop.method) = (url, method)
        if given.httpBody != proposed.body {
            hop.hasBody = given.httpBody?.isEmpty == false
            hop.body = hop.hasBody ? given.httpBody : nil
        }
        try hop.takeHeaders(of: given, changedFrom: proposed)
        return hop
    }
}

// MARK: - Request adapters and credentials

extension HopChain {
    /// The generation of the credential that the server has refused; nil when it has refused none.
    var refusedGeneration: Int? { credentials?.refusedGeneration }
    /// Why a refused request is not sent again.
    var credentialStop: RetryStop? { credentials?.stop }

    /// The work on the next hop of adapters and authenticator.
    ///
    /// - Parameters:
    ///   - adapted: what was done of it; nil before the adapters have run.
    ///   - credential: nil when none is to be applied.
    func adaptation(after adapted: HopRequest?, _ credential: HeldCredential?) -> Adaptation {
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

    /// The next hop goes out in this form.
    mutating func take(_ adapted: HopRequest) {
        credentials?.take(adapted)
        if adapted.url != request.url || adapted.method != request.method {
            var redirects = redirects
            redirects.change(to: adapted)
            knownRedirects = redirects
            if Origin(adapted.url) != Origin(request.url) { knownAuthentication = nil }
        }
        request = adapted
        request.credential = nil
    }

    /// Another attempt begins: its credential may be refused, and replaced, anew, and so may its connection.
    mutating func beginAttempt() {
        credentials?.hasRepeated = false
        needsNewConnection = false
    }
}
