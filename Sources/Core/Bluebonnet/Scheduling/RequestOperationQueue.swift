// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
public import Foundation

/// A queue of operations with the members of `OperationQueue`. It starts request operations on the network thread. The
/// cost of a start does not grow with the number of waiting operations.
///
/// The queue accepts any `Operation`. An operation that is not a `RequestOperation` runs on a Foundation queue, under
/// the same limit. All members may be used from any thread.
///
/// When the manager's limit of transfers is reached, a ready request operation starts as soon as a slot is free. Ready
/// operations start in the order of their priority. Among operations of equal priority, the queue serves each batch,
/// and the operations without a batch, in rotation, the oldest operation of each first. A single request therefore
/// never waits for a whole batch. If a queue has operations of several managers, this order applies to the operations
/// of each manager.
public final class RequestOperationQueue: Sendable {
    /// No limit in the queue; the manager's configuration limits the transfers.
    public static let defaultMaxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount

    /// A queue that runs operations other than request operations on the main thread, one at a time. Request operations
    /// run on the network thread as always. The limit, name and suspension of this queue cannot be changed. The program
    /// has to run its main queue.
    public static let main = RequestOperationQueue(isMain: true)

    /// The queue that started the block, or the operation other than a `RequestOperation`, that is running on the
    /// current thread. Nil on any other thread, and after that operation has ended.
    public static var current: RequestOperationQueue? {
        OperationQueue.current.flatMap { BackingQueues.owner(of: $0) }
    }

    let shared = Mutex(QueueState())
    let group = DispatchGroup()
    /// Runs operations other than request operations.
    let foreign = OperationQueue()
    let reporting = ProgressReporting()
    let connectivity = NetworkBound(QueueConnectivity())
    let networkGates = NetworkBound(QueueGates())
    /// The flow of this queue's operations in fair queueing.
    let number = FlowID.next()
    private let isMain: Bool

    /// Creates an empty queue that starts operations as soon as they are ready.
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
    /// operation may be added only once, and to one queue only. A request operation must not have been started. Any
    /// other operation that its owner has already started occupies a slot until it ends.
    public func addOperation(_ operation: Operation) {
        enqueue(operation)
        schedule()
    }

    /// Adds operations.
    public func addOperations(_ operations: [Operation]) {
        for operation in operations { enqueue(operation) }
        schedule()
    }

    /// Adds operations. If `waitUntilFinished` is true, blocks the calling thread until all of them are finished. Do
    /// not wait on the queue of a handler. A task cannot call this method: it would block a thread of Swift's pool.
    @available(*, noasync, message: "add the operations without waiting, then await them")
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

    /// Runs a block after all previously added operations have ended; operations that are added later wait for the
    /// block. The block is not an operation: the queue neither counts nor cancels it.
    public func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
        group.enter()
        let operation = BlockOperation(block: barrier)
        shared.withLock { $0.addBarrier(operation) }
        watchEnd(of: operation)
        schedule()
    }
}

// MARK: - Contents

extension RequestOperationQueue {
    /// The unfinished operations, in the order in which they were added.
    public var operations: [Operation] { shared.withLock { $0.operations } }

    /// The number of unfinished operations.
    public var operationCount: Int { shared.withLock { $0.count } }

    /// The progress of the queue's operations. It reports nothing until you set its `totalUnitCount`; from then on each
    /// operation that ends counts one unit. Set the total before you add the operations.
    public var progress: Progress { reporting.progress }

    /// Blocks the calling thread until all added operations and barriers are finished. Handlers may still be running. A
    /// task cannot call this method: it would block a thread of Swift's pool.
    @available(*, noasync, message: "await the operations instead")
    public func waitUntilAllOperationsAreFinished() {
        group.wait()
    }

    /// Cancels every operation. Waiting operations finish even while the queue is suspended or at its limit, as
    /// described for `RequestOperation.cancel()`. No operation starts because its dependency was cancelled.
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

// MARK: - Execution

extension RequestOperationQueue {
    /// Whether the queue is suspended: it starts no operations. Running operations continue. Default false.
    public var isSuspended: Bool {
        get { shared.withLock { $0.isSuspended } }
        set {
            guard !isMain else { return }
            shared.withLock { $0.isSuspended = newValue }
            schedule()
        }
    }

    /// Whether an operation that is added now starts at once: without suspension, barrier and limit.
    var startsAtOnce: Bool { shared.withLock { $0.startsAtOnce } }

    /// The largest number of operations that run at once. A paused operation counts here, but not as a transfer.
    /// Default `defaultMaxConcurrentOperationCount`: only the manager's limits apply.
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

    /// The quality of service of blocks, and of operations other than request operations, that you add from now on and
    /// that do not set their own. It does not affect request operations, which all run on the network thread.
    public var qualityOfService: QualityOfService {
        get { foreign.qualityOfService }
        set { foreign.qualityOfService = newValue }
    }

    /// The dispatch queue on which blocks, and operations other than request operations, run. Default nil: a queue of
    /// Foundation. Set this property only while the queue is empty. Setting it to the main queue traps; use `main`
    /// instead.
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
    /// A description for logs: the queue's name, the number of its operations, its suspension and its limit.
    public var description: String {
        let limit = maxConcurrentOperationCount
        let limitText = limit == Self.defaultMaxConcurrentOperationCount ? "" : ", at most \(limit) at once"
        let title = shared.withLock { $0.name }.map { " \"\($0)\"" } ?? ""
        let suspension = isSuspended ? ", suspended" : ""
        return "<RequestOperationQueue\(title): \(operationCount) operations\(suspension)\(limitText)>"
    }
}
