// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

extension Exchange {
    /// Decides what follows the end of a transfer. Where the response's head has decided it, an error in the body does
    /// not matter.
    ///
    /// - Parameter hasTimeLeft: whether the time limit allows another transfer.
    func finishTransfer(error: NetworkingError?, hasTimeLeft: Bool) -> NextStep {
        if let question = error?.underlying as? ServerTrustQuestion { return ask(about: question) }
        switch disposition {
        case .awaitingDecision:
            if let error, !hasTimeLeft { return .failed(error) }
            transferError = error
            return .pending
        case .failed(let error): return .failed(error)
        case .discard(let discarded):
            if let error, !hasTimeLeft, discarded.leadsOn { return .failed(error) }
            return takeStep(discarded)
        case .errorBody(let receiver):
            bodyError = bodyError ?? error ?? Self.fault(in: receiver)
            return .complete
        case .body(let receiver) where error == nil:
            do throws(NetworkingError) {
                try receiver.finish()
                try assembly.checkLength()
                return .complete
            } catch {
                return .failed(error)
            }
        case .undecided, .body: return step(after: error)
        }
    }

    /// What is wrong with a body that has ended as its framing says.
    private static func fault(in receiver: BodyReceiver) -> NetworkingError? {
        do throws(NetworkingError) {
            try receiver.finish()
            return nil
        } catch {
            return error
        }
    }

    /// Sends a streamed body once more when the connection was closed before the server can have read the request.
    /// libcurl does so by itself for other bodies.
    private func step(after error: NetworkingError?) -> NextStep {
        guard let error else { return .complete }
        guard error.underlying is BodyNeededAgain, !hasSentAgain else { return .failed(error) }
        hasSentAgain = true
        return .another(isRedirect: false)
    }

    private func takeStep(_ discarded: Discarded) -> NextStep {
        switch discarded {
        case .redirect(let request):
            if let refusal = options.securityPolicy.refusal(ofHost: Origin(request.url)?.host ?? "") {
                return .failed(refusal)
            }
            redirects.follow(request)
            if Origin(request.url) != Origin(next.url), let origin = Origin(request.url) {
                authentication = HTTPAuthentication(credential: nil, origin: origin)
                tls.leaveOrigin()
            }
            next = request
            return .another(isRedirect: true)
        case .challenge: return .another(isRedirect: false)
        case .startAgain:
            assembly.startOver()
            return .another(isRedirect: false)
        case .isComplete:
            head = assembly.interruptedHead
            return .complete
        }
    }

    /// A pause aborted the transfer. A later answer of a block about it is ignored.
    func noteInterruption() {
        if case .body = disposition, let head { assembly.noteInterruption(of: head) }
        disposition = .undecided
    }

    /// The part of the body that has arrived, for an archive.
    var snapshot: BodyAssembly.Snapshot {
        if case .body = disposition { return assembly.snapshot(of: head) }
        return assembly.snapshot(of: nil)
    }

    /// The result of the operation's transfers.
    func result(_ error: NetworkingError?, _ summary: TransferSummary, _ cache: CacheExchange?) -> TransferResult {
        giveUpBody()
        let end = assembly.end(isComplete: error == nil)
        return TransferResult(  // made at once: a large value that is filled in is copied once more
            request: hopCount > 0 ? urlRequest(for: next) : prepared.request, head: head, content: end.content,
            error: error, bodyError: bodyError, receivedByteCount: end.byteCount, isContinued: end.isContinued,
            isCredentialRefused: head?.status == 401 && knownAuthentication?.hasAnswered == true,
            unusedFile: end.unusedFile, keepsUnusedFile: end.unusedFile != nil && end.canBeContinued,
            summary: summary, cacheExchange: cache)
    }
}
