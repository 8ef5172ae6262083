// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Records the numbers of the clients that got a slot, in order.
final class AdmissionLog {
    private final class Client: Operation, SlotClient, @unchecked Sendable {  // safe: used on one thread
        let number: UInt64
        let log: AdmissionLog

        init(_ number: UInt64, _ log: AdmissionLog) { (self.number, self.log) = (number, log) }

        func wasAdmitted(with slot: TransferSlot) {
            log.numbers.append(number)
            log.slots.append(slot)
        }
    }

    private(set) var numbers: [UInt64] = []
    /// The slots of the running clients.
    private var slots: [TransferSlot] = []

    /// Releases the slot of the origin's oldest running client.
    func release(_ origin: Origin, of scheduler: Scheduler) {
        guard let index = slots.firstIndex(where: { $0.origin == origin }) else { return }
        scheduler.release(slots.remove(at: index))
    }

    func client(_ number: UInt64) -> any SlotClient { Client(number, self) }

    func serveAll(_ scheduler: Scheduler) {
        while scheduler.serveNext() != .nothing {}
    }
}

/// Schedulers and queue states on their own event loop, with operations that never run.
final class GateBench {
    /// The destination of an operation, and whether the operation takes its slot at the start.
    struct Plan {
        let scheduler: Scheduler
        let origin: Origin
        var takesSlot = true
        /// Nil while the operation does not run.
        var slot: TransferSlot?
    }

    let loop = EventLoop(inbox: Inbox())
    let round: StartBatch
    /// Schedules the operations that need no slot.
    let slotless = Scheduler()
    /// Called with each operation at its start.
    var whenStarted: (Operation) -> Void = { _ in }
    /// The started operations, in order.
    fileprivate(set) var started: [Operation] = []
    fileprivate var plans: [ObjectIdentifier: Plan] = [:]

    init() {
        round = StartBatch(loop: loop)
        slotless.round = round
    }

    func scheduler(limit: Int, limitPerOrigin: Int = 100) -> Scheduler {
        let scheduler = Scheduler(limit: limit, limitPerOrigin: limitPerOrigin)
        scheduler.round = round
        return scheduler
    }

    func queue() -> BenchQueue { BenchQueue(self) }

    /// The slot of a running operation.
    func slot(of operation: Operation) -> TransferSlot? { plans[ObjectIdentifier(operation)]?.slot }

    /// Turns the loop, and returns the operations that this turn started.
    func turn() -> [Operation] {
        let count = started.count
        loop.runTurn()
        return Array(started[count...])
    }
}

/// A queue's state at its gate, without a lock or a thread.
final class BenchQueue: GateSource {
    let gates = QueueGates()
    private var state = QueueState()
    private let bench: GateBench

    fileprivate init(_ bench: GateBench) { self.bench = bench }

    var slotless: Scheduler { bench.slotless }
    var count: Int { state.count }
    var operations: [Operation] { state.operations }

    /// Changes the state, and adds the queue to the round if the state requests scheduling.
    @discardableResult
    func change<Result>(_ change: (inout QueueState) -> Result) -> Result {
        let result = change(&state)
        if state.claimScheduling() { bench.round.add(self) }
        return result
    }

    /// Adds an operation. Without a scheduler, the operation needs no slot.
    @discardableResult
    func add(
        _ scheduler: Scheduler? = nil, _ origin: Origin = SchedulerTests.origin("a"), flow: Int = 0, priority: Int = 0,
        takesSlot: Bool = true, isReady: Bool = true
    ) -> Operation {
        let operation = Operation()
        if let scheduler {
            bench.plans[ObjectIdentifier(operation)] = GateBench.Plan(
                scheduler: scheduler, origin: origin, takesSlot: takesSlot)
        }
        change { state in
            _ = state.add(operation, flow: flow, priority: priority, needsSlot: scheduler != nil)
            if isReady { state.makeReady(operation, priority: priority, isCancelled: false) }
        }
        return operation
    }

    func makeReady(_ operation: Operation, isCancelled: Bool = false, priority: Int = 0) {
        change { $0.makeReady(operation, priority: priority, isCancelled: isCancelled) }
    }

    /// Ends a running operation and returns its slot.
    func end(_ operation: Operation) {
        change { state in
            if case .holdsSlot = state.remove(operation) { state.freeSlot() }
        }
        guard let plan = bench.plans.removeValue(forKey: ObjectIdentifier(operation)), let slot = plan.slot else {
            return
        }
        plan.scheduler.release(slot)
    }

    func removeChanges(limit: Int) -> GateChanges { state.removeChanges(limit: limit) }

    func destination(of operation: Operation) -> (scheduler: Scheduler, origin: Origin)? {
        bench.plans[ObjectIdentifier(operation)].map { ($0.scheduler, $0.origin) }
    }

    func admit(_ entry: LaneEntry) -> GateAdmission { state.admit(entry) }

    func waitingCount(among entries: Heap<LaneEntry>) -> Int { state.waitingCount(among: entries) }

    func start(_ operation: Operation, _ slot: inout TransferSlot?) {
        bench.started.append(operation)
        bench.whenStarted(operation)
        guard bench.plans[ObjectIdentifier(operation)]?.takesSlot == true else { return }
        bench.plans[ObjectIdentifier(operation)]?.slot = slot.take()
    }
}
