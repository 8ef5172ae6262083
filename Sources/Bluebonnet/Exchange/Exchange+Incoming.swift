// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension Exchange {
    func receive(_ head: ResponseHead) throws(NetworkingError) {
        self.head = head
        disposition = try disposition(of: head)
        limitBody(of: head)
    }

    /// Limits how much is read of a body that is not the result.
    func limitBody(of head: ResponseHead) {
        switch disposition {
        case .discard: allowance = BodyAllowance(.connection, head, method: next.method, now: MonotonicClock.now())
        case .errorBody: allowance = BodyAllowance(.error, head, method: next.method, now: MonotonicClock.now())
        case .undecided, .awaitingDecision, .body, .failed: allowance = nil
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) -> BodyIntake {
        switch disposition {
        case .undecided: return .taken
        case .awaitingDecision: return .wouldBlock
        case .failed(let error): throw error
        case .discard:
            allowance?.receive(bytes.count, now: MonotonicClock.roughly())
            guard allowance?.isUsedUp != true else {
                throw NetworkingError(.cancelled, "the rest of a body that nobody sees was not read")
            }
            return .taken
        case .body(let receiver): return try receive(bytes, receiver)
        case .errorBody(let receiver):
            allowance?.receive(bytes.count, now: MonotonicClock.roughly())
            return try receive(bytes, receiver)
        }
    }

    private func receive(
        _ bytes: UnsafeRawBufferPointer, _ receiver: BodyReceiver
    ) throws(NetworkingError) -> BodyIntake {
        guard receiver.sink.hasRoom else { return .wouldBlock }
        let before = receiver.sink.byteCount
        try receiver.receive(bytes)
        noteReceived(Int(receiver.sink.byteCount - before))
        return .taken
    }

    private func disposition(of head: ResponseHead) throws(NetworkingError) -> BodyDisposition {
        // After Set-Cookie a redirect to a visited URL is allowed: the request now differs.
        if cookieJar != nil, head.hasField("set-cookie") {
            redirects.forgetVisits()
        }
        guard (300...399).contains(head.status) else {
            if let disposition = challengeDisposition(of: head) { return disposition }
            return try resultDisposition(of: head)
        }
        switch redirects.decision(status: head.status, locations: head.locations) {
        case .fail(let error): throw error
        case .follow(let request):
            return blocks.redirect.map { ask(about: request, head, $0) } ?? .discard(.redirect(request))
        case .deliver:
            return try resultDisposition(of: head)
        }
    }

    /// The disposition of a response that neither redirects nor challenges.
    func resultDisposition(of head: ResponseHead) throws(NetworkingError) -> BodyDisposition {
        let decision = assembly.decision(on: head)
        switch decision {
        case .askAgain?: return .discard(.startAgain)
        case .isComplete?: return .discard(assembly.interruptedHead == nil ? .startAgain : .isComplete)
        case .append?, .startOver?, .unrelated?, nil: break
        }
        let hasBody = head.hasBody(for: next.method)
        let destination = operation.bodyDestination(ofStatus: decision == .append ? 200 : head.status)
        if destination == .error { return errorDisposition(of: head, hasBody: hasBody) }
        let receiver = try assembly.receiver(
            for: head, hasBody: hasBody, isPartWanted: head.status == 206 && next.headers["Range"] != nil,
            hasOutput: destination == .output)
        download.restart(at: receiver.sink.byteCount)
        return .body(receiver)
    }

    /// The disposition of a response whose status is refused.
    private func errorDisposition(of head: ResponseHead, hasBody: Bool) -> BodyDisposition {
        let (receiver, fault) = assembly.errorReceiver(for: head, hasBody: hasBody)
        bodyError = fault
        download.restart(at: 0)
        return .errorBody(receiver)
    }

    /// The disposition of a 401 whose challenge can be answered; nil for any other response.
    private func challengeDisposition(of head: ResponseHead) -> BodyDisposition? {
        guard head.status == 401, let challenge = authentication.challenge(in: head.values(for: "WWW-Authenticate"))
        else { return nil }
        let isStale = authentication.hasAnswered && challenge.isStale  // the credential was right
        if blocks.challenge == nil || isStale, authentication.useDefaultCredential(for: challenge) {
            return .discard(.challenge)
        }
        let mayLookUp = options.usesCredentialStorage && next.carriesCredentials && authentication.tryCount == 0
        guard blocks.challenge != nil || mayLookUp else { return nil }
        return ask(about: challenge, head, mayLookUp: mayLookUp)
    }
}
