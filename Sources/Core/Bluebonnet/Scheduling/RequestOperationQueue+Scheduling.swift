// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

extension RequestOperationQueue {
    func enqueue(_ operation: Operation) {
        group.enter()
        guard let request = operation as? RequestOperation else {
            let priority = operation.queuePriority.rawValue
            let isClosed = shared.withLock { state in
                _ = state.add(operation, flow: 0, priority: priority, needsSlot: false)
                return state.isClosed
            }
            watchEnd(of: operation)
            watchReadiness(of: operation)
            if isClosed { endUnstarted(operation) }
            return
        }
        guard let entry = enter(request) else {
            preconditionFailure("\(request) can be added to only one queue, once, before it is started")
        }
        add(request, entry)
    }

    /// Adds an operation, unless it is in a queue or was started. The caller calls `schedule()` afterwards.
    func enqueueIfFree(_ request: RequestOperation) {
        group.enter()
        guard let entry = enter(request) else { return group.leave() }
        add(request, entry)
    }

    private func enter(_ request: RequestOperation) -> (flow: Int, needsSlot: Bool)? {
        let channels = request.state.channels
        return request.state.enter(
            self, isWaiting: request.dependencyNode.isWaiting, channels, name: channels != nil ? request.name : nil,
            reason: channels != nil ? request.firstWaitReason(in: self) : nil)
    }

    private func add(_ request: RequestOperation, _ entry: (flow: Int, needsSlot: Bool)) {
        let priority = request.queuePriority.rawValue
        shared.withLock { state in
            let index = state.add(request, flow: entry.flow, priority: priority, needsSlot: entry.needsSlot)
            request.queueIndex.store(index, ordering: .relaxed)
        }
        if request.dependencyNode.markQueued() { request.listenForReadiness() }
        if request.isReadyNow { makeReady(request) }
        if request.services.isDrained { endUnstarted(request) }
    }

    /// Cancels foreign operations (not a `RequestOperation`) that are added from now on.
    func close() { shared.withLock { $0.isClosed = true } }

    /// Ends an operation of a drained manager. Foreign operations are cancelled.
    func endUnstarted(_ operation: Operation) {
        if let request = operation as? RequestOperation { return request.cancel(because: .drained) }
        operation.cancel()
        operationBecameReady(operation)
    }

    func watchEnd(of operation: Operation) {
        OperationWatch.begin([operation]) { [self] in
            operationFinished(operation)
            BackingQueues.ended(operation, in: self)
        }
    }

    /// A foreign operation counts as ready when the dependencies that it had on addition have ended.
    private func watchReadiness(of operation: Operation) {
        if let end = operation as? any ReadinessAnnouncer {
            // Otherwise the operation would wait with a slot that an operation of its batch may need.
            return end.whenReady { [self] in operationBecameReady(end) }
        }
        let dependencies = operation.dependencies
        guard !dependencies.isEmpty else { return makeReady(operation) }
        OperationWatch.begin(dependencies) { [self] in operationBecameReady(operation) }
    }

    func operationBecameReady(_ operation: Operation) {
        let (priority, isCancelled) = (operation.queuePriority.rawValue, operation.isCancelled)
        let isNeeded = shared.withLock { state in
            state.makeReady(operation, priority: priority, isCancelled: isCancelled)
            return state.claimScheduling()
        }
        if isNeeded { startSoon() }
        guard !isCancelled, let request = operation as? RequestOperation, request.services.isDrained else { return }
        endUnstarted(request)
    }

    private func makeReady(_ operation: Operation) {
        let (priority, isCancelled) = (operation.queuePriority.rawValue, operation.isCancelled)
        shared.withLock { $0.makeReady(operation, priority: priority, isCancelled: isCancelled) }
    }

    func priorityChanged(of operation: Operation) {
        let priority = operation.queuePriority.rawValue
        let isNeeded = shared.withLock { state in
            state.changePriority(of: operation, to: priority)
            return state.claimScheduling()
        }
        if isNeeded { startSoon() }
    }

    func operationFinished(_ operation: Operation) {
        if remove(operation) { freeSlot() }
    }

    /// Removes an operation that has ended.
    ///
    /// - Returns: whether the operation keeps its slot until `freeSlot` is called.
    func remove(_ operation: Operation) -> Bool {
        let (removal, isNeeded) = shared.withLock { state in
            let removal = state.remove(operation)
            return (removal, removal != .holdsSlot && state.claimScheduling())
        }
        if removal != .unknown {
            reporting.recordEnd(before: group)
            group.leave()
        }
        if isNeeded { startSoon() }
        return removal == .holdsSlot
    }

    /// Frees the slot, so that the next operation may start.
    func freeSlot() {
        let isNeeded = shared.withLock { state in
            state.freeSlot()
            return state.claimScheduling()
        }
        if isNeeded { startSoon() }
    }

