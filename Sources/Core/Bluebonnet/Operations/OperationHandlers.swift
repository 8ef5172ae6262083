// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Dispatch
public import Foundation

/// State that few operations need; other operations use no memory for it.
struct OperationDetails: Sendable {
    var userInfo: [String: any Sendable] = [:]
    /// Called once, when the operation is first started, on the thread that starts it. It must be short.
    var startHandler: (@Sendable (RequestOperation) -> Void)?
    var uploadProgress: RequestOperation.ProgressHandler?
    var downloadProgress: RequestOperation.ProgressHandler?
    /// How much of the request body was sent.
    var sent = ByteProgress()
    /// Made when first requested.
    var uploadReport: Progress?
    var downloadReport: Progress?
    /// A phrase for the first failure of the chain, if the operation was skipped.
    var skipCause: String?
    /// Why the library cancelled the operation; nil if the program cancelled it.
    var cancelReason: NetworkingError?
    /// Returns the destination of a complete download.
    var placement: RequestOperation.Placement?

    var hasProgressHandlers: Bool { uploadProgress != nil || downloadProgress != nil }
    /// Whether there are objects of the program that are released at the end.
    var hasHandlers: Bool { hasProgressHandlers || placement != nil }
    /// Whether the end calls or releases objects of the program that are stored here.
    var hasUserObjects: Bool { hasHandlers || !userInfo.isEmpty }
}

/// The handlers of an operation. They run once after the operation is finished, in this order, and are then released.
struct EndHandlers: Sendable {
    private(set) var completionBlock: (@Sendable () -> Void)?
    /// The program's success and failure handlers.
    private(set) var resultHandler: RequestOperation.CompletionHandler?
    private(set) var handlers = InlineList<RequestOperation.CompletionHandler>()
    /// The batch's handlers, which run after all handlers of the program.
    private(set) var batchHandlers = InlineList<RequestOperation.CompletionHandler>()
    private var waits: [TaskWait] = []
    /// Whether the end was delivered. A handler that is added later runs at once, or together with the others if those
    /// were submitted but have not been called yet.
    private(set) var isDelivered = false
    private var wereSubmitted = false

    /// The block as the program sees it: a block that is about to run can no longer be read or replaced.
    var settableCompletionBlock: (@Sendable () -> Void)? { isDelivered ? nil : completionBlock }

    /// - Returns: the block that was replaced, to be released outside a lock.
    mutating func setCompletionBlock(_ block: (@Sendable () -> Void)?) -> (@Sendable () -> Void)? {
        guard !isDelivered else { return nil }
        defer { completionBlock = block }
        return completionBlock
    }

    /// Sets the result handler. Returns false if it has to be called separately, after the others. The replaced handler
    /// must be released outside a lock.
    mutating func setResultHandler(
        _ handler: @escaping RequestOperation.CompletionHandler, replaced: inout RequestOperation.CompletionHandler?
    ) -> Bool {
        guard !isDelivered || wereSubmitted else { return false }
        replaced = resultHandler
        resultHandler = handler
        return true
    }

    /// Stores a handler. Returns false if it has to be called separately, after the others.
    mutating func add(_ handler: @escaping RequestOperation.CompletionHandler, isBatchs: Bool) -> Bool {
        guard !isDelivered || wereSubmitted else { return false }
        if isBatchs { batchHandlers.append(handler) } else { handlers.append(handler) }
        return true
    }

    /// Stores a `TaskWait`. Returns false if the end was delivered. A finished operation may still have waits for a
    /// moment: delivery takes them after the state has changed.
    mutating func add(_ wait: TaskWait) -> Bool {
        if !isDelivered { waits.append(wait) }
        return !isDelivered
    }

    /// Removes a `TaskWait` whose task gave up.
    mutating func remove(_ wait: TaskWait) { waits.removeAll { $0 === wait } }

    /// Marks the end as delivered.
    ///
    /// - Returns: whether there are handlers to call.
    mutating func deliver() -> Bool {
        wereSubmitted =
            completionBlock != nil || resultHandler != nil || !handlers.isEmpty || !batchHandlers.isEmpty
        isDelivered = true
        return wereSubmitted
    }

    mutating func removeTaskWaits() -> [TaskWait] {
        if waits.isEmpty { return [] }
        defer { waits = [] }
        return waits
    }

    /// Removes and returns the handlers when they are called.
    mutating func removeToCall() -> EndHandlers {
        wereSubmitted = false
        return removeAll()
    }

    /// Removes and returns the handlers of an operation, whether they are called or not.
    mutating func removeAll() -> EndHandlers {
        let removed = self
        (completionBlock, resultHandler) = (nil, nil)
        (handlers, batchHandlers) = (InlineList(), InlineList())
        return removed
    }
}

/// Everything that is notified and released when an operation is finished, outside the lock.
struct OperationDelivery {
    let waits: [TaskWait]
    let hasFailed: Bool
    let queue: RequestOperationQueue?
    let callbackQueue: DispatchQueue?
    let hasHandlers: Bool
    let details: Box<OperationDetails>?
    let chunkPipe: BodyPipe?
    /// The recipe that made the request, if the request was made at the start.
    let recipe: RequestPlan.Recipe?
}

