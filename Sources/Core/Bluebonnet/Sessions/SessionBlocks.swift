// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// The blocks of a session, which decide for its tasks and observe them. They have the names of AFNetworking's setters.
///
/// ```swift
/// manager.blocks.taskWillPerformHTTPRedirection = { task, response, proposed in nil }
/// ```
///
/// Blocks run one after another on the session's `delegateQueue`, in the order of the events. The two blocks that
/// answer challenges are async, and run on no queue of the session. `taskNeedNewBodyStream` and
/// `dataTaskWillCacheResponse` run on queues of the library that other sessions use too: these blocks must be short. A
/// task uses the blocks that are set when it is first resumed; a block that is set replaces its operation's own block.
/// Default: all nil.
public struct SessionBlocks: Sendable {
    /// Called once after `invalidate(cancelPendingTasks:)`, when the last task has ended.
    public var sessionDidBecomeInvalid: (@Sendable () -> Void)?

    /// Decides about the certificates of a server, as `RequestOperation.onServerTrust` does, at the same cost.
    public var sessionDidReceiveChallenge: (@Sendable (_ challenge: ServerTrustChallenge) async -> ServerTrustAnswer)?

    /// Answers a Basic or Digest challenge, as `RequestOperation.onChallenge` does.
    public var taskDidReceiveChallenge:
        (@Sendable (_ task: SessionTask, _ challenge: AuthenticationChallenge) async -> ChallengeAnswer)?

    /// Makes the body stream of a request that has to be sent again; nil lets the stream copy itself, if it can.
    public var taskNeedNewBodyStream: (@Sendable (_ task: SessionTask) -> InputStream?)?

    /// Decides about a redirect: returns the proposed request or another request to send, or nil to use the redirect as
    /// the response. The limits of `RequestOperation.onRedirect` apply.
    public var taskWillPerformHTTPRedirection:
        (@Sendable (_ task: SessionTask, _ response: HTTPURLResponse, _ proposed: URLRequest) -> URLRequest?)?

    /// Called while the body of a request is sent, a few times a second and at the end; -1 means an unknown length.
    public var taskDidSendBodyData:
        (@Sendable (_ task: SessionTask, _ byteCount: Int64, _ totalCount: Int64, _ expectedCount: Int64) -> Void)?

    /// Called with attempts, redirects, timings and TLS information when a task has ended, before `taskDidComplete`.
    public var taskDidFinishCollectingMetrics: (@Sendable (_ task: SessionTask, _ metrics: TransferSummary) -> Void)?

    /// Called when a task has ended, before its completion handler.
    public var taskDidComplete: (@Sendable (_ task: SessionTask, _ error: NetworkingError?) -> Void)?

    /// Decides what happens to the body of a data or upload task when its response's head has arrived. The connection
    /// is not read before the answer. Not called for a response from a cache.
    public var dataTaskDidReceiveResponse:
        (@Sendable (_ task: SessionTask, _ response: ResponseHead) -> SessionTask.ResponseDisposition)?

    /// Called after the answer `becomeDownload` for an accepted response: the same task is now a download task.
    public var dataTaskDidBecomeDownloadTask: (@Sendable (_ task: SessionTask) -> Void)?

    /// Called with each decoded piece of the body of a data or upload task. A body that starts over after a pause is
    /// delivered from its start again.
    public var dataTaskDidReceiveData: (@Sendable (_ task: SessionTask, _ data: Data) -> Void)?

    /// Decides whether, and in which form, a response is cached; nil caches nothing. May be called before data is
    /// delivered.
    public var dataTaskWillCacheResponse:
        (@Sendable (_ task: SessionTask, _ proposed: CachedResponse) -> CachedResponse?)?

    /// Decides where a downloaded file goes, before the task's own destination; after nil, that destination decides.
    public var downloadTaskDidFinishDownloading: (@Sendable (_ task: SessionTask, _ temporaryFile: URL) -> URL?)?

