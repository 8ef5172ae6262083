// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

// Questions to the user's blocks, which run off the network thread while the response waits for the answer.
extension Exchange {
    /// A block's answer.
    enum Answer: Sendable {
        case follow(URLRequest)
        /// The redirect is the result.
        case deliver
        case challenge(ChallengeAnswer, HTTPChallenge, stored: URLCredential?)
        case serverTrust(ServerTrustAnswer, ServerTrustQuestion)
    }

    /// Asks the redirect block which request to send.
    func ask(
        about request: RedirectPolicy.Request, _ head: ResponseHead,
        _ block: @escaping @Sendable (URLRequest, HTTPURLResponse) async -> URLRequest?
    ) -> BodyDisposition {
        let proposal = urlRequest(for: request)
        proposed = request
        return ask {
            guard let response = try? head.urlResponse() else { return .follow(proposal) }
            return await block(proposal, response).map(Answer.follow) ?? .deliver
        }
    }

    /// Asks the challenge block, or the credential storage, what to answer.
    func ask(about challenge: HTTPChallenge, _ head: ResponseHead, mayLookUp: Bool) -> BodyDisposition {
        let question = AuthenticationChallenge(
            challenge, of: authentication.origin, previousFailureCount: authentication.tryCount,
            response: try? head.urlResponse())
        let block = blocks.challenge
        return ask {
            let stored = mayLookUp ? question.storedCredential : nil
            guard let block else { return .challenge(.performDefault, challenge, stored: stored) }
            return .challenge(await block(question), challenge, stored: stored)
        }
    }

    func ask(_ question: @escaping @Sendable () async -> Answer) -> BodyDisposition {
        questionCount += 1
        let number = questionCount
        Task { [operation] in
            let answer = await question()
            NetworkThread.shared.submit { operation.answered(answer, toQuestion: number) }
        }
        return .awaitingDecision
    }

    /// Takes an answer; false when it comes too late, because a pause aborted the transfer.
    func take(_ answer: Answer, toQuestion number: Int) -> Bool {
        guard number == questionCount, case .awaitingDecision = disposition else { return false }
        if case .serverTrust(let answer, let question) = answer {
            disposition = take(answer, to: question)
            return true
        }
        guard let head else { return false }
        do throws(NetworkingError) {
            disposition = try disposition(after: answer, of: head)
        } catch {
            disposition = .failed(error)
        }
        limitBody(of: head)
        return true
    }

    private func disposition(after answer: Answer, of head: ResponseHead) throws(NetworkingError) -> BodyDisposition {
        switch answer {
        case .deliver: return try resultDisposition(of: head)
        case .follow(let request): return .discard(.redirect(try redirectRequest(request)))
        case .challenge(.cancel, _, _):
            throw NetworkingError(.authenticationRequired, "the challenge of \(head.url.host ?? "") was cancelled")
        case .challenge(.useCredential(let credential), let challenge, _):
            guard authentication.use(credential, for: challenge) else { return try resultDisposition(of: head) }
            return .discard(.challenge)
        case .challenge(.performDefault, let challenge, let stored):
            if authentication.useDefaultCredential(for: challenge) { return .discard(.challenge) }
            guard let stored, authentication.use(stored, for: challenge) else { return try resultDisposition(of: head) }
            return .discard(.challenge)
        case .serverTrust: preconditionFailure("a server is judged before it answers")
        }
    }
}

// MARK: - Redirects as requests

extension Exchange {
    /// The request of a hop as a `URLRequest`.
    func urlRequest(for hop: RedirectPolicy.Request) -> URLRequest {
        var request = URLRequest(url: hop.url)
        request.httpMethod = hop.method
        for field in hop.headers.fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        if hop.hasBody { request.httpBody = replacedBody ?? prepared.request.httpBody }
        return request
    }

    /// The hop for a request that a block returned, checked like a caller's request. When it goes to another origin
    /// than the proposal, header fields of the proposed origin are dropped, as in any redirect.
    private func redirectRequest(_ request: URLRequest) throws(NetworkingError) -> RedirectPolicy.Request {
        guard let proposed, let given = request.url else {
            throw NetworkingError(.badURL, "the redirect block gave a request without a URL")
        }
        let url = options.keepsDotSegments ? given : DotSegments.removed(from: given) ?? given
        try RequestCheck.check(url)
        let method = request.httpMethod ?? "GET"
        try RequestCheck.method(method)
        guard
            url.scheme?.lowercased() == "https" || next.url.scheme?.lowercased() == "http"
                || options.allowsInsecureRedirects
        else { throw NetworkingError(.redirectRefused, "the redirect block leads from https to http") }
        var hop = proposed
        if Origin(url) != Origin(proposed.url) { hop.leaveOrigin() }
        hop.url = url
        hop.method = method
        try takeBody(of: request, proposed, into: &hop)
        try takeHeaders(of: request, proposed, into: &hop)
        return hop
    }

    private func takeBody(
        of request: URLRequest, _ proposed: RedirectPolicy.Request, into hop: inout RedirectPolicy.Request
    ) throws(NetworkingError) {
        guard request.httpBody != urlRequest(for: proposed).httpBody else { return }
        replacedBody = request.httpBody
        hop.hasBody = request.httpBody?.isEmpty == false
    }

    /// Applies the block's header fields to the proposal: changed fields replace the proposal's, removed fields are
    /// removed.
    private func takeHeaders(
        of request: URLRequest, _ proposed: RedirectPolicy.Request, into hop: inout RedirectPolicy.Request
    ) throws(NetworkingError) {
        let given = request.allHTTPHeaderFields ?? [:]
        let length = hop.hasBody ? nil : Int64(0)
        for field in try RequestCheck.fields(given.map { (name: $0.key, value: $0.value) }, bodyByteCount: length).sent
        where proposed.headers[field.name] != field.value {
            hop.headers[field.name] = field.value
        }
        hop.headers.keep { name in given.keys.contains { FieldSyntax.isSameName($0, name) } }
    }
}
