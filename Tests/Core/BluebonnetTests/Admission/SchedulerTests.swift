// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SchedulerTests {
    private let a = origin("a")
    private let b = origin("b")
    private let c = origin("c")

    static func origin(_ host: String) -> Origin {
        guard let origin = URL(string: "http://\(host)/").flatMap(Origin.init) else {
            preconditionFailure("\(host) is no host")
        }
        return origin
    }

    @Test func emptyQueueAdmitsNothing() {
        let queue = NumberedQueue(limit: 1, limitPerOrigin: 1)
        #expect(queue.admitNext() == nil)
        #expect(queue.waitingCount == 0)
        #expect(queue.runningCount == 0)
    }

    @Test func totalLimitHolds() {
        let queue = NumberedQueue(limit: 2, limitPerOrigin: 5)
        queue.enqueue([(1, a), (2, b), (3, c)])
        #expect(queue.admitAll() == [1, 2])
        #expect(queue.runningCount == 2)
        #expect(queue.waitingCount == 1)
        queue.release(origin: a)
        #expect(queue.admitAll() == [3])
    }

    @Test func originLimitHolds() {
        let queue = NumberedQueue(limit: 10, limitPerOrigin: 2)
        queue.enqueue([(1, a), (2, a), (3, a), (4, a)])
        #expect(queue.admitAll() == [1, 2])
        queue.release(origin: a)
        #expect(queue.admitAll() == [3])
        queue.release(origin: a)
        queue.release(origin: a)
        #expect(queue.admitAll() == [4])
        #expect(queue.waitingCount == 0)
    }

    @Test func originAtItsLimitDoesNotDelayOthers() {
        let queue = NumberedQueue(limit: 10, limitPerOrigin: 1)
        queue.enqueue([(1, a), (2, a), (3, a), (4, b), (5, c)])
        #expect(queue.admitAll() == [1, 4, 5])
        queue.enqueue([(6, b)])
        queue.release(origin: b)
        #expect(queue.admitAll() == [6])
    }

    @Test func higherPriorityGoesFirst() {
        let queue = NumberedQueue(limit: 10, limitPerOrigin: 10)
        queue.enqueue(1, a, priority: -8)
        queue.enqueue(2, b, priority: 0)
        queue.enqueue(3, a, priority: 8)
        queue.enqueue(4, c, priority: 4)
        #expect(queue.admitAll() == [3, 4, 2, 1])
    }

    @Test func oldestOfEqualPriorityGoesFirst() {
        let queue = NumberedQueue(limit: 10, limitPerOrigin: 10)
        queue.enqueue([(4, a), (2, b), (3, a), (1, c)])
        #expect(queue.admitAll() == [1, 2, 3, 4])
    }

    @Test func laterEntryOfHigherPriorityOvertakes() {
        let queue = NumberedQueue(limit: 1, limitPerOrigin: 1)
        queue.enqueue([(1, a), (2, a)])
        #expect(queue.admitAll() == [1])
        queue.enqueue(3, a, priority: 4)
        queue.enqueue(4, b, priority: 8)
        queue.release(origin: a)
        #expect(queue.admitAll() == [4])
        queue.release(origin: b)
        #expect(queue.admitAll() == [3])
    }

    @Test func withdrawnTicketIsNotAdmitted() {
        let queue = NumberedQueue(limit: 10, limitPerOrigin: 10)
        queue.enqueue([(1, a), (2, a), (3, b)])
        queue.withdraw(1)
        queue.withdraw(3)
        #expect(queue.waitingCount == 1)
        #expect(queue.admitAll() == [2])
    }

    @Test func withdrawingNonWaitingTicketChangesNothing() {
        let queue = NumberedQueue(limit: 1, limitPerOrigin: 1)
        queue.enqueue([(1, a), (2, a)])
        #expect(queue.admitAll() == [1])
        queue.withdraw(1)
        queue.withdraw(9)
        #expect(queue.runningCount == 1)
        #expect(queue.waitingCount == 1)
    }

    @Test func returningTicketKeepsItsPlace() {
        let queue = NumberedQueue(limit: 1, limitPerOrigin: 1)
        queue.enqueue([(1, a), (2, a), (3, a)])
        queue.withdraw(1)
        queue.enqueue([(1, a)])
        #expect(queue.admitAll() == [1])
        queue.release(origin: a)
        #expect(queue.admitAll() == [2])
    }

    @Test func returningTicketHasItsNewLowerPriority() {
        let queue = NumberedQueue(limit: 1, limitPerOrigin: 1)
        queue.enqueue(1, a, priority: 8)
        queue.enqueue(2, a, priority: 4)
        queue.enqueue(3, a, priority: 8)
        queue.withdraw(3)
        queue.enqueue(3, a, priority: 0)
        #expect(queue.admitAll() == [1])
        queue.release(origin: a)
        #expect(queue.admitAll() == [2])
    }

    @Test func ticketReturningForAnotherOriginLeavesTheFirstOrigin() {
        let queue = NumberedQueue(limit: 10, limitPerOrigin: 1)
        queue.enqueue([(1, a), (2, a), (3, a)])
        queue.withdraw(2)
        queue.enqueue([(2, b)])
        #expect(queue.admitAll() == [1, 2])
        queue.enqueue([(4, b)])
        queue.release(origin: a)
        #expect(queue.admitAll() == [3])
        queue.release(origin: b)
        #expect(queue.admitAll() == [4])
        queue.release(origin: a)
        queue.release(origin: b)
        #expect(queue.runningCount == 0)
        #expect(queue.waitingCount == 0)
    }

    /// The operation is paused, resumed and redirected to another origin while the first origin is at its limit.
    @Test func movedTicketIsNotAdmittedForItsFirstOrigin() {
        let queue = NumberedQueue(limit: 10, limitPerOrigin: 1)
        queue.enqueue([(1, a), (2, a), (5, b)])
        #expect(queue.admitAll() == [1, 5])
        queue.withdraw(2)
        queue.enqueue([(2, b)])
        queue.release(origin: a)
        #expect(queue.admitAll() == [])
        queue.release(origin: b)
        #expect(queue.admitAll() == [2])
    }

    @Test func closedSchedulerAdmitsOnlyBegunOperations() {
        let (scheduler, log) = (Scheduler(limit: 1, limitPerOrigin: 1), AdmissionLog())
        var (new, old, late) = (Scheduler.Ticket(number: 1), Scheduler.Ticket(number: 2), Scheduler.Ticket(number: 3))
        scheduler.enqueue(&new, origin: a, priority: 8, client: log.client(1))
        scheduler.enqueue(&old, origin: a, priority: 0, demand: .another, client: log.client(2))
        scheduler.stopAdmittingNew()
        scheduler.enqueue(&late, origin: b, priority: 8, client: log.client(3))
        #expect(scheduler.waitingCount == 1)
        log.serveAll(scheduler)
        #expect(log.numbers == [2])
        scheduler.withdraw(&new)
        scheduler.withdraw(&late)
        #expect(scheduler.waitingCount == 0 && scheduler.runningCount == 1)
    }

    @Test func slotsCanBeFreedInAnyOrder() {
        let queue = NumberedQueue(limit: 2, limitPerOrigin: 2)
        queue.enqueue([(1, a), (2, b), (3, c), (4, a)])
        #expect(queue.admitAll() == [1, 2])
        queue.release(origin: b)
        #expect(queue.admitAll() == [3])
        queue.release(origin: a)
        #expect(queue.admitAll() == [4])
        queue.release(origin: a)
        queue.release(origin: c)
        #expect(queue.runningCount == 0)
    }
}

