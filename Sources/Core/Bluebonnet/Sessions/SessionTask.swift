// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
public import Foundation
public import FoundationNetworking

/// A request in the form of AFNetworking's session managers: created suspended, started with `resume()`, with one
/// completion handler.
///
/// A task is a handle for an `HTTPRequestOperation`, which does the work. The only state of the task itself is whether
/// it was resumed. `operation` may be given dependencies, blocks and options before the first `resume()`; start it with
/// `resume()` only. All members may be used from any thread.
public final class SessionTask: Sendable {
    /// The kind of a task.
    public enum Kind: Sendable, Hashable {
        case data, upload, download
    }

    /// The state of a task; the names are Foundation's.
    public enum State: Sendable, Hashable {
        /// Resumed, and waiting for a slot or running.
        case running
        /// Not resumed yet, or suspended since.
        case suspended
        /// Cancelled, but not ended yet.
        case canceling
        /// Ended, with any result: a downloaded file is in its place.
        case completed
    }

    /// The answer to the head of a data task's response.
    public enum ResponseDisposition: Sendable, Hashable {
        /// The task fails with `cancelled`.
        case cancel
        case allow
        /// The body is written to a file: the task becomes a download task.
        case becomeDownload
    }

    /// Called with a task's progress on the session's `delegateQueue`, a few times a second and at the end.
    public typealias ProgressBlock = @Sendable (_ progress: Progress) -> Void
    /// Returns where a downloaded file goes. Called on the session's `delegateQueue`.
    public typealias Destination = @Sendable (_ temporaryFile: URL, _ response: ResponseHead) -> URL
    /// Called with the response, the serialized response of a task that succeeded, and the error of a task that failed.
    /// `ResponseHead.urlResponse` returns the response as a Foundation type.
    public typealias DataCompletion =
        @Sendable (_ response: ResponseHead?, _ object: (any Sendable)?, _ error: NetworkingError?) -> Void
    /// Called with the response, the file of a task that succeeded, and the error of a task that failed.
    public typealias DownloadCompletion =
        @Sendable (_ response: ResponseHead?, _ file: URL?, _ error: NetworkingError?) -> Void

    /// The handler of a task's end.
    enum Completion: Sendable {
        case data(DataCompletion)
        case download(DownloadCompletion)
        case verb(HTTPSessionManager.Success?, HTTPSessionManager.Failure?)
    }

    /// Properties that only a few tasks have.
    struct Extras: Sendable {
        var description: String?
        var uploadProgress: ProgressBlock?
        var downloadProgress: ProgressBlock?
        var destination: Destination?
        /// The file to which the body is written.
        var temporaryFile: URL?
        /// Whether the partial file of a cancelled download is kept.
        var keepsPart = false
        /// The destination of the complete body, once it was decided.
        var target: URL?

        init() {}

        /// Nil without a block.
        init?(upload: ProgressBlock?, download: ProgressBlock?) {
            if upload == nil, download == nil { return nil }
            (uploadProgress, downloadProgress) = (upload, download)
        }
    }

    private struct Handle: Sendable {
        var kind: Kind
        /// Whether the task was resumed or cancelled once: the operation has its blocks, and is in its queue.
        var isBegun = false
        var completion: Completion?
        var extras: Box<Extras>?
        /// The session's blocks from the first resume to the end; nothing else retains them for the task.
        var blocks: Box<SessionBlocks>?
        var isUploadWired = false
        var isDownloadWired = false
    }

    /// Unique among the tasks of a session, counted from 1.
    public let taskIdentifier: Int
    /// The operation that does the work.
    public let operation: HTTPRequestOperation
    let session: Session
    private let handle: Mutex<Handle>

    init(
        _ operation: HTTPRequestOperation, _ kind: Kind, identifier: Int, session: Session, _ completion: Completion?,
        _ extras: Extras?
    ) {
        (self.operation, taskIdentifier, self.session) = (operation, identifier, session)
        handle = Mutex(Handle(kind: kind, completion: completion, extras: extras.map(Box.init)))
    }
}

extension SessionTask {
    /// Starts the task, or continues it after `suspend()`.
    public func resume() {
        if begin(isResumed: true) { return }
        if operation.resume() { session.post(Self.didResumeNotification, about: self) }
    }

    /// Pauses the task, as `RequestOperation.pause()` does: a GET releases its connection and continues by range.
    public func suspend() {
        guard isBegun, operation.pause() else { return }
        session.post(Self.didSuspendNotification, about: self)
    }

