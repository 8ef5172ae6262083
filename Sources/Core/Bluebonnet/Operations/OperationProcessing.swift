// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import FoundationNetworking

// The stages of an operation from the end of its transfers to its handlers.
extension RequestOperation: EndingOperation {
    func processingTarget(largeFrom byteCount: Int) -> ProcessingTarget {
        let (transfer, isOurs, isPlain) = state.processing
        guard let transfer else { return isPlain ? .networkThread : .queue }
        switch transfer.value.content {
        case .file(let file, _):
            let isQuick = transfer.value.receivedByteCount <= byteCount && !file.isSynced
            return isQuick ? .queue : .largeQueue
        case .memory(let data) where data.count > byteCount: return .largeQueue
        case .stream, .device: return .queue
        case .none, .memory:
            let isKept = transfer.value.unusedFile != nil || transfer.value.cacheWork != nil
            guard !isKept else { return transfer.value.cacheWork?.isQuick == false ? .largeQueue : .queue }
            guard isOurs else { return .serializationQueue }
            return isPlain ? .networkThread : .queue
        }
    }

    func process(into callbacks: inout CallbackRound) {
        let (taken, group) = state.removeTransfer()
        let transfer = taken ?? Box(.cancelledBeforeStart(state.plan.request))
        transfer.value.unusedFile?.keepOrRemove(canContinue: transfer.value.keepsUnusedFile)
        var outcome = makeOutcome(from: transfer)
        if let work = transfer.value.cacheWork { carryOut(work, transfer.value, outcome) }
        if outcome.error?.code == .cancelled, let reason = state.details.cancelReason {
            outcome.error = reason
        }
        outcome.unlockFiles()
        if let file = outcome.downloadedFile, let placement = state.details.placement {
            if state.details.downloadReport != nil { finishProgress() }  // before the placement block is called
            return finish(outcome, group, movingTo: { await placement(file, transfer.value.head) })
        }
        finish(outcome, group, into: &callbacks)
    }

    private func finish(_ outcome: OperationOutcome, _ group: DispatchGroup?, into callbacks: inout CallbackRound) {
        var outcome = outcome
        outcome.completeError(state.plan.options.timeouts)
        group?.enter()
        deliver(finish(with: Box(consume outcome)), into: &callbacks, group: group)
    }

    /// Finishes the operation after the downloaded file was moved, or when the time limit passes before a block has
    /// returned the destination. Neither the block nor the move delays the ends of other operations.
    private func finish(
        _ outcome: OperationOutcome, _ group: DispatchGroup?, movingTo ask: @escaping @Sendable () async -> URL?
    ) {
        let question = PlacementQuestion { [self] answer in
            var (moved, callbacks) = (outcome, CallbackRound(canBeOvertaken: true))
            switch answer {
            case .target(let target?): moved.moveFile(to: target)
            case .target: break
            case .limitPassed: moved.removeFile(.limitPassedPlacing)
            }
            finish(moved, group, into: &callbacks)
            callbacks.flush()
        }
        question.ask(ask, within: outcome.transfer.value.timeLeft, of: services)
    }

    /// Makes the outcome from the result of the transfers. Without a serializer every complete response is accepted.
    private func makeOutcome(from transfer: Box<TransferResult>) -> OperationOutcome {
        let result = transfer.value
        let (serializer, wantsDigest) = state.serialization
        if let serializer = result.serializer ?? serializer {
            return ResponseProcessing(
                serializer: serializer, expectedDigest: result.expectedDigest, wantsDigest: wantsDigest
            ).outcome(from: transfer)
        }
        if case .device(let device) = result.content, result.error == nil {
            return OperationOutcome(transfer, downloadedFile: device.place)
        }
        guard case .file(let file, let canContinue) = result.content else { return OperationOutcome(transfer) }
        guard result.error == nil else {
            file.keepOrRemove(canContinue: canContinue)
            return OperationOutcome(transfer)
        }
        do throws(NetworkingError) {
            return OperationOutcome(transfer, downloadedFile: try result.moveIntoPlace(file))
        } catch {
            file.keepOrRemove(canContinue: false)
            return OperationOutcome(transfer, error: error)
        }
    }

    /// Changes the cache. A response is stored if it is complete, even if its status is refused.
    private func carryOut(_ work: CacheWork, _ result: TransferResult, _ outcome: OperationOutcome) {
        let isWhole = result.error == nil && result.bodyError == nil
        let isKept = isWhole && (outcome.error == nil || outcome.error?.code == .unacceptableStatus)
        var arrived: CacheWork.Arrived?
        if isKept {
            switch result.content {
            case .memory(let data): arrived = .data(data)
            case .file(let file, _):
                if outcome.downloadedFile != nil { arrived = .file(file, byteCount: result.receivedByteCount) }
            case .none: arrived = .data(Data())
            case .stream, .device: arrived = work.streamed.map(CacheWork.Arrived.data)
            }
        }
        let block = state.plan.blocks.cacheResponse?.call
        let hasStored = work.carryOut(arrived, block.map { block in { block(self, $0) } })
        guard work.flight != nil || work.revalidation != nil else { return }
        NetworkThread.shared.submit {
            let flights = OperationRounds.process.value.flights
            if let key = work.revalidation { flights.endRevalidation(key) }
            guard let flight = work.flight else { return }
            if hasStored { flights.end(flight) } else { flights.handOver(flight, hasFailed: true) }
        }
    }

