// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Dispatch
public import Foundation
public import FoundationNetworking

/// The common members of `SessionManager` and `HTTPSessionManager`: tasks, components, blocks and invalidation. All
/// members may be used from any thread. A change of a component affects only tasks that are created later.
public protocol SessionManaging: AnyObject, Sendable {
    /// The session manager that makes the tasks.
    var session: SessionManager { get }
}

extension SessionManaging {
    /// Makes objects from responses. Default `JSONResponseSerializer`.
    public var responseSerializer: any ResponseSerializer {
        get { session.operationManager.responseSerializer }
        set { session.operationManager.responseSerializer = newValue }
    }

    /// Decides which servers are trusted. Default: the security policy of the configuration.
    public var securityPolicy: SecurityPolicy {
        get { session.operationManager.securityPolicy }
        set { session.operationManager.securityPolicy = newValue }
    }

    /// A reachability monitor for the program's use. Default `NetworkReachabilityManager.shared`, which is not started.
    public var reachabilityManager: NetworkReachabilityManager {
        get { session.operationManager.reachabilityManager }
        set { session.operationManager.reachabilityManager = newValue }
    }

    /// The queue for the completion handlers of all tasks that end from now on. Default nil: `delegateQueue`.
    public var completionQueue: DispatchQueue? {
        get { session.tasksAndBlocks.completion.queue }
        set { session.tasksAndBlocks.completion.queue = newValue }
    }

    /// A group that is entered before a task has ended, and left when its completion handler has run, for all tasks
    /// that are resumed from now on. Default nil.
    public var completionGroup: DispatchGroup? {
        get { session.tasksAndBlocks.completion.group }
        set { session.tasksAndBlocks.completion.group = newValue }
    }

    /// The blocks that decide for the tasks and observe them. Default: no blocks.
    ///
    /// Setting one block reads all blocks and writes them back: if threads set blocks at the same moment, one of the
    /// changes may be lost.
    public var blocks: SessionBlocks {
        get { session.tasksAndBlocks.blocks?.value ?? SessionBlocks() }
        set { session.tasksAndBlocks.blocks = Box(newValue) }
    }
}

extension SessionManaging {
    /// The tasks that have not ended, resumed or not, in the order in which they were created.
    public var tasks: [SessionTask] { session.tasksAndBlocks.tasks }
    /// The data tasks among `tasks`.
    public var dataTasks: [SessionTask] { tasks.filter { $0.kind == .data } }
    /// The upload tasks among `tasks`.
    public var uploadTasks: [SessionTask] { tasks.filter { $0.kind == .upload } }
    /// The download tasks among `tasks`.
    public var downloadTasks: [SessionTask] { tasks.filter { $0.kind == .download } }

    /// Creates a suspended task that delivers the serialized response. The handler gets an object only without an
    /// error.
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - uploadProgress: called on `delegateQueue` while the request's body is sent.
    ///   - downloadProgress: called on `delegateQueue` while the response's body arrives.
    ///   - completionHandler: called once on `completionQueue`; nil without a handler.
    public func dataTask(
        with request: URLRequest, uploadProgress: SessionTask.ProgressBlock? = nil,
        downloadProgress: SessionTask.ProgressBlock? = nil, completionHandler: SessionTask.DataCompletion?
    ) -> SessionTask {
        task(request, .data, upload: uploadProgress, download: downloadProgress, completionHandler)
    }

    /// Creates a suspended task that sends bytes as the request's body. For the handlers see `dataTask`.
    public func uploadTask(
        with request: URLRequest, from data: Data, progress: SessionTask.ProgressBlock? = nil,
        completionHandler: SessionTask.DataCompletion?
    ) -> SessionTask {
        var request = request
        request.httpBody = data
        return task(request, .upload, upload: progress, completionHandler)
    }

    /// Creates a suspended task that streams a file from disk as the request's body. For the handlers see `dataTask`.
    public func uploadTask(
        with request: URLRequest, fromFile file: URL, progress: SessionTask.ProgressBlock? = nil,
        completionHandler: SessionTask.DataCompletion?
    ) -> SessionTask {
        let task = task(request, .upload, upload: progress, completionHandler)
        task.operation.uploadFile = file
        return task
    }

    /// Creates a suspended task that sends the request's body stream. For the handlers see `dataTask`.
    public func uploadTask(
        withStreamedRequest request: URLRequest, progress: SessionTask.ProgressBlock? = nil,
        completionHandler: SessionTask.DataCompletion?
    ) -> SessionTask {
        task(request, .upload, upload: progress, completionHandler)
    }

    /// Creates a suspended task that writes the body of an accepted response to a file in the configuration's
    /// `downloadDirectory`, and moves the complete file to its destination.
    ///
    /// An existing file is not replaced: the task fails with `cannotWriteFile`. The body of a rejected response is in
    /// `NetworkingError.body`.
    /// - Parameters:
    ///   - request: the request to send.
    ///   - progress: called on `delegateQueue` while the body arrives.
    ///   - destination: called on `delegateQueue`, unless `SessionBlocks.downloadTaskDidFinishDownloading` has decided.
    ///     Default nil: the file stays where it is, and belongs to the program.
    ///   - completionHandler: called once on `completionQueue`, when the file is in its place.
    public func downloadTask(
        with request: URLRequest, progress: SessionTask.ProgressBlock? = nil,
        destination: SessionTask.Destination? = nil, completionHandler: SessionTask.DownloadCompletion?
    ) -> SessionTask {
        let session = session.tasksAndBlocks
        return session.downloadTask(
            session.operation(request), to: session.temporaryFile(), progress, destination, completionHandler)
    }