    /// Returns why a ready operation has not started; nil if its scheduler decides that.
    func waitReason(of operation: RequestOperation) -> WaitReason? {
        shared.withLock { $0.waitReason(of: operation) }
    }

    /// Divides the time for which an operation has been ready, which starts now.
    func waits(from start: UInt64, to end: UInt64) -> QueueWaits {
        shared.withLock { $0.waits(from: start, to: end) }
    }

    /// Makes the network thread start operations at the end of its round, if there are any to start.
    func schedule() {
        if shared.withLock({ $0.claimScheduling() }) { startSoon() }
    }

    private func startSoon() {
        if NetworkThread.isCurrent { return StartBatch.shared.value.add(self) }
        NetworkThread.shared.submit { [self] in StartBatch.shared.value.add(self) }
    }
}

// MARK: - The gate

extension RequestOperationQueue: GateSource {
    var gates: QueueGates { networkGates.value }

    var slotless: Scheduler { NetworkServices.slotless }

    func removeChanges(limit: Int) -> GateChanges { shared.withLock { $0.removeChanges(limit: limit) } }

    func admit(_ entry: LaneEntry) -> GateAdmission { shared.withLock { $0.admit(entry) } }

    func waitingCount(among entries: Heap<LaneEntry>) -> Int {
        shared.withLock { $0.waitingCount(among: entries) }
    }

    func destination(of operation: Operation) -> (scheduler: Scheduler, origin: Origin)? {
        guard let request = operation as? RequestOperation, let origin = request.state.origin else { return nil }
        return (request.services.scheduler, origin)
    }

    func start(_ operation: Operation, _ slot: inout TransferSlot?) {
        guard let request = operation as? RequestOperation else { return startForeign(operation) }
        guard !request.startIfReady(&slot) else { return }
        shared.withLock { $0.putBack(request) }
        if request.isReadyNow { operationBecameReady(request) }
    }
}

extension RequestOperationQueue {
    /// Adds a foreign operation to Foundation's queue. That queue traps if the owner has already started the operation.
    /// Such an operation keeps its slot until it ends, and its end may already have been reported.
    private func startForeign(_ operation: Operation) {
        guard !operation.isExecuting else { return }
        BackingQueues.begins(operation, in: self)
        guard !operation.isFinished else { return BackingQueues.ended(operation, in: self) }
        foreign.addOperation(operation)
    }
}

/// Numbers the flows of fair queueing: queues and batches. 0 is the flow of operations without a queue or batch.
enum FlowID {
    private static let last = Atomic<Int>(0)

    static func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Maps each Foundation queue that runs operations to its `RequestOperationQueue`.
///
/// The map holds strong references: a weak reference would slow down all later reference counting of the queue, which
/// happens several times for each operation.
enum BackingQueues {
    private struct Owner {
        let queue: RequestOperationQueue
        var running: Set<ObjectIdentifier> = []
    }

    private static let owners = Mutex<[ObjectIdentifier: Owner]>([:])

    /// Records that a foreign operation is passed to the Foundation queue of `queue`.
    static func begins(_ operation: Operation, in queue: RequestOperationQueue) {
        owners.withLock { owners in
            _ = owners[ObjectIdentifier(queue.foreign), default: Owner(queue: queue)].running
                .insert(ObjectIdentifier(operation))
        }
    }

    /// Records the end of an operation, whether it ran in a Foundation queue or not.
    static func ended(_ operation: Operation, in queue: RequestOperationQueue) {
        let key = ObjectIdentifier(queue.foreign)
        owners.withLock { owners in
            guard owners[key]?.running.remove(ObjectIdentifier(operation)) != nil else { return }
            if owners[key]?.running.isEmpty == true { owners[key] = nil }
        }
    }

    static func owner(of queue: OperationQueue) -> RequestOperationQueue? {
        owners.withLock { $0[ObjectIdentifier(queue)]?.queue }
    }
}

/// A queue's `Progress`, created on first use. It is only notified that an operation has ended.
final class ProgressReporting: Sendable {
    private let made = Mutex<Progress?>(nil)
    /// Serial, because a `Progress` has no lock and calls its parent, which belongs to the program.
    let queue = DispatchQueue(label: "org.bluebonnet.queue-progress")
    private let isAskedFor = Atomic<Bool>(false)

    var progress: Progress {
        let progress = made.withLock { made in
            let progress = made ?? Progress(totalUnitCount: 0)
            made = progress
            return progress
        }
        isAskedFor.store(true, ordering: .releasing)
        return progress
    }

    /// Records the end of an operation. Any thread.
    ///
    /// - Parameter group: entered until the progress has been updated.
    func recordEnd(before group: DispatchGroup) {
        guard isAskedFor.load(ordering: .acquiring), let progress = made.withLock({ $0 }) else { return }
        queue.async(group: group) {
            if progress.totalUnitCount > 0 { progress.completedUnitCount += 1 }
        }
    }
}
