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
            let isKept = transfer.value.unusedFile != nil || transfer.value.cacheExchange != nil
            guard !isKept else { return .queue }
            guard isOurs else { return .serializationQueue }
            return isPlain ? .networkThread : .queue
        }
    }

    func process(into callbacks: inout CallbackRound) {
        let (taken, group) = state.takeTransfer()
        let transfer = taken ?? Box(.cancelledBeforeStart(state.plan.request))
        transfer.value.unusedFile?.keepOrRemove(canContinue: transfer.value.keepsUnusedFile)
        var outcome = makeOutcome(from: transfer)
        if outcome.error == nil, transfer.value.cacheExchange != nil { keepInCache(transfer.value) }
        if outcome.error?.code == .cancelled, let reason = state.details.cancelReason {
            outcome.error = reason
        }
        outcome.letGoOfFiles()
        if let file = outcome.downloadedFile, let placement = state.details.placement {
            if state.details.downloadReport != nil { finishProgress() }  // before the question
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

    /// Finishes once the downloaded file was moved, or the time limit has passed before a block said where it goes.
    /// Neither the question nor the move holds up the ends of others.
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

    /// Turns what arrived into an outcome. Without a serializer every complete response is taken.
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

    private func keepInCache(_ result: TransferResult) {
        guard let exchange = result.cacheExchange else { return }
        let block = state.plan.blocks.cacheResponse?.call
        exchange.keep(result) { response in block.map { $0(self, response) } ?? response }
    }

    /// After the operation is finished. The handlers' turn, and the batch's, is taken before the end lets others begin,
    /// so that their handlers come after these. The graph settles the dependents next, or before the first handler,
    /// whichever comes first: whoever is told of the end, by a handler, a waiter or the queue, may start a dependent.
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

    func tellEnd() {
        settleDependents()
        runEndHandlers()
    }

    /// Calls the handlers, once. They are taken out of the state, and let go, where they run, whoever else holds the
    /// operation: what a user's handler holds is released there too, never on the network thread.
    private func runEndHandlers() {
        let handlers = state.takeEndHandlers()
        handlers.completionBlock?()
        handlers.resultHandler?(self)
        handlers.handlers.visit { $0(self) }
        handlers.batchHandlers.visit { $0(self) }
    }
}

extension OperationOutcome {
    /// Adds to an error what its operation knows: the last request, the response, and how many attempts there were.
    fileprivate mutating func completeError(_ timeouts: ResolvedTimeouts) {
        guard var error else { return }
        let result = transfer.value
        if error.request == nil {  // else it is another operation's error, which a closure has thrown on
            error.request = result.request?.urlRequest
            let interval = error.request?.timeoutInterval ?? 0
            if let limit = error.timeLimit, let value = timeouts.value(of: limit, requestInterval: interval) {
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

    /// Moves the downloaded file to a name that nothing has; a file that cannot be moved is removed.
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

    /// Removes the downloaded file, for which there is no place.
    fileprivate mutating func removeFile(_ error: NetworkingError) {
        if let file = downloadedFile { try? FileManager.default.removeItem(at: file) }
        self.error = error
        (value, downloadedFile) = (nil, nil)
    }

    /// The files have become what they are to be: others may have them now.
    fileprivate mutating func letGoOfFiles() {
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
    /// The result of an operation that was cancelled before it was started.
    fileprivate static func cancelledBeforeStart(_ request: HTTPRequest?) -> TransferResult {
        TransferResult(
            request: request,
            error: NetworkingError(
                .cancelled, "the operation was cancelled before it started", request: request?.urlRequest))
    }
}