    /// Reports the end to handlers, dependents, the queue and waiters, after the operation is finished.
    ///
    /// The operation's handlers, including the batch's, are submitted before the end lets other operations begin, so
    /// that the handlers of those operations run later. The dependents are settled next by the graph, or before the
    /// first handler, whichever comes first: any handler, waiter or queue that is notified of the end may start a
    /// dependent.
    private func deliver(_ delivery: OperationDelivery, into callbacks: inout CallbackRound, group: DispatchGroup?) {
        if delivery.details?.value.downloadReport != nil { finishProgress() }
        let end = EndOfOperation(operation: self, group: group)
        let isInGraph = dependencyNode.end(hasFailed: delivery.hasFailed)
        if delivery.hasHandlers || group != nil {
            callbacks.add(on: delivery.callbackQueue ?? Queues.callbacks, end)
            if isInGraph || !delivery.waits.isEmpty { callbacks.flushBeforeOthersBegin() }
        }
        let consequences = isInGraph ? DependencyGraph.change { $0.finish(self) }.consequences : nil
        let holdsSlot = delivery.queue?.remove(self) ?? false
        if holdsSlot { callbacks.flushBeforeOthersBegin() }
        if let pipe = delivery.chunkPipe { pipe.finish(error.map(BodyPipe.End.failed) ?? .complete) }
        for wait in delivery.waits { wait.end(hasCome: true) }
        consequences?.carryOut()
        if holdsSlot { delivery.queue?.freeSlot() }
        if OperationNotification.finish.keep(about: self) { OperationNotification.schedule() }
    }

    func runHandlers() {
        settleDependents()
        runEndHandlers()
    }

    /// Calls the handlers once. They are removed from the state and released where they run, even if the operation is
    /// still referenced elsewhere: objects that the program's handlers capture are never released on the network
    /// thread.
    private func runEndHandlers() {
        let handlers = state.removeEndHandlers()
        handlers.completionBlock?()
        handlers.resultHandler?(self)
        handlers.handlers.visit { $0(self) }
        handlers.batchHandlers.visit { $0(self) }
    }
}

extension OperationOutcome {
    /// Completes an error with facts of the operation: the last request, the response, and the number of attempts.
    fileprivate mutating func completeError(_ timeouts: ResolvedTimeouts) {
        guard var error else { return }
        let result = transfer.value
        if error.request == nil {  // otherwise another operation's error, rethrown by a closure
            error.request = result.request?.urlRequest
            let interval = error.request?.timeoutInterval ?? 0
            let limits = result.options?.timeouts ?? timeouts  // the request may have been made with other options
            if let limit = error.timeLimit, let value = limits.value(of: limit, requestInterval: interval) {
                error.message += " (\(limit.rawValue) limit: \(value))"
            }
        }
        if error.response == nil { error.response = result.head?.urlResponse }
        error.transferCount = result.summary.transferCount
        error.retries = result.summary.retries
        if let head = result.head, let body = error.body, head.statusCode >= 400 {
            error.bodyExcerpt = head.excerpt(of: body)
        }
        if let words = result.retryStop?.words { error.message += "; " + words }
        self.error = error
    }

    /// Moves the downloaded file to a name that does not exist yet. A file that cannot be moved is removed.
    fileprivate mutating func moveFile(to target: URL) {
        guard let file = downloadedFile else { return }
        do {
            try FileManager.default.moveItem(at: file, toNew: target)
            (value, downloadedFile) = (target, target)
        } catch {
            let reason = "the download cannot be moved to \(target.path): \(error.localizedDescription)"
            removeFile(NetworkingError(.cannotWriteFile, reason, underlying: error))
        }
    }

    /// Removes the downloaded file, which has no destination.
    fileprivate mutating func removeFile(_ error: NetworkingError) {
        if let file = downloadedFile { try? FileManager.default.removeItem(at: file) }
        self.error = error
        (value, downloadedFile) = (nil, nil)
    }

    /// Unlocks the files: their contents are final, and other operations may use them.
    fileprivate mutating func unlockFiles() {
        switch transfer.value.content {
        case .file(let file, _):
            file.unlock()
            transfer = transfer.changed { $0.content = .none }
        case .device: transfer = transfer.changed { $0.content = .none }
        case .none, .memory, .stream: break
        }
        guard let unused = transfer.value.unusedFile else { return }
        unused.unlock()
        transfer = transfer.changed { $0.unusedFile = nil }
    }
}

extension TransferResult {
    /// Returns the result of an operation that was cancelled before it was started.
    fileprivate static func cancelledBeforeStart(_ request: HTTPRequest?) -> TransferResult {
        TransferResult(
            request: request,
            error: NetworkingError(
                .cancelled, "the operation was cancelled before it started", request: request?.urlRequest))
    }
}