/// Where and when an operation waits and runs. Instants are of the monotonic clock; 0 before.
struct OperationSchedule: Sendable {
    /// The flow of the operation's batch in fair queueing; 0 without a batch.
    var flow = 0
    /// The queue that is notified when the operation becomes ready or finished; retained until then, as in Foundation.
    var queue: RequestOperationQueue?
    /// The batch's policy for failed dependencies, which overrides the policies of the edges.
    var dependencyPolicy: FailedDependencyPolicy?
    /// When the operation was added to its queue; 0 without a queue.
    var enqueueInstant: UInt64 = 0
    /// When the operation became ready in its queue; 0 without a queue.
    var readyInstant: UInt64 = 0
    /// How long the operation was paused before its start, in nanoseconds.
    var pausedTime: UInt64 = 0
    var pauseInstant: UInt64 = 0
    var startInstant: UInt64 = 0
    var finishInstant: UInt64 = 0

    /// The operation's flow in fair queueing: its batch's, else its queue's, else 0.
    var flowID: Int { flow != 0 ? flow : queue?.number ?? 0 }

    /// When the operation could first run; 0 before.
    var began: UInt64 { readyInstant != 0 ? readyInstant : startInstant }

    /// The operation's time before its first slot.
    var firstWait: FirstWait {
        FirstWait(enqueuedAt: enqueueInstant, readyAt: readyInstant, pausedTime: pausedTime)
    }

    /// Records that a pause before the start has begun or ended.
    mutating func recordPause(_ isPaused: Bool, now: UInt64) {
        if isPaused { pauseInstant = now } else if pauseInstant != 0 { pausedTime += now - pauseInstant }
    }
}

extension RequestOperation {
    /// Called with the bytes since the last call, the bytes so far, and the bytes expected (-1 if unknown).
    public typealias ProgressHandler = @Sendable (_ byteCount: Int64, _ total: Int64, _ expected: Int64) -> Void

    package typealias CompletionHandler = @Sendable (RequestOperation) -> Void

    /// Returns the destination of a complete download; nil leaves the file where it is. Called in a Swift task.
    typealias Placement = @Sendable (_ file: URL, _ head: ResponseHead?) async -> URL?

    /// The queue on which handlers run. Default nil: the library's serial queue `org.bluebonnet.callbacks`. A
    /// concurrent queue does not preserve the order of handlers. Use `.main` only in a program that runs its main
    /// queue.
    public var completionQueue: DispatchQueue? {
        get { state.completion.queue }
        set { state.changeCompletion { $0.queue = newValue } }
    }

    /// A group that is entered before the operation is finished and left when its completion handlers have run. Default
    /// nil.
    public var completionGroup: DispatchGroup? {
        get { state.completion.group }
        set { state.changeCompletion { $0.group = newValue } }
    }

    /// The queue on which handlers run.
    var handlerQueue: DispatchQueue { completionQueue ?? Queues.callbacks }

    /// The handler that is called on `completionQueue` while body bytes are sent, a few times per second and at the
    /// end. It may be set at any time before the end, and is then released. Default nil.
    public var onUploadProgress: ProgressHandler? {
        get { state.details.uploadProgress }
        set { state.changeDetails(onlyBeforeEnd: true) { $0.uploadProgress = newValue } }
    }

    /// The handler that is called on `completionQueue` while body bytes arrive, a few times per second and at the end.
    /// Bytes are counted after decoding. The handler may be set at any time before the end, and is then released.
    /// Default nil.
    public var onDownloadProgress: ProgressHandler? {
        get { state.details.downloadProgress }
        set { state.changeDetails(onlyBeforeEnd: true) { $0.downloadProgress = newValue } }
    }

    /// Sets the block that returns the destination of a complete download, before the operation is finished. The file
    /// is moved on a queue that may block. An existing file is not replaced: the operation fails with
    /// `cannotWriteFile`, and the downloaded file is removed.
    func setPlacement(_ placement: @escaping Placement) {
        state.changeDetails(onlyBeforeEnd: true) { $0.placement = placement }
    }

    /// Suspends the calling task until the operation is finished. The blocking `waitUntilFinished()` is Foundation's.
    ///
    /// The task only observes the operation: cancelling the task ends the suspension, and the operation continues. To
    /// cancel the operation with the task, call `RequestOperationManager.run(_:)` instead.
    ///
    /// - Throws: `NetworkingError` with `notStarted` if the operation is in no queue and was not started, and with
    ///   `cancelled` if the task is cancelled first. The operation's own error is not thrown; it is in `error`.
    public func waitUntilEnded() async throws(NetworkingError) {
        guard isBegun else { throw .notStarted(self) }
        let hasEnded = await TaskWait.forEvent {
            state.add($0)
        } onCancel: { [self] wait in
            state.remove(wait)
            wait.end(hasCome: false)
        }
        guard hasEnded || isFinished else { throw .waitCancelled }
    }