// MARK: - Many tickets

extension SchedulerTests {
    /// Would take hours if a step visited all waiting tickets. `HeapTests` counts the comparisons of a step.
    @Test(arguments: [(100_000, 100), (10_000, 1), (10_000, 10_000)])
    func manyTicketsAreAllAdmitted(ticketCount: Int, originCount: Int) {
        let origins = (0..<originCount).map { Self.origin("h\($0)") }
        let queue = NumberedQueue(limit: 64, limitPerOrigin: 6)
        for number in 0..<ticketCount { queue.enqueue([(UInt64(number), origins[number % originCount])]) }
        var admittedCount = 0
        repeat {
            let running = queue.admitAll()
            admittedCount += running.count
            for number in running { queue.release(origin: origins[Int(number) % originCount]) }
        } while queue.waitingCount > 0
        #expect(admittedCount == ticketCount)
        #expect(queue.runningCount == 0)
    }

    @Test(arguments: 1...60) func queueAgreesWithNaiveModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (limit, limitPerOrigin) = (Int.random(in: 1...6, using: &random), Int.random(in: 1...3, using: &random))
        var twins = Twins(limit: limit, limitPerOrigin: limitPerOrigin)
        for _ in 0..<400 { twins.step(using: &random) }
        #expect(twins.differences == [])
    }

    /// The queue, and a list that is searched for each question.
    struct Twins {
        private let queue: NumberedQueue
        private var waiting: [Waiting] = []
        private var running: [(number: UInt64, origin: Origin)] = []
        private var withdrawn: [UInt64] = []
        private var lastNumber: UInt64 = 0
        private(set) var differences: [String] = []

        private static let origins = ["a", "b", "c", "d"].map(SchedulerTests.origin)

        private struct Waiting {
            let number: UInt64
            let origin: Origin
            let priority: Int
        }

        init(limit: Int, limitPerOrigin: Int) {
            queue = NumberedQueue(limit: limit, limitPerOrigin: limitPerOrigin)
        }

        mutating func step(using random: inout SeededGenerator) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: enqueue(newNumber(), using: &random)
            case 4: withdraw(using: &random)
            case 5: if let number = withdrawn.popLast() { enqueue(number, using: &random) }
            case 6: release(using: &random)
            case 7: moveOn(using: &random)
            default: admit()
            }
            compare(queue.waitingCount, waiting.count, "waiting")
            compare(queue.runningCount, running.count, "running")
        }

        private mutating func newNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        private mutating func enqueue(_ number: UInt64, using random: inout SeededGenerator) {
            let origin = Self.origins[Int.random(in: 0..<4, using: &random)]
            let priority = [-8, -4, 0, 4, 8][Int.random(in: 0..<5, using: &random)]
            queue.enqueue(number, origin, priority: priority)
            waiting.append(Waiting(number: number, origin: origin, priority: priority))
        }

        private mutating func withdraw(using random: inout SeededGenerator) {
            guard let index = waiting.indices.randomElement(using: &random) else { return }
            let number = waiting.remove(at: index).number
            withdrawn.append(number)
            queue.withdraw(number)
        }

        private mutating func release(using random: inout SeededGenerator) {
            guard let index = running.indices.randomElement(using: &random) else { return }
            queue.release(origin: running.remove(at: index).origin)
        }

        /// Ends a transfer, and another transfer of the same operation follows, as after a redirect.
        private mutating func moveOn(using random: inout SeededGenerator) {
            guard let index = running.indices.randomElement(using: &random) else { return }
            let (number, origin) = running.remove(at: index)
            queue.release(origin: origin)
            enqueue(number, using: &random)
        }

        private mutating func admit() {
            let expected = running.count < queue.limit ? first : nil
            compare(queue.admitNext(), expected?.number, "admitted")
            guard let expected else { return }
            waiting.removeAll { $0.number == expected.number }
            running.append((expected.number, expected.origin))
        }

        private var first: Waiting? {
            waiting.filter { candidate in
                running.filter { $0.origin == candidate.origin }.count < queue.limitPerOrigin
            }.min { (-$0.priority, $0.number) < (-$1.priority, $1.number) }
        }

        private mutating func compare<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) {
            if found != expected, differences.count < 3 { differences.append("\(what): \(found), not \(expected)") }
        }
    }
}