    /// Ends the task with the error `cancelled`. A task that was not resumed ends too, without using the network. The
    /// partial file of a download is removed.
    public func cancel() {
        operation.cancel()
        _ = begin(isResumed: false)
    }

    /// Cancels a download task, and passes on the data with which it can be continued later.
    ///
    /// - Parameter handler: called on the session's `delegateQueue` after the end, with `resumeData`.
    public func cancel(byProducingResumeData handler: @escaping @Sendable (_ resumeData: Data?) -> Void) {
        if extras != nil { changeExtras { $0.keepsPart = true } }
        cancel()
        operation.addCompletionHandler { [self] _ in handler(resumeData) }
    }

    /// Cancels a download task, and returns its `resumeData` after the end.
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { waiter in
            cancel { waiter.resume(returning: $0) }
        }
    }

    /// Installs the session's blocks on the operation, and adds the operation to its queue, once.
    ///
    /// - Returns: whether this call was the first.
    private func begin(isResumed: Bool) -> Bool {
        let blocks = session.blocks
        let (isFirst, extras) = handle.withLock { handle in
            guard !handle.isBegun else { return (false, nil as Box<Extras>?) }
            (handle.isBegun, handle.blocks) = (true, blocks)
            return (true, handle.extras)
        }
        guard isFirst else { return false }
        blocks?.value.install(on: self)
        if blocks != nil || extras != nil { installProgress(blocks?.value ?? SessionBlocks(), extras?.value) }
        if extras != nil, kind == .download { installPlacement() }
        operation.addCompletionHandler { [self] _ in ended() }
        session.begin(self, isResumed: isResumed)
        return true
    }

    /// Sets the operation's progress handlers, which the operation releases at its end.
    private func installProgress(_ blocks: SessionBlocks, _ extras: Extras?) {
        let (sending, sent) = (extras?.uploadProgress, blocks.taskDidSendBodyData)
        if sending != nil || sent != nil {
            let report = sending.map { _ in uploadProgress }
            operation.onUploadProgress = { [self] byteCount, total, expected in
                sent?(self, byteCount, total, expected)
                if let report { sending?(report) }
            }
        }
        let (receiving, written) = (extras?.downloadProgress, blocks.downloadTaskDidWriteData)
        if receiving != nil || written != nil {
            let report = receiving.map { _ in downloadProgress }
            operation.onDownloadProgress = { [self] byteCount, total, expected in
                if kind == .download { written?(self, byteCount, total, expected) }
                if let report { receiving?(report) }
            }
        }
    }
}

extension SessionTask {
    /// The kind of the task; a data task becomes a download task if its response block decides so.
    public var kind: Kind { handle.withLock { $0.kind } }

    /// The state of the task.
    public var state: State {
        if operation.isFinished { return .completed }
        if operation.isCancelled { return .canceling }
        return isBegun && !operation.isPaused ? .running : .suspended
    }

    /// A text for the program's use. Default nil.
    public var taskDescription: String? {
        get { extras?.description }
        set { changeExtras { $0.description = newValue } }
    }

    /// The priority among tasks that wait for a slot. Default `normal`.
    public var priority: Operation.QueuePriority {
        get { operation.queuePriority }
        set { operation.queuePriority = newValue }
    }

    /// The task's first request. If the request is made when the task starts, as with a body, this property is nil
    /// until the end. If the request cannot be made, it stays nil.
    public var originalRequest: URLRequest? { operation.originalRequest }

    /// The last request that was sent, once the task has ended; until then as `originalRequest`.
    public var currentRequest: URLRequest? { operation.request }

    /// The response, from the arrival of its head on.
    public var response: HTTPURLResponse? { operation.response }

    /// Why the task failed; nil while it runs and if it succeeded. A file that could not be moved is a failure.
    public var error: NetworkingError? { operation.error }

    /// The complete file of a download task that succeeded, in its place.
    public var downloadedFile: URL? { operation.downloadedFile }

    /// The number of bytes of the request's body that were sent.
    public var countOfBytesSent: Int64 { operation.sentByteCount }
    /// The number of bytes of the response's body that have arrived.
    public var countOfBytesReceived: Int64 { operation.receivedByteCount }
    /// The length of the request's body; -1 while unknown.
    public var countOfBytesExpectedToSend: Int64 { operation.expectedSentByteCount }
    /// The length of the response's body; -1 while unknown.
    public var countOfBytesExpectedToReceive: Int64 { operation.expectedByteCount }

