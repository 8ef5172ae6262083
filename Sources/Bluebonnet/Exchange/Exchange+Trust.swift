// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// The user's block decides about a server: the handshake was aborted, and is made again with the answer.
extension Exchange {
    /// Asks the block.
    func ask(about question: ServerTrustQuestion) -> NextStep {
        guard let block = blocks.serverTrust else { preconditionFailure("nobody is there to decide about a server") }
        guard let answers = trustAnswers?.answers, answers.count < TrustAnswers.limit else {
            return .failed(
                NetworkingError(
                    .serverNotTrusted,
                    "\(question.challenge.host) showed other certificates each of \(TrustAnswers.limit) times"))
        }
        disposition = ask { .serverTrust(await block(question.challenge), question) }
        return .pending
    }

    /// What follows from the block's answer.
    func take(_ answer: ServerTrustAnswer, to question: ServerTrustQuestion) -> BodyDisposition {
        switch answer {
        case .accept: trustAnswers?.answers[question.key] = .accept
        case .performDefault:
            if let refusal = question.challenge.policyRefusal { return .failed(refusal) }
            trustAnswers?.answers[question.key] = .performDefault
        case .refuse:
            let host = question.challenge.host
            return .failed(NetworkingError(.serverNotTrusted, "the server-trust block refused \(host)"))
        }
        return .discard(.challenge)
    }
}