/// A scheduler whose tickets are identified by their numbers.
private final class NumberedQueue {
    private final class Client: Operation, SlotClient, @unchecked Sendable {  // safe: used on one thread
        let number: UInt64
        unowned let queue: NumberedQueue

        init(_ number: UInt64, _ queue: NumberedQueue) { (self.number, self.queue) = (number, queue) }

        func wasAdmitted(with slot: TransferSlot) {
            queue.admitted = number
            queue.slots.append(slot)
        }
    }

    private let scheduler: Scheduler
    let limitPerOrigin: Int
    private var tickets: [UInt64: Scheduler.Ticket] = [:]
    private var admitted: UInt64?
    private var slots: [TransferSlot] = []

    init(limit: Int, limitPerOrigin: Int) {
        scheduler = Scheduler(limit: limit, limitPerOrigin: limitPerOrigin)
        self.limitPerOrigin = limitPerOrigin
    }

    var limit: Int { scheduler.limit }
    var waitingCount: Int { scheduler.waitingCount }
    var runningCount: Int { scheduler.runningCount }

    func enqueue(_ tickets: [(UInt64, Origin)]) {
        for (number, origin) in tickets { enqueue(number, origin, priority: 0) }
    }

    func enqueue(_ number: UInt64, _ origin: Origin, priority: Int) {
        scheduler.enqueue(
            &tickets[number, default: Scheduler.Ticket(number: number)], origin: origin, priority: priority,
            client: Client(number, self))
    }

    func withdraw(_ number: UInt64) {
        scheduler.withdraw(&tickets[number, default: Scheduler.Ticket(number: number)])
    }

    func release(origin: Origin) {
        guard let index = slots.firstIndex(where: { $0.origin == origin }) else { return }
        scheduler.release(slots.remove(at: index))
    }

    /// Admits the next operation, and skips stale entries.
    func admitNext() -> UInt64? {
        admitted = nil
        while admitted == nil, scheduler.serveNext() != .nothing {}
        return admitted
    }

    /// Admits all operations that may be admitted.
    func admitAll() -> [UInt64] {
        var numbers: [UInt64] = []
        while let number = admitNext() { numbers.append(number) }
        return numbers
    }
}