    /// The upload as Foundation's `Progress`. Cancelling, pausing or resuming the progress does the same with the task.
    public var uploadProgress: Progress { wired(operation.uploadProgress, once: \.isUploadWired) }

    /// The download as Foundation's `Progress`; see `uploadProgress`.
    public var downloadProgress: Progress { wired(operation.downloadProgress, once: \.isDownloadWired) }

    /// Foundation calls a handler that is set on a paused progress, so each handler is set once.
    private func wired(_ progress: Progress, once flag: WritableKeyPath<Handle, Bool>) -> Progress {
        let isWired = handle.withLock { handle in
            defer { handle[keyPath: flag] = true }
            return handle[keyPath: flag]
        }
        if isWired { return progress }
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        progress.pausingHandler = { [weak self] in self?.suspend() }
        progress.resumingHandler = { [weak self] in self?.resume() }
        return progress
    }

    var extras: Extras? { handle.withLock { $0.extras }?.value }

    func changeExtras(_ change: (inout Extras) -> Void) {
        let old = handle.withLock { handle in
            let old = handle.extras
            var extras = old?.value ?? Extras()
            change(&extras)
            handle.extras = Box(extras)
            return old
        }
        withExtendedLifetime(old) {}  // releasing the program's objects may run its code
    }

    /// Makes a data task continue as a download to a file.
    func becomeDownload(to file: URL) {
        handle.withLock { $0.kind = .download }
        changeExtras { $0.temporaryFile = file }
        installPlacement()
    }

    var isBegun: Bool { handle.withLock { $0.isBegun } }

    /// The session's blocks while the task runs.
    var blocks: SessionBlocks? { handle.withLock { $0.blocks }?.value }
}

extension SessionTask {
    /// Runs the task, and waits until it has ended and its file is in its place. Cancelling the calling task cancels
    /// this task.
    ///
    /// - Returns: the response with the serialized response, or the file of a download.
    /// - Throws: the task's `NetworkingError`.
    @discardableResult
    public func run() async throws(NetworkingError) -> Response<any Sendable> {
        await withTaskCancellationHandler {
            resume()
            await withCheckedContinuation { waiter in operation.addCompletionHandler { _ in waiter.resume() } }
        } onCancel: {
            cancel()
        }
        let object = try operation.ownedValue { () throws(NetworkingError) in try operation.finalValue() }
        return try operation.response(with: object)
    }

    /// Called on the session's delegate queue when the operation is finished.
    private func ended() {
        let (blocks, extras) = handle.withLock { ($0.blocks?.value, $0.extras?.value) }
        if operation.error == nil { tellEndOfProgress(operation.responseHead) }
        if operation.error?.code == .cancelled, let extras, !extras.keepsPart, let file = extras.temporaryFile {
            RequestOperation.removePartialFile(of: file)
        }
        if let target = extras?.target { postMove(to: target) }
        blocks?.taskDidFinishCollectingMetrics?(self, operation.summary)
        blocks?.taskDidComplete?(self, error)
        session.complete { [self] in complete() }
    }

    /// Reports the final progress of a body whose length was not known before.
    /// Once.
    func tellEndOfProgress(_ head: ResponseHead?) {
        guard let block = extras?.downloadProgress, let head,
            head.contentLength == nil || !head.contentCodings.isEmpty
        else { return }
        block(downloadProgress)
        changeExtras { $0.downloadProgress = nil }
    }

    /// Calls the handler, on its queue, notifies the observers, and releases the program's objects.
    private func complete() {
        let old = handle.withLock { handle in
            defer { (handle.completion, handle.blocks) = (nil, nil) }
            return handle
        }
        if old.extras != nil {
            changeExtras { ($0.uploadProgress, $0.downloadProgress, $0.destination) = (nil, nil, nil) }
        }
        let result = operation.result ?? .success(Data())
        let (object, error) = (try? result.get(), operation.error)
        switch old.completion {
        case .data(let handler)?: handler(operation.responseHead, object, error)
        case .download(let handler)?: handler(operation.responseHead, object as? URL, error)
        case .verb(let success, let failure)?:
            if let error { failure?(self, error) } else { success?(self, object ?? Data()) }
        case nil: break
        }
        postCompletion(result, file: downloadedFile)
        session.remove(self)
    }
}