    /// Called while the body of a download task arrives, a few times a second and at the end; -1 means an unknown
    /// length.
    public var downloadTaskDidWriteData:
        (@Sendable (_ task: SessionTask, _ byteCount: Int64, _ totalCount: Int64, _ expectedCount: Int64) -> Void)?

    /// Called when a download from resume data continues where it stopped; -1 means an unknown length. Not called when
    /// the download starts again, nor for a part of a body that the request itself asks for.
    public var downloadTaskDidResume:
        (@Sendable (_ task: SessionTask, _ offset: Int64, _ expectedCount: Int64) -> Void)?

    /// Creates a value without blocks.
    public init() {}
}

// Sets the blocks of a task's operation, before the operation is added to its queue. The operation keeps its blocks
// after its end, so these blocks reach the session's blocks through the task.
extension SessionBlocks {
    func install(on task: SessionTask) {
        installDecisions(on: task)
        if task.kind == .download { installDownload(on: task) } else { installData(on: task) }
    }

    private func installDecisions(on task: SessionTask) {
        let (operation, session) = (task.operation, task.session)
        if sessionDidReceiveChallenge != nil {
            operation.onServerTrust = { [weak task] _, challenge in
                await task?.blocks?.sessionDidReceiveChallenge?(challenge) ?? .performDefault
            }
        }
        if taskDidReceiveChallenge != nil {
            operation.onChallenge = { [weak task] _, challenge in
                guard let task, let block = task.blocks?.taskDidReceiveChallenge else { return .performDefault }
                return await block(task, challenge)
            }
        }
        if taskWillPerformHTTPRedirection != nil {
            operation.onRedirect = { [weak task] _, proposed, response in
                guard let task, let block = task.blocks?.taskWillPerformHTTPRedirection else { return proposed }
                return await session.ask { block(task, response, proposed) }
            }
        }
        if taskNeedNewBodyStream != nil {
            operation.onNeedNewBodyStream = { [weak task] in
                guard let task, let block = task.blocks?.taskNeedNewBodyStream else { return nil }
                return block(task)
            }
        }
    }

    private func installData(on task: SessionTask) {
        let (operation, session) = (task.operation, task.session)
        if dataTaskDidReceiveResponse != nil {
            operation.onResponse = { [weak task] _, head in
                guard let task, let blocks = task.blocks else { return .allow }
                return await session.ask { blocks.disposition(of: head, for: task) }
            }
        }
        if dataTaskDidReceiveData != nil {
            operation.onReceivedData = { [weak task] _, data in
                guard let task, task.kind != .download else { return }
                task.blocks?.dataTaskDidReceiveData?(task, data)
            }
        }
        if dataTaskWillCacheResponse != nil {
            operation.onCacheResponse = { [weak task] _, proposed in
                guard let task, let block = task.blocks?.dataTaskWillCacheResponse else { return proposed }
                return block(task, proposed)
            }
        }
    }

    private func disposition(of head: ResponseHead, for task: SessionTask) -> ResponseDisposition {
        let isAccepted = task.operation.accepts(status: head.statusCode)
        // If the task was suspended after the answer, a head arrives again. The earlier file may not have been released
        // yet.
        let isDownload = task.kind == .download
        switch isDownload ? .becomeDownload : dataTaskDidReceiveResponse?(task, head) {
        case .cancel?: return .cancel
        case .becomeDownload? where isAccepted:
            let file = task.session.temporaryFile()
            task.becomeDownload(to: file)
            if !isDownload { dataTaskDidBecomeDownloadTask?(task) }
            return .download(file)
        case .allow?, .becomeDownload?, nil: return .allow
        }
    }

    private func installDownload(on task: SessionTask) {
        guard downloadTaskDidResume != nil else { return }
        task.operation.setResponseBlock { [weak task] head, continues in
            guard let task, let block = task.blocks?.downloadTaskDidResume, continues,
                case .part(let first, _, let total)? = head.contentRange
            else { return .allow }
            return await task.session.ask {
                block(task, first, total ?? -1)
                return .allow
            }
        }
    }
}
