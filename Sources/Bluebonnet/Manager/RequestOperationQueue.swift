// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
internal import Synchronization

/// A queue of operations with the members of `OperationQueue` that a manager needs, which starts request operations in
/// rounds on the network thread and does so at the same small cost however many wait.
///
/// It takes any `Operation`. One that is not a request operation runs on a Foundation queue behind it, under the same
/// limit. All of it may be used from any thread.
public final class RequestOperationQueue: Sendable {
    /// As many as there is work for: transfers are limited by admission, not by the queue.
    public static let defaultMaxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount

    let shared = Mutex(QueueState())
    private let group = DispatchGroup()
    private let foreign = OperationQueue()
    let connectivity = NetworkBound(QueueConnectivity())

    /// Makes an empty queue that starts operations as soon as they are ready.
    public init() {}

    deinit {
        guard shared.withLock({ $0.holdsWithoutConnectivity }) else { return }
        NetworkThread.shared.submit { [connectivity] in connectivity.value.end() }
    }
}

// MARK: - OperationQueue's members

extension RequestOperationQueue {
    /// Adds an operation, which starts when it is ready, when there is a place, and when the queue is not suspended. An
    /// operation may be in one queue only, once.
    public func addOperation(_ operation: Operation) {
        addOperations([operation], waitUntilFinished: false)
    }

    /// Adds operations at once; optionally waits until all of them are finished. Do not wait on a handler's queue.
    public func addOperations(_ operations: [Operation], waitUntilFinished: Bool = false) {
        for operation in operations { enqueue(operation) }
        schedule()
        guard waitUntilFinished else { return }
        for operation in operations { operation.waitUntilFinished() }
    }

    /// Adds a block as an operation.
    public func addOperation(_ block: @escaping @Sendable () -> Void) {
        addOperation(BlockOperation(block: block))
    }

    /// The unfinished operations, in the order in which they were added.
    public var operations: [Operation] { shared.withLock { $0.operations } }

    /// How many operations are unfinished.
    public var operationCount: Int { shared.withLock { $0.count } }

    /// Whether operations are kept from starting; those that run go on. Default false.
    public var isSuspended: Bool {
        get { shared.withLock { $0.isSuspended } }
        set {
            shared.withLock { $0.isSuspended = newValue }
            schedule()
        }
    }

    /// The most operations that run at once; a paused one keeps its place here, though not on the wire. Default
    /// `defaultMaxConcurrentOperationCount`: no limit but admission's.
    public var maxConcurrentOperationCount: Int {
        get { shared.withLock { $0.limit ?? Self.defaultMaxConcurrentOperationCount } }
        set {
            precondition(
                newValue >= 0 || newValue == Self.defaultMaxConcurrentOperationCount,
                "a queue's limit cannot be negative")
            shared.withLock { $0.limit = newValue < 0 ? nil : newValue }
            schedule()
        }
    }

    /// A name of yours.
    public var name: String? {
        get { shared.withLock { $0.name } }
        set { shared.withLock { $0.name = newValue } }
    }

    /// Cancels every operation. Those that wait are finished even while the queue is suspended or at its limit.
    public func cancelAllOperations() {
        for operation in operations {
            operation.cancel()
            if !(operation is RequestOperation) { operationBecameReady(operation) }
        }
    }

    /// Pauses every request operation, waiting or running.
    public func pauseAllOperations() {
        for case let operation as RequestOperation in operations { operation.pause() }
    }

    /// Resumes every paused request operation.
    public func resumeAllOperations() {
        for case let operation as RequestOperation in operations { operation.resume() }
    }

    /// Waits until every operation that has been added is finished. Their handlers may still be running.
    public func waitUntilAllOperationsAreFinished() {
        group.wait()
    }
}

// MARK: - Keeping the books

extension RequestOperationQueue {
    private func enqueue(_ operation: Operation) {
        group.enter()
        if let request = operation as? RequestOperation {
            shared.withLock { $0.add(operation) }
            let isNew = request.shared.withLock { state in
                guard state.queue == nil, [.ready, .pausedBeforeStart].contains(state.lifecycle.state) else {
                    return false
                }
                state.queue = self
                return true
            }
            precondition(isNew, "an operation can be added to one queue only, once, before it is started")
            if request.isReady { makeReady(operation) }
        } else {
            shared.withLock { $0.add(operation) }
            watch(operation)
        }
    }

    /// An operation of another kind is ready when what it depends on has ended, as far as it is known when it is added.
    private func watch(_ operation: Operation) {
        let finish = BlockOperation { [self] in operationFinished(operation) }
        finish.addDependency(operation)
        OperationWatch.queue.addOperation(finish)
        let ready = BlockOperation { [self] in operationBecameReady(operation) }
        for dependency in operation.dependencies { ready.addDependency(dependency) }
        OperationWatch.queue.addOperation(ready)
    }

    func operationBecameReady(_ operation: Operation) {
        makeReady(operation)
        schedule()
    }

    private func makeReady(_ operation: Operation) {
        let (priority, isCancelled) = (operation.queuePriority.rawValue, operation.isCancelled)
        shared.withLock { $0.makeReady(operation, priority: priority, isCancelled: isCancelled) }
    }

    func operationFinished(_ operation: Operation) {
        guard shared.withLock({ $0.finish(operation) }) else { return }
        group.leave()
        schedule()
    }

    /// Sees to it that the network thread looks at the queue at the end of its round, if there is anything to start.
    func schedule() {
        guard shared.withLock({ $0.takeScheduling() }) else { return }
        NetworkThread.shared.submit { [self] in
            NetworkThread.shared.eventLoop.atEndOfRound { self.startReadyOperations() }
        }
    }

    private func startReadyOperations() {
        let started = shared.withLock { $0.takeStartable() }
        for operation in started {
            guard let request = operation as? RequestOperation else {
                foreign.addOperation(operation)
                continue
            }
            guard !request.startIfReady() else { continue }
            shared.withLock { $0.putBack(request) }
            if request.isReady { operationBecameReady(request) }
        }
    }
}

/// Where the watches over other kinds of operations run: they only do bookkeeping.
private enum OperationWatch {
    static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "org.bluebonnet.operation-watch"
        queue.maxConcurrentOperationCount = 1
        return queue
    }()
}
