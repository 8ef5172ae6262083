// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension HopSequence {
    /// Ends the hop sequence after its owner was released. The received part of the body is kept or removed as after a
    /// failure.
    func abandon() {
        let result = result(
            NetworkingError(.cancelled, "the operation was released"), TransferSummary(), nil, nil)
        Queues.processing.async { result.leaveFiles() }
    }
}

// MARK: - The consumer of a streamed body

extension HopSequence {
    /// The error of the consumer.
    var consumerError: NetworkingError { assembly.consumerError }

    /// The sink whose body is still being written after the end of the transfer; nil if there is nothing to wait for.
    var sinkToClose: (any BodySink)? { assembly.sink.flatMap { $0.closesLater ? $0 : nil } }

    /// The sink of an output file that is still being written.
    var fileBeingWritten: FileSink? { (assembly.sink as? FileSink).flatMap { $0.isBeingWritten ? $0 : nil } }
}

// MARK: - Attempts

extension HopSequence {
    /// Returns the facts of the attempt that has failed, with an error or with the refused response.
    func failedAttempt(error: NetworkingError?, evidence: DeliveryCertainty, number: Int) -> FailedAttempt {
        let end: FailedAttempt.End =
            if let error {
                .error(error.code, error.timeLimit)
            } else {
                .response(status: incoming.head?.statusCode ?? 0, headers: incoming.head?.headers ?? HeaderFields())
            }
        return FailedAttempt(
            number: number, method: hops.request.method, end: end, evidence: evidence,
            hasIdempotencyKey: hops.request.headers.hasIdempotencyKey,
            isBodyCutShort: error != nil && incoming.isResult, isRefusedByProxy: error?.isRefusedByProxy == true,
            canRepeatBody: outgoing.canRepeatBody(of: hops),
            canRenewOutput: assembly.canBeRenewed(incoming.isResult ? incoming.head : nil))
    }

    /// The error that represents the refused response.
    var refusalError: NetworkingError { incoming.refusalError(of: hops.lastRequest) }

    /// The received part of the body, for an archive.
    var snapshot: BodyAssembly.Snapshot { assembly.snapshot(of: incoming.isResult ? incoming.head : nil) }
}

// MARK: - Request adapters and credentials

extension HopSequence {
    /// Returns the remaining work of adapters and authenticator on the next hop; `adapted` is the finished part.
    func adaptation(after adapted: HopRequest?, _ credential: CurrentCredential?) -> Adaptation {
        hops.adaptation(after: adapted, credential)
    }

    /// Whether the next hop carries the authenticator's credential.
    func needsCredential(_ adapted: HopRequest?) -> Bool { hops.needsCredential(adapted) }

    /// The generation of the credential that the server has refused; nil if it has refused no credential.
    var refusedGeneration: Int? { hops.refusedGeneration }

    /// Sets the final form of the next hop.
    func setFinalForm(_ adapted: HopRequest) { hops.setFinalForm(adapted) }
}
