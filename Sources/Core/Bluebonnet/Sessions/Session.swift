// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// The state that the tasks of one session manager share: the manager that creates their operations, the queue of the
/// session's blocks, and the list of tasks. A session outlives its session manager while a task runs. Any thread.
final class Session: Sendable {
    private struct State: Sendable {
        var tasks: [Int: SessionTask] = [:]
        var lastIdentifier = 0
        /// Tasks that were resumed, and whose observers have to be notified on the delegate queue.
        var resumedTasks: [SessionTask] = []
        var isInvalidated = false
        /// Whether the end of the last task of an invalidated session still has to be reported.
        var mustReportInvalidation = false
        /// The invalidated session manager: the object of the notification.
        weak var sessionManager: SessionManager?
        var completion = CompletionTarget()
        /// Nil without blocks.
        var blocks: Box<SessionBlocks>?
    }

    let manager: RequestOperationManager
    let configuration: SessionConfiguration
    let delegateQueue = DispatchQueue(label: "org.bluebonnet.session")
    private let state = Mutex(State())

    init(_ manager: RequestOperationManager, _ configuration: SessionConfiguration) {
        (self.manager, self.configuration) = (manager, configuration)
        manager.completionQueue = delegateQueue
    }

    var blocks: Box<SessionBlocks>? {
        get { state.withLock { $0.blocks } }
        set { replace(\.blocks, newValue) }
    }

    var completion: CompletionTarget {
        get { state.withLock { $0.completion } }
        set { replace(\.completion, newValue) }
    }

    /// Sets a part. Releases the old value outside the lock, because the release may run the program's code.
    private func replace<Value: Sendable>(_ part: any WritableKeyPath<State, Value> & Sendable, _ value: Value) {
        let old = state.withLock { state in
            let old = state[keyPath: part]
            state[keyPath: part] = value
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Creates a suspended task. In an invalidated session the task ends with `cancelled`.
    func task(
        _ operation: HTTPRequestOperation, _ kind: SessionTask.Kind, _ completion: SessionTask.Completion?,
        _ extras: SessionTask.Extras? = nil
    ) -> SessionTask {
        let (task, isInvalidated) = state.withLock { state in
            state.lastIdentifier += 1
            let task = SessionTask(
                operation, kind, identifier: state.lastIdentifier, session: self, completion, extras)
            if !state.isInvalidated { state.tasks[task.taskIdentifier] = task }
            return (task, state.isInvalidated)
        }
        if isInvalidated {
            operation.cancel(because: NetworkingError(.cancelled, "the session of the task was invalidated"))
            task.cancel()
        }
        return task
    }

    /// The tasks that have not ended, in the order in which they were created.
    var tasks: [SessionTask] {
        let tasks = state.withLock { Array($0.tasks.values) }
        return tasks.filter { !$0.operation.isFinished }.sorted { $0.taskIdentifier < $1.taskIdentifier }
    }

    /// Enqueues the operation of a task that was resumed, or that was cancelled without having been resumed. Tasks that
    /// are resumed at about the same time are reported in one block on the delegate queue, before the tasks' ends.
    func begin(_ task: SessionTask, isResumed: Bool) {
        let (isFirst, group) = state.withLock { state in
            if state.tasks[task.taskIdentifier] == nil { state.tasks[task.taskIdentifier] = task }
            if isResumed { state.resumedTasks.append(task) }
            return (isResumed && state.resumedTasks.count == 1, state.completion.group)
        }
        if let group, task.operation.completionGroup == nil { task.operation.completionGroup = group }
        if isFirst { delegateQueue.async { [self] in postResumptions() } }
        manager.enqueueIfFree(task.operation)
    }

    private func postResumptions() {
        let tasks = state.withLock { state in
            defer { state.resumedTasks = [] }
            return state.resumedTasks
        }
        for task in tasks { NotificationCenter.default.post(name: SessionTask.didResumeNotification, object: task) }
    }

    /// Removes a task that has ended and whose handler has run.
    func remove(_ task: SessionTask) {
        let removed = state.withLock { $0.tasks.removeValue(forKey: task.taskIdentifier) }
        withExtendedLifetime(removed) {}
        reportInvalidationIfDone()
    }

    /// Releases the tasks that were not resumed. Called when the session manager is released; from then on, only the
    /// program retains these tasks.
    func forgetIdleTasks() {
        let idle = state.withLock { Array($0.tasks.values) }.filter { !$0.isBegun }
        let removed = state.withLock { state in idle.map { state.tasks.removeValue(forKey: $0.taskIdentifier) } }
        withExtendedLifetime(removed) {}
        reportInvalidationIfDone()
    }

    /// Invalidates the session: new tasks end with `cancelled`. When the last task has ended, reports the invalidation
    /// and releases the blocks.
    func invalidate(_ manager: SessionManager, cancelsTasks: Bool) {
        state.withLock { state in
            guard !state.isInvalidated else { return }
            (state.isInvalidated, state.mustReportInvalidation, state.sessionManager) = (true, true, manager)
        }
        if cancelsTasks { for task in tasks { task.cancel() } }
        reportInvalidationIfDone()
    }

    private func reportInvalidationIfDone() {
        let (isNew, blocks, manager) = state.withLock { state in
            guard state.mustReportInvalidation, state.tasks.isEmpty else {
                return (false, nil, nil) as (Bool, Box<SessionBlocks>?, SessionManager?)
            }
            defer { (state.mustReportInvalidation, state.blocks) = (false, nil) }
            return (true, state.blocks, state.sessionManager)
        }
        guard isNew else { return }
        delegateQueue.async {
            blocks?.value.sessionDidBecomeInvalid?()
            NotificationCenter.default.post(name: SessionManager.didInvalidateNotification, object: manager)
        }
    }

    /// Posts a notification on the delegate queue, in order.
    func post(_ name: Notification.Name, about task: SessionTask) {
        delegateQueue.async { NotificationCenter.default.post(name: name, object: task) }
    }

    /// Calls a handler on the completion queue. Without a completion queue, calls the handler immediately: this method
    /// runs on the delegate queue.
    func complete(_ handler: @escaping @Sendable () -> Void) {
        let target = completion
        guard let queue = target.queue else { return handler() }
        queue.async(group: target.group, execute: handler)
    }

    /// Calls a block on the delegate queue, after all earlier reports, and returns the block's answer.
    func ask<Answer: Sendable>(_ block: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { waiter in
            delegateQueue.async { waiter.resume(returning: block()) }
        }
    }
}
