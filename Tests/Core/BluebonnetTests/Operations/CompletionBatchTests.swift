// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import BluebonnetTestServer
import Dispatch
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Operations that end in a round of an event loop are processed and reported on the right thread. The test turns the
/// event loop.
@Suite(.timeLimit(.minutes(1))) struct CompletionBatchTests {
    private let turned = TurnedLoop()
    private let round: CompletionBatch
    private let log = EndLog()

    init() { round = CompletionBatch(loop: turned.loop) }

    private func add(_ number: Int, _ target: ProcessingTarget, on queue: DispatchQueue? = nil) {
        round.add(LoggedEnd(number, target, log, queue ?? log.queue))
    }

    @Test func networkThreadOperationIsProcessedOnLoopThread() {
        add(1, .networkThread)
        #expect(log.processed == [])
        turned.turn()
        #expect(log.processed == [1])
        #expect(log.threads == [pthread_self()])
        log.queue.sync {}
        #expect(log.notified == [1])
    }

    @Test(arguments: [ProcessingTarget.queue, .serializationQueue, .largeQueue])
    func queueOperationIsProcessedOnAnotherThread(target: ProcessingTarget) async {
        let isTold = Observed(0)
        for number in 0..<20 {
            round.add(LoggedEnd(number, target, log, log.queue, whenTold: { isTold.increment() }))
        }
        #expect(log.processed == [])
        turned.turn()
        let thread = pthread_self()
        await isTold.becomes(20)
        #expect(log.processed.sorted() == Array(0..<20))
        #expect(log.notified.sorted() == Array(0..<20))
        #expect(!log.threads.contains(thread))
    }

    @Test func serialQueueOperationsEndInOrder() async {
        let isTold = Observed(0)
        for number in 0..<100 {
            round.add(LoggedEnd(number, .queue, log, log.queue, whenTold: { isTold.increment() }))
        }
        turned.turn()
        await isTold.becomes(100)
        #expect(log.processed == Array(0..<100))
        #expect(log.notified == Array(0..<100))
    }

    /// A program that waits for a few ends is notified before the next requests are sent. Many ends are reported
    /// afterwards.
    @Test(arguments: [(1, true), (7, true), (8, false), (100, false)])
    func fewEndsAreReportedDuringTheRoundManyAfterwards(count: Int, isBefore: Bool) {
        for number in 0..<count { add(number, .networkThread) }
        var notifiedBefore: [Int] = []
        turned.loop.atEndOfRound { [log] in
            log.queue.sync {}
            notifiedBefore = log.notified
        }
        turned.turn()
        #expect(notifiedBefore == (isBefore ? Array(0..<count) : []))
        log.queue.sync {}
        #expect(log.notified == Array(0..<count))
    }

    @Test func endsAreReportedOnTheirQueuesInOrder() {
        let other = DispatchQueue(label: "other")
        for number in 0..<60 { add(number, .networkThread, on: number % 3 == 0 ? other : nil) }
        turned.turn()
        other.sync {}
        log.queue.sync {}
        #expect(log.notified.filter { $0 % 3 == 0 } == Array(stride(from: 0, to: 60, by: 3)))
        #expect(log.notified.filter { $0 % 3 != 0 } == (0..<60).filter { $0 % 3 != 0 })
    }

    @Test func endDuringProcessingBelongsToTheNextRound() {
        let first = turned.loop.roundNumber
        round.add(
            LoggedEnd(
                1, .networkThread, log, log.queue,
                whenProcessed: { [round = Unchecked(round), log] in
                    round.value.add(LoggedEnd(2, .networkThread, log, log.queue))
                }))
        turned.turn()
        #expect(log.processed == [1, 2])
        #expect(turned.loop.roundNumber >= first + 2)
    }
}

private struct Unchecked<Value>: @unchecked Sendable {  // safe: used only by the thread that turns the loop
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// The processed and the reported operations, in order. Any thread.
private final class EndLog: Sendable {
    let queue = DispatchQueue(label: "handlers")
    private let lists = Mutex(Lists())

    private struct Lists {
        var processed: [Int] = []
        var notified: [Int] = []
        var threads: [pthread_t] = []
    }

    var processed: [Int] { lists.withLock { $0.processed } }
    var notified: [Int] { lists.withLock { $0.notified } }
    var threads: [pthread_t] { lists.withLock { $0.threads } }

    func recordProcessed(_ number: Int) {
        lists.withLock {
            $0.processed.append(number)
            $0.threads.append(pthread_self())
        }
    }

    func recordNotified(_ number: Int) { lists.withLock { $0.notified.append(number) } }
}

/// An operation, reduced to its end.
private final class LoggedEnd: EndingOperation {
    private let number: Int
    private let target: ProcessingTarget
    private let log: EndLog
    private let queue: DispatchQueue
    private let whenProcessed: @Sendable () -> Void
    private let whenTold: @Sendable () -> Void

    init(
        _ number: Int, _ target: ProcessingTarget, _ log: EndLog, _ queue: DispatchQueue,
        whenProcessed: @escaping @Sendable () -> Void = {}, whenTold: @escaping @Sendable () -> Void = {}
    ) {
        (self.number, self.target, self.log, self.queue) = (number, target, log, queue)
        (self.whenProcessed, self.whenTold) = (whenProcessed, whenTold)
    }

    func processingTarget(largeFrom byteCount: Int) -> ProcessingTarget { target }

    func process(into callbacks: inout CallbackRound) {
        log.recordProcessed(number)
        callbacks.add(on: queue, EndOfOperation(operation: self, group: nil))
        whenProcessed()
    }

    func runHandlers() {
        log.recordNotified(number)
        whenTold()
    }
}