    /// Returns the head of the final response as soon as it arrives, before the body. A response with a refused status
    /// counts; a redirect that is followed does not. The calling task is suspended until then.
    ///
    /// The task only observes the operation: cancelling the task ends the suspension, and the operation continues.
    ///
    /// - Throws: the operation's `NetworkingError` if the operation ends without a response; `notStarted` if the
    ///   operation is in no queue and was not started; `cancelled` if the task is cancelled first.
    public func head() async throws(NetworkingError) -> ResponseHead {
        if let head = responseHead { return head }
        guard isBegun else { throw .notStarted(self) }
        _ = await TaskWait.forEvent {
            state.addHeadWait($0)
        } onCancel: { [self] wait in
            state.remove(wait)
            wait.end(hasCome: false)
        }
        if let head = responseHead { return head }
        if let error { throw error }
        throw .waitCancelled
    }

    /// Suspends the calling task until the operation is finished. Cancelling the task cancels the operation.
    func waitAsOwner() async {
        _ = await TaskWait.forEvent {
            state.add($0)
        } onCancel: { [self] _ in
            cancel()  // the waiting task retains the operation anyway
        }
    }

    /// Whether the operation is in a queue, or was started.
    var isBegun: Bool { !state.isFree || dependencyNode.readinessWasRead }

    /// Sets the result handler, which runs after `completionBlock`; at once if the operation is finished.
    func setResultHandler(_ handler: @escaping CompletionHandler) {
        state.setResultHandler(handler)?.async { [self] in handler(self) }
    }

    /// Adds a handler that runs on `completionQueue` once the operation is finished; at once if it already is.
    package func addCompletionHandler(_ handler: @escaping CompletionHandler) {
        state.add(handler, isBatchs: false)?.async { [self] in handler(self) }
    }

    /// Adds a batch's handler, which runs after all handlers of the program.
    func addBatchHandler(_ handler: @escaping CompletionHandler) {
        state.add(handler, isBatchs: true)?.async { [self] in handler(self) }
    }
}

// MARK: - Progress

extension RequestOperation {
    /// The upload as Foundation's `Progress`, to show or to add to a parent. Its unit is bytes. It is indeterminate
    /// while the length is unknown. Cancelling, pausing or resuming it does the same with the operation. It changes at
    /// most a few times per second, on the queue of the handlers.
    public var uploadProgress: Progress { report(at: \.uploadReport, state.details.sent) }

    /// The download as Foundation's `Progress`; see `uploadProgress`.
    public var downloadProgress: Progress {
        var progress = byteProgress
        if error != nil { progress.expected = -1 }
        return report(at: \.downloadReport, progress)
    }

    /// - Parameter progress: the counts of a new `Progress`.
    private func report(
        at path: any WritableKeyPath<OperationDetails, Progress?> & Sendable, _ progress: ByteProgress
    ) -> Progress {
        let made = Progress(totalUnitCount: progress.expected)
        made.completedUnitCount = progress.count
        made.kind = .file
        made.cancellationHandler = { [weak self] in self?.cancel() }
        made.pausingHandler = { [weak self] in self?.pause() }
        made.resumingHandler = { [weak self] in self?.resume() }
        return state.progress(at: path, made: made)
    }
}

// MARK: - Reporting progress

extension RequestOperation {
    /// Reports the upload's progress, if there is a handler or a `Progress`. Called on the network thread; the handler
    /// runs elsewhere.
    func reportUpload(_ byteCount: Int64, _ total: Int64, _ expected: Int64) {
        let progress = ByteProgress(count: total, expected: expected)
        let details = state.recordSent(progress)
        tell(details.uploadProgress, details.uploadReport, progress, byteCount)
    }

    /// Reports the download's progress, if there is a handler or a `Progress`. Called on the network thread; the
    /// handler runs elsewhere.
    func reportDownload(_ byteCount: Int64, _ total: Int64, _ expected: Int64) {
        let progress = ByteProgress(count: total, expected: expected)
        guard let details = state.recordReceived(progress)?.value else { return }
        tell(details.downloadProgress, details.downloadReport, progress, byteCount)
    }

    private func tell(_ handler: ProgressHandler?, _ report: Progress?, _ progress: ByteProgress, _ byteCount: Int64) {
        guard handler != nil || report != nil else { return }
        handlerQueue.async {
            report?.totalUnitCount = progress.expected
            report?.completedUnitCount = progress.count
            handler?(byteCount, progress.count, progress.expected)
        }
    }

    /// Sets the total of a successful download to its actual length, because the length may have been unknown.
    func finishProgress() {
        guard let report = state.details.downloadReport, error == nil else { return }
        let count = receivedByteCount
        handlerQueue.async {
            report.totalUnitCount = count
            report.completedUnitCount = count
        }
    }

    /// The number of body bytes that have arrived, and the total number; -1 if the total is not known.
    package var byteProgress: ByteProgress { state.progress }
}
