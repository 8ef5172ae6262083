// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
internal import Synchronization

/// A queue of operations with the members of `OperationQueue`, which starts request operations in rounds on the network
/// thread and does so at the same small cost however many wait.
///
/// It takes any `Operation`. One that is not a request operation runs on a Foundation queue behind it, under the same
/// limit. All of it may be used from any thread.
///
/// Once there are as many transfers as the manager allows in all, a request operation that is ready is started when
/// there is a place on the wire for it. Those that are ready are started by priority. Among equals, the operations of each batch and those of no batch take
/// turns, the oldest of each first: so a single request never waits behind a whole batch.
public final class RequestOperationQueue: Sendable {
    /// As many as there is work for: transfers are limited by admission, not by the queue.
    public static let defaultMaxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount

    /// A queue that runs operations of other kinds on the main thread, one at a time; request operations run where they
    /// always do. Its limit, name and suspension cannot be changed. Needs a main queue that runs.
    public static let main = RequestOperationQueue(isMain: true)

    /// The queue that started the operation of another kind, or the block, that is running on this thread; nil
    /// elsewhere, and once that operation has ended.
    public static var current: RequestOperationQueue? {
        OperationQueue.current.flatMap { BackingQueues.owner(of: $0) }
    }

    let shared = Mutex(QueueState())
    let group = DispatchGroup()
    /// Runs operations of other kinds.
    let foreign = OperationQueue()
    let reporting = ProgressReporting()
    let connectivity = NetworkBound(QueueConnectivity())
    let waiting = NetworkBound(QueueWaiting())
    /// What tells this queue's transfers from others' in admission.
    let number = FlowID.next()
    private let isMain: Bool

    /// Makes an empty queue that starts operations as soon as they are ready.
    public convenience init() { self.init(isMain: false) }

    private init(isMain: Bool) {
        self.isMain = isMain
        guard isMain else { return }
        foreign.underlyingQueue = .main
        shared.withLock { state in
            state.limit = 1
            state.name = "RequestOperationQueue Main Queue"
        }
    }

    deinit {
        guard shared.withLock({ $0.holdsWithoutConnectivity }) else { return }
        NetworkThread.shared.submit { [connectivity] in connectivity.value.end() }
    }
}

// MARK: - Adding

extension RequestOperationQueue {
    /// Adds an operation, which starts when it is ready, when there is a place, and when the queue is not suspended. An
    /// operation may be in one queue only, once.
    public func addOperation(_ operation: Operation) {
        enqueue(operation)
        schedule()
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
        let operation = BlockOperation(block: block)
        operation.qualityOfService = qualityOfService
        addOperation(operation)
    }

    /// Runs a block when everything that was added before has ended; what is added later waits for it. It is no
    /// operation: it is neither counted nor cancelled.
    public func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
        group.enter()
        let operation = BlockOperation(block: barrier)
        shared.withLock { $0.addBarrier(operation) }
        watchEnd(of: operation)
        schedule()
    }
}

// MARK: - What is there

extension RequestOperationQueue {
    /// The unfinished operations, in the order in which they were added.
    public var operations: [Operation] { shared.withLock { $0.operations } }

    /// How many operations are unfinished.
    public var operationCount: Int { shared.withLock { $0.count } }

    /// How far the operations are. It reports nothing until its `totalUnitCount` is set; from then on each operation
    /// that ends counts one unit. Set it before the operations are added.
    public var progress: Progress { reporting.progress }

    /// Waits until every operation and barrier that has been added is finished. Handlers may still be running.
    public func waitUntilAllOperationsAreFinished() {
        group.wait()
    }

    /// Cancels every operation. Those that wait are finished even while the queue is suspended or at its limit; none is
    /// started because one that it waited for was cancelled.
    public func cancelAllOperations() {
        shared.withLock { $0.cancellationCount += 1 }
        for operation in operations {
            operation.cancel()
            if !(operation is RequestOperation) { operationBecameReady(operation) }
        }
        shared.withLock { $0.cancellationCount -= 1 }
        schedule()
    }

    /// Pauses every request operation, waiting or running.
    public func pauseAllOperations() {
        for case let operation as RequestOperation in operations { operation.pause() }
    }

    /// Resumes every paused request operation.
    public func resumeAllOperations() {
        for case let operation as RequestOperation in operations { operation.resume() }
    }
}

// MARK: - How it runs

extension RequestOperationQueue {
    /// Whether operations are kept from starting; those that run go on. Default false.
    public var isSuspended: Bool {
        get { shared.withLock { $0.isSuspended } }
        set {
            guard !isMain else { return }
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
            guard !isMain else { return }
            shared.withLock { $0.limit = newValue < 0 ? nil : newValue }
            schedule()
        }
    }

    /// A name of yours. Default: one with the queue's address, as Foundation's.
    public var name: String? {
        get { shared.withLock { $0.name } ?? "RequestOperationQueue \(Unmanaged.passUnretained(self).toOpaque())" }
        set {
            guard !isMain else { return }
            shared.withLock { $0.name = newValue ?? "" }
        }
    }

    /// The service level of blocks and operations of other kinds that are added from now on and have none of their own.
    /// Requests all run on the network thread, which has the level that the system gives it.
    public var qualityOfService: QualityOfService {
        get { foreign.qualityOfService }
        set { foreign.qualityOfService = newValue }
    }

    /// The dispatch queue on which blocks and operations of other kinds run; nil, the default, is one of Foundation's.
    /// It may be set only while the queue is empty, and not to the main queue: `main` is there for that.
    public var underlyingQueue: DispatchQueue? {
        get { foreign.underlyingQueue }
        set {
            precondition(
                operationCount == 0, "the underlying queue cannot be changed while operations are in the queue")
            precondition(
                newValue?.label != DispatchQueue.main.label, "use RequestOperationQueue.main instead of the main queue")
            foreign.underlyingQueue = newValue
        }
    }
}
