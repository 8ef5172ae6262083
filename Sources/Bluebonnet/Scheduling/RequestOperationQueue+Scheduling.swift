// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

extension RequestOperationQueue: RoundEndTask {
    /// The most operations that are started in one round of the event loop: then sockets and other queues have theirs.
    private static let roundLimit = 256

    func enqueue(_ operation: Operation) {
        group.enter()
        let priority = operation.queuePriority.rawValue
        guard let request = operation as? RequestOperation else {
            _ = shared.withLock { $0.add(operation, flow: 0, priority: priority, needsSlot: false) }
            watchEnd(of: operation)
            return watchReadiness(of: operation)
        }
        let (flow, needsSlot) = request.shared.withLock { state in
            let isNew = state.queue == nil && state.lifecycle.isBeforeStart
            precondition(isNew, "an operation can be added to one queue only, once, before it is started")
            state.queue = self
            if state.lifecycle.isReady(isWaiting: request.dependencyNode.isWaiting) {
                state.readyInstant = MonotonicClock.now()
            }
            return (state.flow, state.startNeedsSlot)
        }
        shared.withLock { state in
            let index = state.add(request, flow: flow, priority: priority, needsSlot: needsSlot)
            request.queueIndex.store(index, ordering: .relaxed)
        }
        request.dependencyNode.noteQueue()
        if request.isReadyNow { makeReady(request) }
    }

    func watchEnd(of operation: Operation) {
        let finish = BlockOperation { [self] in
            operationFinished(operation)
            BackingQueues.ended(operation, in: self)
        }
        finish.addDependency(operation)
        OperationWatch.queue.addOperation(finish)
    }

    /// An operation of another kind is ready when what it depends on has ended, as far as it is known when it is added.
    private func watchReadiness(of operation: Operation) {
        if let end = operation as? any ReadinessAnnouncer {
            // It would hold a place in the queue that one of its operations may need.
            return end.whenReady { [self] in operationBecameReady(end) }
        }
        let dependencies = operation.dependencies
        guard !dependencies.isEmpty else { return makeReady(operation) }
        let ready = BlockOperation { [self] in operationBecameReady(operation) }
        for dependency in dependencies { ready.addDependency(dependency) }
        OperationWatch.queue.addOperation(ready)
    }

    func operationBecameReady(_ operation: Operation) {
        let (priority, isCancelled) = (operation.queuePriority.rawValue, operation.isCancelled)
        let isNeeded = shared.withLock { state in
            state.makeReady(operation, priority: priority, isCancelled: isCancelled)
            return state.takeScheduling()
        }
        if isNeeded { startSoon() }
    }

    private func makeReady(_ operation: Operation) {
        let (priority, isCancelled) = (operation.queuePriority.rawValue, operation.isCancelled)
        shared.withLock { $0.makeReady(operation, priority: priority, isCancelled: isCancelled) }
    }

    func priorityChanged(of operation: Operation) {
        let priority = operation.queuePriority.rawValue
        shared.withLock { $0.changePriority(of: operation, to: priority) }
    }

    func operationFinished(_ operation: Operation) {
        if remove(operation) { freeSlot() }
    }

    /// Takes an operation that has ended out of the books.
    ///
    /// - Returns: whether it still holds its place, until `freeSlot` is called.
    func remove(_ operation: Operation) -> Bool {
        let (removal, isNeeded) = shared.withLock { state in
            let removal = state.remove(operation)
            return (removal, removal != .holdsSlot && state.takeScheduling())
        }
        if removal != .unknown {
            reporting.noteEnd(before: group)
            group.leave()
        }
        if isNeeded { startSoon() }
        return removal == .holdsSlot
    }

    /// The next one may begin.
    func freeSlot() {
        let isNeeded = shared.withLock { state in
            state.freeSlot()
            return state.takeScheduling()
        }
        if isNeeded { startSoon() }
    }

    /// Sees to it that the network thread looks at the queue at the end of its round, if there is anything to start.
    func schedule() {
        if shared.withLock({ $0.takeScheduling() }) { startSoon() }
    }

    private func startSoon() {
        if NetworkThread.isCurrent { return lookAtEndOfRound() }
        NetworkThread.shared.submit { [self] in lookAtEndOfRound() }
    }

    private func lookAtEndOfRound() {
        NetworkThread.shared.eventLoop.atEndOfRound(.starting, self)
    }

    /// Starts what is ready, as far as there are places for it. Looks until there is no more to start: only then it is
    /// certain that admission will tell when there is room again. After many the next round looks.
    func roundEnds() {
        var count = 0
        while count < Self.roundLimit {
            let taken = shared.withLock { state in
                state.takeStartable(limit: Self.roundLimit - count) { [waiting] operation, priority in
                    waiting.value.availableSlotCount(for: operation.services, priority: priority)
                }
            }
            taken.operations.visit(start)
            count += taken.operations.count
            guard taken.operations.isEmpty else { continue }
            taken.full.visit { $0.admission.notifyWhenSlotFrees(self) }
            return schedule()
        }
        shared.withLock { $0.clearBlockedPriorities() }
        schedule()
    }

    private func start(_ operation: Operation) {
        guard let request = operation as? RequestOperation else {
            BackingQueues.begins(operation, in: self)
            // One that ended by itself may have been told of before.
            if operation.isFinished { BackingQueues.ended(operation, in: self) }
            return foreign.addOperation(operation)
        }
        guard !request.startIfReady() else { return }
        shared.withLock { $0.putBack(request) }
        if request.isReadyNow { operationBecameReady(request) }
    }
}

extension RequestOperationState {
    /// Whether a start leads to a wait for a place at once. A request that is made of others' results, and one that a
    /// cache may answer, have something to do before.
    fileprivate var startNeedsSlot: Bool { source.isReady && !resolvedOptions.hasResponseCache }
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

/// Gives numbers to those who share the wire: queues and batches. 0 is for those who belong to none.
enum FlowID {
    private static let last = Atomic<Int>(0)

    static func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Knows whose Foundation queue is behind which of ours, while anything runs there.
///
/// It holds those queues: a weak reference would make each later count of a reference to the queue slow, and there are
/// several for every operation.
enum BackingQueues {
    private struct Owner {
        let queue: RequestOperationQueue
        var running: Set<ObjectIdentifier> = []
    }

    private static let owners = Mutex<[ObjectIdentifier: Owner]>([:])

    /// An operation of another kind is handed to the queue behind `queue`.
    static func begins(_ operation: Operation, in queue: RequestOperationQueue) {
        owners.withLock { owners in
            _ = owners[ObjectIdentifier(queue.foreign), default: Owner(queue: queue)].running
                .insert(ObjectIdentifier(operation))
        }
    }

    /// An operation has ended, whether it was handed over or not.
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

/// A queue's `Progress`, made when it is asked for. It knows nothing of operations but that one has ended.
final class ProgressReporting: Sendable {
    private let made = Mutex<Progress?>(nil)
    /// Serial: a `Progress` has no lock, and calls its parent, which is the user's.
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

    /// An operation has ended. Any thread.
    ///
    /// - Parameter group: waits until the progress says so.
    func noteEnd(before group: DispatchGroup) {
        guard isAskedFor.load(ordering: .acquiring), let progress = made.withLock({ $0 }) else { return }
        queue.async(group: group) {
            if progress.totalUnitCount > 0 { progress.completedUnitCount += 1 }
        }
    }
}
