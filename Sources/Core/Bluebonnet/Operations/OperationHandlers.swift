// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Dispatch
public import Foundation

/// State that few operations have; the others need no memory for it.
struct OperationDetails: Sendable {
    var userInfo: [String: any Sendable] = [:]
    /// Called once, when the operation is first started, by whatever thread starts it: it must be short.
    var startHandler: (@Sendable (RequestOperation) -> Void)?
    var uploadProgress: RequestOperation.ProgressHandler?
    var downloadProgress: RequestOperation.ProgressHandler?
    /// How much of the request's body was sent.
    var sent = ByteProgress()
    /// Made when somebody asks for them.
    var uploadReport: Progress?
    var downloadReport: Progress?
    /// A phrase for the first failure of the chain, when the operation was skipped.
    var skipCause: String?
    /// Why the library cancelled the operation; nil when the program did.
    var cancelReason: NetworkingError?
    /// Says where the complete file of a download goes.
    var placement: RequestOperation.Placement?

    var hasProgressHandlers: Bool { uploadProgress != nil || downloadProgress != nil }
    /// Whether there is anything of a user's that is let go at the end.
    var hasHandlers: Bool { hasProgressHandlers || placement != nil }
    /// Whether the end calls or lets go of anything of a user's here.
    var hasUserObjects: Bool { hasHandlers || !userInfo.isEmpty }
}

/// The handlers of an operation that run once after it is finished, in this order, and are released then.
struct EndHandlers: Sendable {
    private(set) var completionBlock: (@Sendable () -> Void)?
    /// The success and failure handlers of the user's.
    private(set) var resultHandler: RequestOperation.CompletionHandler?
    private(set) var handlers = SmallList<RequestOperation.CompletionHandler>()
    /// The batch's part, after every handler of the user's.
    private(set) var batchHandlers = SmallList<RequestOperation.CompletionHandler>()
    private var waits: [TaskWait] = []
    /// The end has been told. A handler that comes later runs at once, or with the others while those are on their way.
    private(set) var isDelivered = false
    private var areOnTheirWay = false

    /// The block that a user may set: the one that is about to run stays.
    var settableCompletionBlock: (@Sendable () -> Void)? { isDelivered ? nil : completionBlock }

    /// - Returns: the block that was replaced, to be let go outside a lock.
    mutating func setCompletionBlock(_ block: (@Sendable () -> Void)?) -> (@Sendable () -> Void)? {
        guard !isDelivered else { return nil }
        defer { completionBlock = block }
        return completionBlock
    }

    /// Sets the handler of the result; false when it comes after the others. The handler that was replaced is to be let
    /// go outside a lock.
    mutating func setResultHandler(
        _ handler: @escaping RequestOperation.CompletionHandler, replaced: inout RequestOperation.CompletionHandler?
    ) -> Bool {
        guard !isDelivered || areOnTheirWay else { return false }
        replaced = resultHandler
        resultHandler = handler
        return true
    }

    /// Keeps a handler; false when it comes after the others.
    mutating func add(_ handler: @escaping RequestOperation.CompletionHandler, isBatchs: Bool) -> Bool {
        guard !isDelivered || areOnTheirWay else { return false }
        if isBatchs { batchHandlers.append(handler) } else { handlers.append(handler) }
        return true
    }

    /// Keeps a wait; false when the end has been told. A finished operation may still have waits for a moment: delivery
    /// takes them after the state has changed.
    mutating func add(_ wait: TaskWait) -> Bool {
        if !isDelivered { waits.append(wait) }
        return !isDelivered
    }

    /// Forgets a wait that was given up.
    mutating func remove(_ wait: TaskWait) { waits.removeAll { $0 === wait } }

    /// The end is told from now on.
    ///
    /// - Returns: whether there are handlers to call.
    mutating func deliver() -> Bool {
        areOnTheirWay =
            completionBlock != nil || resultHandler != nil || !handlers.isEmpty || !batchHandlers.isEmpty
        isDelivered = true
        return areOnTheirWay
    }

    mutating func takeWaits() -> [TaskWait] {
        if waits.isEmpty { return [] }
        defer { waits = [] }
        return waits
    }

    /// Takes the handlers when they are called.
    mutating func take() -> EndHandlers {
        areOnTheirWay = false
        return takeAll()
    }

    /// Takes the handlers of an operation, whether they are called or not.
    mutating func takeAll() -> EndHandlers {
        let taken = self
        (completionBlock, resultHandler) = (nil, nil)
        (handlers, batchHandlers) = (SmallList(), SmallList())
        return taken
    }
}

/// What is told and let go when an operation is finished, outside the lock.
struct OperationDelivery {
    let waits: [TaskWait]
    let hasFailed: Bool
    let queue: RequestOperationQueue?
    let callbackQueue: DispatchQueue?
    let hasHandlers: Bool
    let details: Box<OperationDetails>?
    let chunkPipe: BodyPipe?
    /// What made the request, when it was made late.
    let recipe: RequestPlan.Recipe?
}

/// Where and when an operation waits and runs. Instants are of the monotonic clock; 0 before.
struct OperationSchedule: Sendable {
    /// The flow of the operation's batch in fair queueing; 0 without a batch.
    var flow = 0
    /// The queue to tell when the operation becomes ready or finished; kept alive until then, as Foundation does.
    var queue: RequestOperationQueue?
    /// What its batch says of dependencies that do not succeed, whatever their edges say.
    var dependencyPolicy: FailedDependencyPolicy?
    /// When it was ready in its queue, if it is in one.
    var readyInstant: UInt64 = 0
    var startInstant: UInt64 = 0
    var finishInstant: UInt64 = 0

