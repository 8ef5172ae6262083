// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension Exchange {
    /// A body that nobody wants is read to its end, to keep the connection, up to this size.
    static let discardLimit = 64 * 1024

    func receive(_ head: ResponseHead) throws(NetworkingError) {
        self.head = head
        role = try role(of: head)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) -> BodyIntake {
        switch role {
        case .undecided: return .taken
        case .asking: return .later
        case .failed(let error): throw error
        case .discard:
            discardedByteCount += bytes.count
            guard discardedByteCount <= Self.discardLimit else {
                throw NetworkingError(.cancelled, "the rest of a body that nobody wants was not read")
            }
            return .taken
        case .body(let receiver):
            guard receiver.sink.hasRoom else { return .later }
            let before = receiver.sink.byteCount
            try receiver.receive(bytes)
            noteReceived(Int(receiver.sink.byteCount - before))
            return .taken
        }
    }

    private func role(of head: ResponseHead) throws(NetworkingError) -> Role {
        // A page that sets a cookie and sends its reader back to itself is no circle: the next request is another one.
        if cookieJar != nil, head.hasField("set-cookie") {
            redirects.forgetVisits()
        }
        guard (300...399).contains(head.status) else {
            if let role = challengeRole(of: head) { return role }
            return try resultRole(of: head)
        }
        switch redirects.decision(status: head.status, locations: head.locations) {
        case .fail(let error): throw error
        case .follow(let request):
            return blocks.redirect.map { ask(about: request, $0, head) } ?? .discard(.redirect(request))
        case .deliver:
            return try resultRole(of: head)
        }
    }

    /// What a response is for that leads nowhere else.
    func resultRole(of head: ResponseHead) throws(NetworkingError) -> Role {
        switch reception.decision(on: head) {
        case .askAgain?: return .discard(.startAgain)
        case .isComplete?: return .discard(reception.interruptedHead == nil ? .startAgain : .isComplete)
        case .append?, .startOver?, .unrelated?, nil: break
        }
        let receiver = try reception.receiver(
            for: head, hasBody: head.hasBody(for: next.method),
            isPartWanted: head.status == 206 && next.headers["Range"] != nil,
            isAccepted: operation.acceptsForOutput(status: head.status))
        download.restart(at: receiver.sink.byteCount)
        return .body(receiver)
    }

    /// What a 401 is for whose challenge can be answered; nil for any other response.
    private func challengeRole(of head: ResponseHead) -> Role? {
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