    /// Creates a suspended task that continues a download of this process or of another process.
    ///
    /// If the partial file still exists and the representation is the same, the rest of the body is requested;
    /// otherwise the download starts again. Data other than `SessionTask.resumeData` makes a task that fails with
    /// `resumeRefused`. For the other arguments see the other `downloadTask`.
    public func downloadTask(
        withResumeData resumeData: Data, progress: SessionTask.ProgressBlock? = nil,
        destination: SessionTask.Destination? = nil, completionHandler: SessionTask.DownloadCompletion?
    ) -> SessionTask {
        let session = session.tasksAndBlocks
        let resumption = DownloadResumption.decoded(from: resumeData)
        let operation =
            resumption.map { session.operation($0.request) }
            ?? session.manager.operation(after: []) {
                throw NetworkingError(.resumeRefused, "this is not the resume data of a download task")
            }
        let file = resumption?.file ?? session.temporaryFile()
        return session.downloadTask(operation, to: file, progress, destination, completionHandler)
    }

    private func task(
        _ request: URLRequest, _ kind: SessionTask.Kind, upload: SessionTask.ProgressBlock? = nil,
        download: SessionTask.ProgressBlock? = nil, _ completion: SessionTask.DataCompletion?
    ) -> SessionTask {
        let (session, extras) = (session.tasksAndBlocks, SessionTask.Extras(upload: upload, download: download))
        return session.task(session.operation(request), kind, completion.map { .data($0) }, extras)
    }

    /// Refuses further tasks: tasks that are created from now on end with `cancelled`. When the last task has ended,
    /// `SessionBlocks.sessionDidBecomeInvalid` is called and `didInvalidateNotification` is posted.
    ///
    /// - Parameter cancelPendingTasks: whether the tasks that have not ended are cancelled, resumed or not. Otherwise
    ///   the session waits for them, including tasks that were not resumed.
    public func invalidate(cancelPendingTasks: Bool) {
        session.tasksAndBlocks.invalidate(session, cancelsTasks: cancelPendingTasks)
    }
}

extension SessionManaging {
    /// Runs a data task, and waits for its end. Cancelling the calling task cancels the data task.
    ///
    /// - Returns: the response with the object that the serializer made.
    /// - Throws: the task's `NetworkingError`.
    public func data(
        for request: URLRequest, uploadProgress: SessionTask.ProgressBlock? = nil,
        downloadProgress: SessionTask.ProgressBlock? = nil
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await task(request, .data, upload: uploadProgress, download: downloadProgress, nil).run()
    }

    /// Runs an upload task that sends bytes, as `data(for:)` does with a data task.
    public func upload(
        for request: URLRequest, from data: Data, progress: SessionTask.ProgressBlock? = nil
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await uploadTask(with: request, from: data, progress: progress, completionHandler: nil).run()
    }

    /// Runs an upload task that sends a file, as `data(for:)` does with a data task.
    public func upload(
        for request: URLRequest, fromFile file: URL, progress: SessionTask.ProgressBlock? = nil
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await uploadTask(with: request, fromFile: file, progress: progress, completionHandler: nil).run()
    }

    /// Runs an upload task that sends the request's stream, as `data(for:)` does with a data task.
    public func upload(
        forStreamedRequest request: URLRequest, progress: SessionTask.ProgressBlock? = nil
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await uploadTask(withStreamedRequest: request, progress: progress, completionHandler: nil).run()
    }

    /// Runs a download task, and waits until its file is in its place. Cancelling the calling task cancels the download
    /// task. A failed download leaves no partial file; for `resumeData` use a `downloadTask`.
    ///
    /// - Returns: the response with the file.
    /// - Throws: the task's `NetworkingError`.
    public func download(
        for request: URLRequest, progress: SessionTask.ProgressBlock? = nil,
        destination: SessionTask.Destination? = nil
    ) async throws(NetworkingError) -> Response<URL> {
        let task = downloadTask(
            with: request, progress: progress, destination: destination, completionHandler: nil)
        return try await task.downloaded()
    }

    /// Runs a task that continues a download, as `download(for:)` does with a new download.
    public func download(
        resumeFrom resumeData: Data, progress: SessionTask.ProgressBlock? = nil,
        destination: SessionTask.Destination? = nil
    ) async throws(NetworkingError) -> Response<URL> {
        let task = downloadTask(
            withResumeData: resumeData, progress: progress, destination: destination, completionHandler: nil)
        return try await task.downloaded()
    }
}

extension SessionTask {
    fileprivate func downloaded() async throws(NetworkingError) -> Response<URL> {
        do throws(NetworkingError) {
            return try operation.response(with: try await run().value)
        } catch {
            if let file = extras?.temporaryFile { RequestOperation.removePartialFile(of: file) }
            throw error
        }
    }
}

extension Session {
    /// Returns the operation for a request, adding the configuration's header fields that the request does not have.
    fileprivate func operation(_ request: URLRequest) -> HTTPRequestOperation {
        var request = request
        for field in configuration.headers.combined where request.value(forHTTPHeaderField: field.name) == nil {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        return manager.operation(with: request)
    }

    fileprivate func downloadTask(
        _ operation: HTTPRequestOperation, to file: URL, _ progress: SessionTask.ProgressBlock?,
        _ destination: SessionTask.Destination?, _ completion: SessionTask.DownloadCompletion?
    ) -> SessionTask {
        operation.outputFile = file
        var extras = SessionTask.Extras()
        (extras.downloadProgress, extras.destination, extras.temporaryFile) = (progress, destination, file)
        return task(operation, .download, completion.map { .download($0) }, extras)
    }
}
