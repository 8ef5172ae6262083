// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
public import Foundation

/// A queue of operations with the members of `OperationQueue`. It starts request operations on the network thread, at a
/// cost that does not grow with the number of waiting operations.
///
/// The queue takes any `Operation`. An operation that is not a `RequestOperation` runs on a Foundation queue, under the
/// same limit. All members may be used from any thread.
///
/// When the manager's limit of transfers is reached, a ready request operation starts as soon as a slot is free. Ready
/// operations start in the order of their priority. Among operations of equal priority the queue serves each batch, and
/// the operations without a batch, in rotation, the oldest operation of each first: a single request never waits behind
/// a whole batch. When a queue has operations of several managers, the order holds among those of each manager.
public final class RequestOperationQueue: Sendable {
    /// No limit in the queue; the manager's configuration limits the transfers.
    public static let defaultMaxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount

    /// A queue that runs operations of other kinds on the main thread, one at a time. Request operations run on the
    /// network thread as always. The limit, name and suspension of this queue cannot be changed. The program has to run
    /// its main queue.
    public static let main = RequestOperationQueue(isMain: true)

    /// The queue that started the block, or the operation that is no `RequestOperation`, that is running on this
    /// thread. Nil on any other thread, and after that operation has ended.
    public static var current: RequestOperationQueue? {
        OperationQueue.current.flatMap { BackingQueues.owner(of: $0) }
    }

    let shared = Mutex(QueueState())
    let group = DispatchGroup()
    /// Runs operations of other kinds.
    let foreign = OperationQueue()
    let reporting = ProgressReporting()
    let connectivity = NetworkBound(QueueConnectivity())
    let networkGates = NetworkBound(QueueGates())
    /// The flow of this queue's operations in fair queueing.
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
    /// Adds an operation. The operation starts when it is ready, a slot is free and the queue is not suspended. An
    /// operation may be added to one queue only, once. A request operation must not have been started; an operation of
    /// another kind that its owner has started already takes a slot until it ends.
    public func addOperation(_ operation: Operation) {
        enqueue(operation)
        schedule()
    }

    /// Adds operations.
    public func addOperations(_ operations: [Operation]) {
        for operation in operations { enqueue(operation) }
        schedule()
    }

    /// Adds operations, and blocks the calling thread until all of them are finished when `waitUntilFinished` is true.
    /// Do not wait on the queue of a handler. A task cannot call this method: it would block a thread of Swift's pool.
    @available(*, noasync, message: "add the operations without waiting, and await their ends")
    public func addOperations(_ operations: [Operation], waitUntilFinished: Bool) {
        addOperations(operations)
        guard waitUntilFinished else { return }
        for operation in operations { operation.waitUntilFinished() }
    }

    /// Adds a block as an operation.
    public func addOperation(_ block: @escaping @Sendable () -> Void) {
        let operation = BlockOperation(block: block)
        operation.qualityOfService = qualityOfService
        addOperation(operation)
    }

    /// Runs a block after all operations that were added before have ended; operations that are added later wait for
    /// the block. The block is not an operation: the queue neither counts nor cancels it.
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

    /// The number of unfinished operations.
    public var operationCount: Int { shared.withLock { $0.count } }

    /// The progress of the queue's operations. It reports nothing until you set its `totalUnitCount`; from then on each
    /// operation that ends counts one unit. Set the total before you add the operations.
    public var progress: Progress { reporting.progress }

    /// Blocks the calling thread until every operation and barrier that has been added is finished. Handlers may still
    /// be running. A task cannot call this method: it would block a thread of Swift's pool.
    @available(*, noasync, message: "await the ends of the operations")
    public func waitUntilAllOperationsAreFinished() {
        group.wait()
    }

    /// Cancels every operation. Waiting operations finish even while the queue is suspended or at its limit, as
    /// `RequestOperation.cancel()` says. The cancellation of a dependency starts no operation.
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
    /// Whether the queue starts no operations. Running operations continue. Default false.
    public var isSuspended: Bool {
        get { shared.withLock { $0.isSuspended } }
        set {
            guard !isMain else { return }
            shared.withLock { $0.isSuspended = newValue }
            schedule()
        }
    }

    /// The most operations that run at once. A paused operation counts here, but not as a transfer. Default
    /// `defaultMaxConcurrentOperationCount`: only the manager's limits apply.
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

    /// The queue's name, for debugging. Default: a name with the queue's address.
    public var name: String? {
        get { shared.withLock { $0.name } ?? "RequestOperationQueue \(Unmanaged.passUnretained(self).toOpaque())" }
        set {
            guard !isMain else { return }
            shared.withLock { $0.name = newValue ?? "" }
        }
    }

    /// The quality of service of blocks and operations of other kinds that you add from now on and that have none of
    /// their own. It does not affect request operations, which all run on the network thread.
    public var qualityOfService: QualityOfService {
        get { foreign.qualityOfService }
        set { foreign.qualityOfService = newValue }
    }

    /// The dispatch queue on which blocks and operations of other kinds run. Default nil: a queue of Foundation's. Set
    /// it only while the queue is empty; setting it to the main queue traps, use `main` instead.
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

extension RequestOperationQueue: CustomStringConvertible {
    /// The queue's name, how many operations are in it, and what holds them, for a log.
    public var description: String {
        let limit = maxConcurrentOperationCount
        let limitText = limit == Self.defaultMaxConcurrentOperationCount ? "" : ", at most \(limit) at once"
        let title = shared.withLock { $0.name }.map { " \"\($0)\"" } ?? ""
        let suspension = isSuspended ? ", suspended" : ""
        return "<RequestOperationQueue\(title): \(operationCount) operations\(suspension)\(limitText)>"
    }
}
