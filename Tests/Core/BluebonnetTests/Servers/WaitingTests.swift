// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

/// The waiting functions of the tests. If the event does not come, they fail the test and report the last value seen.
@Suite(.timeLimit(.minutes(1))) struct WaitingTests {
    private static let limit = Duration.milliseconds(20)

    private func failsNaming(_ parts: String..., wait: () async -> Void) async {
        await withKnownIssue {
            await wait()
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return parts.allSatisfy { text.contains($0) }
        }
    }

    @Test func matchingValueReturnsAtOnce() async {
        #expect(await Observed(1).becomes(1, within: .zero))
        #expect(await Observed(1).becomes(within: .zero) { $0 > 0 })
    }

    @Test func changeOnAnotherThreadEndsTheWaiting() async {
        let list = Observed([Int]())
        Thread.detachNewThread { for number in 1...3 { list.append(number) } }
        #expect(await list.becomes([1, 2, 3]))
    }

    @Test func unmetObservedValueFailsWithTheLastValue() async {
        await failsNaming("[1, 2]", "[7]") { await Observed([7]).becomes([1, 2], within: Self.limit) }
        await failsNaming("[7]") { await Observed([7]).becomes(within: Self.limit) { $0.isEmpty } }
    }

    @Test func unmetPolledValueFailsWithTheLastValue() async {
        await failsNaming("for 5", "last value seen: 4") { await becomes(5, within: Self.limit) { 4 } }
        await failsNaming("last value seen: text") { await eventually("text", within: Self.limit) { $0.isEmpty } }
    }

    @Test func blockingWaitInVainFailsTheTest() async {
        await failsNaming("for 5", "last value seen: 4") {
            func block() { becomesBlocking(5, within: Self.limit) { 4 } }
            block()
        }
        await failsNaming("an open gate") {
            func block() { Gate().waitBlocking(within: Self.limit) }
            block()
        }
    }

    @Test func gateThatStaysClosedFailsTheTest() async {
        await failsNaming("last value seen: false") { await Gate().wait(within: Self.limit) }
    }

    @Test func cancelledTaskStopsWaitingWithoutFailure() async {
        let wait = Task { await Observed(0).becomes(1) }
        wait.cancel()
        #expect(await !wait.value)
        let poll = Task { await becomes(1) { 0 } }
        poll.cancel()
        #expect(await !poll.value)
    }
}
