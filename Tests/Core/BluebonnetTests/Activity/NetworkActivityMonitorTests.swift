// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct NetworkActivityMonitorTests {
    /// A clock that the test sets.
    private final class Clock: Sendable {
        private let start = ContinuousClock.now
        private let passed = Observed(Duration.zero)

        var now: ContinuousClock.Instant { start + passed.value }

        func advance(by duration: Duration) { passed.update { $0 += duration } }
    }

    /// Runs in its own process, like everything that counts: operations of other tests would count too.
    @Test func countedWorkIsReportedAfterItsDelay() async {
        await #expect(processExitsWith: .success) {
            let clock = Clock()
            let delays = NetworkActivity(activationDelay: .seconds(1000), completionDelay: .seconds(1000))
            let monitor = NetworkActivityMonitor(delays) { clock.now }
            var states = monitor.states.makeAsyncIterator()
            #expect(await states.next() == false)
            monitor.incrementActivityCount()
            #expect(!monitor.isActive)
            clock.advance(by: .seconds(1000))
            monitor.handle(.timePassed)
            #expect(monitor.isActive)
            #expect(await states.next() == true)
            monitor.decrementActivityCount()
            #expect(monitor.isActive)
            clock.advance(by: .seconds(1000))
            monitor.handle(.timePassed)
            #expect(await states.next() == false)
        }
    }

    @Test func timerActivatesTheMonitor() async {
        let monitor = NetworkActivityMonitor(activationDelay: .milliseconds(5), completionDelay: .milliseconds(5))
        var states = monitor.states.makeAsyncIterator()
        #expect(await states.next() == false)
        // Operations of other tests count too, so only the activity that this test counts is certain.
        monitor.incrementActivityCount()
        #expect(await states.next() == true)
    }

    @Test func streamEndsWithItsMonitor() async throws {
        var monitor: NetworkActivityMonitor? = NetworkActivityMonitor()
        let states = monitor?.states
        monitor = nil
        var seen: [Bool] = []
        for await state in try #require(states) { seen.append(state) }
        #expect(seen == [false])
    }

    @Test func endOfEarlierOperationDoesNotChangeTheCount() async {
        await #expect(processExitsWith: .success) {
            _ = RequestOperation.didStartNotification
            let (network, first, second) = (ScriptedNetwork(), Gate(), Gate())
            network.answer("/a", with: [.head(200), .wait(first)])
            network.answer("/b", with: [.head(200), .wait(second)])
            let before = network.operation("/a")
            before.start()
            await network.log.sees(.begun(1))
            await Queues.notifications.catchesUp()
            let monitor = NetworkActivityMonitor(activationDelay: .zero, completionDelay: .zero)
            var states = monitor.states.makeAsyncIterator()
            #expect(await states.next() == false)
            let counted = network.operation("/b")
            counted.start()
            #expect(await states.next() == true)
            first.open()
            await before.ends()
            await NetworkThread.shared.catchesUp()
            await Queues.processingCatchesUp()
            await Queues.notifications.catchesUp()
            #expect(monitor.isActive)
            second.open()
            await counted.ends()
            #expect(await states.next() == false)
        }
    }

    @Test func operationsAndTasksCountAlike() async {
        await #expect(processExitsWith: .success) {
            let (network, gate) = (ScriptedNetwork(), Gate())
            network.answerOthers { _ in [.head(200), .wait(gate)] }
            let monitor = NetworkActivityMonitor(activationDelay: .zero, completionDelay: .zero)
            var states = monitor.states.makeAsyncIterator()
            #expect(await states.next() == false)
            let task = network.session().dataTask(with: network.request("/a"))
            task.resume()
            #expect(await states.next() == true)
            task.suspend()
            #expect(await states.next() == false)
            let operation = network.operation("/b")
            operation.start()
            #expect(await states.next() == true)
            gate.open()
            await operation.ends()
            #expect(await states.next() == false)
            task.cancel()
        }
    }
}
