// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// Calls the program's blocks for one hop sequence. The blocks run off the network thread while the transfer waits for
/// the answer. Part of its hop sequence; network thread only.
struct HopQuestions {
    /// A block's answer.
    enum Answer: Sendable {
        case hop(HopDecision.Answer)
        case serverTrust(ServerTrustAnswer, ServerTrustQuestion)

        /// Discards the file that was opened for a late answer.
        func giveUp() {
            if case .hop(.response(let answer, _)) = self { answer.giveUp() }
        }
    }

    private let prepared: PreparedRequest
    private let reference: OwnerReference
    /// The number of the last question. An answer to an earlier question is late.
    private(set) var number = 0
    /// The answers of the server-trust block; nil without such a block.
    private(set) var trustAnswers: TrustAnswers?
    /// Whether the response block has not been called yet. It is called once, for the response that is the result.
    private(set) var asksAboutResponse: Bool
    /// Whether the block was called for a refused response that is kept until the retry decision.
    private var wasAskedAboutUndecided = false

    init(_ prepared: PreparedRequest, owner reference: OwnerReference) {
        (self.prepared, self.reference) = (prepared, reference)
        trustAnswers = prepared.blocks.serverTrust == nil ? nil : TrustAnswers()
        asksAboutResponse = prepared.asksAboutResponse
    }

    /// Asks what follows a response head: calls a block, or queries the credential storage.
    mutating func ask(_ question: HopDecision.Question, about head: ResponseHead, in hops: HopChain) {
        switch question {
        case .redirect(let target):
            guard let block = prepared.blocks.redirect?.call else {
                preconditionFailure("no block decides about redirects")
            }
            let proposal = target.urlRequest
            ask { owner in
                guard let response = head.urlResponse else { return .hop(.follow(proposal)) }
                return .hop(await block(owner, proposal, response).map(HopDecision.Answer.follow) ?? .deliver)
            }
        case .challenge(let challenge, let mayLookUp):
            let shown = hops.challenge(challenge, in: head)
            let block = prepared.blocks.challenge?.call
            ask { owner in
                let stored = mayLookUp ? shown.storedCredential : nil
                let answer = await block?(owner, shown) ?? .performDefault
                return .hop(.challenge(answer, challenge, stored: stored))
            }
        case .response(let continues):
            guard let block = prepared.blocks.response?.call else { preconditionFailure("no block asks for a head") }
            let status = continues ? 200 : head.statusCode
            ask { [prepared] owner in
                let isAccepted = prepared.bodyDestination(ofStatus: status) == .output
                let disposition = await block(owner, head, continues)
                let answer = ResponseAnswer(disposition, to: prepared, isAccepted: isAccepted)
                return .hop(.response(answer, continues: continues))
            }
        }
    }

    /// Records that the response block has answered.
    mutating func recordResponseAnswer() { (asksAboutResponse, wasAskedAboutUndecided) = (false, false) }

    /// Records whether the response is kept until the retry decision.
    mutating func recordDecision(isUndecided: Bool) { wasAskedAboutUndecided = isUndecided }

    /// Begins another attempt: the response that the block was called for is not the result.
    mutating func beginAttempt() {
        if wasAskedAboutUndecided { (asksAboutResponse, wasAskedAboutUndecided) = (true, false) }
    }

    /// Calls the block about a server. The handshake was aborted, and is repeated with the answer.
    mutating func ask(about question: ServerTrustQuestion) throws(NetworkingError) {
        guard let block = prepared.blocks.serverTrust?.call, let answers = trustAnswers?.answers else {
            preconditionFailure("no block decides about server trust")
        }
        guard answers.count < TrustAnswers.limit else {
            throw NetworkingError(
                .serverNotTrusted,
                "\(question.challenge.host) presented different certificates \(TrustAnswers.limit) times")
        }
        ask { .serverTrust(await block($0, question.challenge), question) }
    }

    /// Stores the block's answer about a server for the next handshake.
    mutating func store(_ answer: ServerTrustAnswer, to question: ServerTrustQuestion) throws(NetworkingError) {
        switch answer {
        case .accept: trustAnswers?.answers[question.key] = .accept
        case .performDefault:
            if let refusal = question.challenge.policyRefusal { throw refusal }
            trustAnswers?.answers[question.key] = .performDefault
        case .refuse:
            let host = question.challenge.host
            throw NetworkingError(.serverNotTrusted, "the server-trust block refused \(host)")
        }
    }

    /// Calls the handler of report-only pins.
    func report(_ violation: PinViolation) {
        if let owner = reference.owner { prepared.blocks.pinViolation?.call(owner, violation) }
    }

    private mutating func ask(_ question: @escaping @Sendable (any HopSequenceOwner) async -> Answer) {
        guard let owner = reference.owner else { return }
        number += 1
        Task { [owner, number] in
            let answer = await question(owner)
            NetworkThread.shared.submit { owner.handle(.answered(answer, question: number)) }
        }
    }
}

@available(*, unavailable)
extension HopQuestions: Sendable {}