    /// The operation's flow in fair queueing: its batch's, else its queue's, else 0.
    var flowID: Int { flow != 0 ? flow : queue?.number ?? 0 }

    /// Since when the operation could run; 0 before.
    var began: UInt64 { readyInstant != 0 ? readyInstant : startInstant }
}

extension RequestOperation {
    /// Called with the bytes since the last call, the bytes so far, and the bytes expected (-1 when unknown).
    public typealias ProgressHandler = @Sendable (_ byteCount: Int64, _ total: Int64, _ expected: Int64) -> Void

    package typealias CompletionHandler = @Sendable (RequestOperation) -> Void

    /// Says where the complete file of a download goes; nil leaves the file where it is. Asked in a Swift task.
    typealias Placement = @Sendable (_ file: URL, _ head: ResponseHead?) async -> URL?

    /// The queue on which handlers run. Default nil: the library's serial queue `org.bluebonnet.callbacks`. A
    /// concurrent queue does not keep the order of handlers. Use `.main` only in a program that runs its main queue.
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

    /// The handler that is called on `completionQueue` while body bytes are sent, a few times a second and at the end.
    /// It may be set at any time before the end, and is released then. Default nil.
    public var onUploadProgress: ProgressHandler? {
        get { state.details.uploadProgress }
        set { state.changeDetails(onlyBeforeEnd: true) { $0.uploadProgress = newValue } }
    }

    /// The handler that is called on `completionQueue` while body bytes arrive, a few times a second and at the end.
    /// Bytes are counted after decoding. It may be set at any time before the end, and is released then. Default nil.
    public var onDownloadProgress: ProgressHandler? {
        get { state.details.downloadProgress }
        set { state.changeDetails(onlyBeforeEnd: true) { $0.downloadProgress = newValue } }
    }

    /// Sets what is asked, before the operation is finished, where the complete file of a download goes. The file is
    /// moved on a queue that may block. An existing file is not replaced: the operation fails with `cannotWriteFile`,
    /// and its file is removed.
    func setPlacement(_ placement: @escaping Placement) {
        state.changeDetails(onlyBeforeEnd: true) { $0.placement = placement }
    }

    /// Suspends the calling task until the operation is finished. The blocking `waitUntilFinished()` is Foundation's.
    ///
    /// The wait observes: cancelling the task ends the wait, and the operation goes on. To end the operation with the
    /// task, call `RequestOperationManager.run(_:)` instead.
    ///
    /// - Throws: `NetworkingError` with `notStarted` when the operation is in no queue and was not started, and with
    ///   `cancelled` when the task is cancelled first. How the operation ended is in `error`, and is not thrown.
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

    /// The head of the final response, as soon as it arrives, before the body: of a refused status too, not of a
    /// redirect that is followed. The calling task is suspended until then.
    ///
    /// The wait observes: cancelling the task ends the wait, and the operation goes on.
    ///
    /// - Throws: the operation's `NetworkingError` when the operation ends without a response; `notStarted` when the
    ///   operation is in no queue and was not started; `cancelled` when the task is cancelled first.
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
            cancel()  // the waiting task holds the operation anyway
        }
    }

    /// Whether the operation is in a queue, or was started.
    var isBegun: Bool { !state.isFree || dependencyNode.wasAsked }

    /// Sets the handler of the result, which runs after `completionBlock`; at once when the operation is finished.
    func setResultHandler(_ handler: @escaping CompletionHandler) {
        state.setResultHandler(handler)?.async { [self] in handler(self) }
    }

    /// Adds a handler that runs on `completionQueue` once the operation is finished; at once when it is already.
    package func addCompletionHandler(_ handler: @escaping CompletionHandler) {
        state.add(handler, isBatchs: false)?.async { [self] in handler(self) }
    }

    /// Adds a batch's handler, which runs after all of the user's.
    func addBatchHandler(_ handler: @escaping CompletionHandler) {
        state.add(handler, isBatchs: true)?.async { [self] in handler(self) }
    }
}

// MARK: - Progress

extension RequestOperation {
    /// The upload as Foundation's `Progress`, to show or to add to a parent. Its unit is bytes; it is indeterminate
    /// while the length is unknown. Cancelling, pausing or resuming it does the same with the operation. It changes a
    /// few times a second at most, on the queue of the handlers.
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

// MARK: - Telling

extension RequestOperation {
    /// Tells the upload's progress, if anybody wants to know. Called on the network thread; the handler runs elsewhere.
    func reportUpload(_ byteCount: Int64, _ total: Int64, _ expected: Int64) {
        let progress = ByteProgress(count: total, expected: expected)
        let details = state.noteSent(progress)
        tell(details.uploadProgress, details.uploadReport, progress, byteCount)
    }

    /// Tells the download's progress, if anybody wants to know. Called on the network thread; the handler runs
    /// elsewhere.
    func reportDownload(_ byteCount: Int64, _ total: Int64, _ expected: Int64) {
        let progress = ByteProgress(count: total, expected: expected)
        guard let details = state.noteReceived(progress)?.value else { return }
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

    /// A download whose length was not known is as long as it was, once it succeeded.
    func finishProgress() {
        guard let report = state.details.downloadReport, error == nil else { return }
        let count = receivedByteCount
        handlerQueue.async {
            report.totalUnitCount = count
            report.completedUnitCount = count
        }
    }

    /// The body bytes that have arrived, and how many there are in all; -1 when that is not known.
    package var byteProgress: ByteProgress { state.progress }
}
