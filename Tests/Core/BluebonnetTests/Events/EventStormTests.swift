// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// Random runs: operations are redirected, refused, retried, paused, resumed, cancelled and released at random. All
/// times are those of a test clock, which advances by random steps: retries wait on it, pauses last until it has
/// advanced, and the events and summaries are measured with it.
@Suite(.timeLimit(.minutes(5))) struct EventStormTests {
    private static let runCount = 10_000
    private static let threadCount = 4

    /// Steps of random length and outcome.
    private static func script(_ request: TransferRequest, _ random: inout some RandomNumberGenerator) -> [ScriptedStep]
    {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: [.head(302, ["Location": "/\(Int.random(in: 0..<50, using: &random))"])]
        case 1: [.head(503)]
        case 2: [.fail(.connectionLost)]
        case 3: [.failUnsent(.cannotConnect)]
        case 4: [.head(401, ["WWW-Authenticate": "Basic realm=\"a\""])]
        case 5: [.head(404), .body("none")]
        case 6: [.sent(1), .head(200), .body("a"), .body("b")]
        default: [.head(200, ["ETag": "\"v\""]), .body("fine")]
        }
    }

    /// Advances the clock until the operations have ended, and resumes paused operations after each step.
    private static func run(_ time: VirtualTime, resuming paused: Observed<[HTTPRequestOperation]>, until end: Gate)
        async
    {
        while !end.isOpen {
            let resumed = paused.update { paused in
                defer { paused = [] }
                return paused
            }
            await time.advanceBetweenWork(by: .microseconds(Int.random(in: 0...20_000)))
            for operation in resumed { operation.resume() }
        }
    }

    @Test func eventsArePairedAndTimesAddUp() async throws {
        let (log, time) = (EventLog(), VirtualTime())
        let net = ScriptedNetwork(limit: 16, limitPerOrigin: 8, time: time, clock: time.clock)
        net.answerOthers { request in
            var random = SystemRandomNumberGenerator()
            return Self.script(request, &random)
        }
        let queue = RequestOperationQueue()
        var policy = RetryPolicy.standard
        policy.usesBudget = false
        let options = TransferOptions {
            $0.eventMonitors = [log]
            $0.retryPolicy = policy
            $0.credential = URLCredential(user: "a", password: "b", persistence: .none)
        }
        let operations = (0..<Self.runCount).map { number in
            net.operation("/\(number % 50)", method: number % 3 == 0 ? "POST" : "GET", options: options)
        }
        for (number, operation) in operations.enumerated() where number % 7 == 0 && number > 0 {
            operation.addDependency(operations[number - 1])
        }
        let (paused, end) = (Observed<[HTTPRequestOperation]>([]), Gate())
        let clock = Task { await Self.run(time, resuming: paused, until: end) }
        await onThreads(Self.threadCount, seed: 48) { thread, random in
            for number in stride(from: thread, to: Self.runCount, by: Self.threadCount) {
                let operation = operations[number]
                if number % 5 == 0 { operation.start() } else { queue.addOperation(operation) }
                switch Int.random(in: 0..<8, using: &random) {
                case 0: operation.cancel()
                case 1:
                    operation.pause()
                    paused.update { $0.append(operation) }
                case 2: operations[Int.random(in: 0..<Self.runCount, using: &random)].cancel()
                default: break
                }
            }
        }
        for operation in operations {
            if !operation.isFinished, !operation.isExecuting { operation.start() }
            await operation.ends()
        }
        end.open()
        await clock.value
        let byOperation = await log.byOperation
        #expect(byOperation.count == Self.runCount)
        for (number, events) in byOperation {
            var pairs = EventPairs()
            for event in events { pairs.add(event.kind) }
            #expect(pairs.fault() == nil, "operation \(number)")
            #expect(zip(events, events.dropFirst()).allSatisfy { $0.instant <= $1.instant }, "operation \(number)")
            Self.checkTimes(events)
        }
    }

    /// The total is the sum of the shares, and lies between the last event of the transfers and the end.
    private static func checkTimes(_ events: [RequestEvent]) {
        guard let first = events.first, let last = events.last, case .finished(let end) = last.kind else { return }
        guard end.summary.transferCount > 0 else { return }
        let timings = end.summary.timings
        let sum = timings.waits.values.reduce(.zero, +) + timings.phases.values.reduce(.zero, +)
        #expect(sum == timings.total)
        let lastHop = events.last { $0.kind.name == "hopEnded" } ?? first
        #expect(timings.total >= .nanoseconds(lastHop.instant - first.instant), "\(events.map(\.kind))")
        #expect(timings.total <= .nanoseconds(last.instant - first.instant), "\(events.map(\.kind))")
    }
}
