// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Dispatch
import Foundation
import Testing

@testable import BluebonnetFleet

/// A server that counts the requests it works on at the same time.
private final class BusyServer: Sendable {
    struct Load: Sendable {
        var now = 0
        var most = 0
        var total = 0
    }

    /// How long the server works on a request, in seconds.
    private static let work = 0.004

    let load = Observed(Load())

    func answer(_ request: ReceivedRequest) -> Reply {
        load.update { load in
            load.now += 1
            load.total += 1
            load.most = max(load.most, load.now)
        }
        let gate = Gate()
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.work) { [load] in
            load.update { $0.now -= 1 }
            gate.open()
        }
        return Reply([.wait(until: gate)] + Reply.response(body: "done").steps)
    }
}

extension StoreTests {
    /// Limits that apply to all workers together.
    @Suite struct SharedLimitTests {
        private typealias Fixture = FleetFixture

        @Test(arguments: [1, 4, 5])
        func originLimitHoldsWhileWorkersComeAndGo(limit: Int) async throws {
            let busy = BusyServer()
            try await Fixture.with {
                busy.answer($0)
            } _: { fixture in
                let lines = (0..<240).map { number in
                    number % 3 == 0
                        ? StoreFixture.post("l\(number)", "l\(number)") : StoreFixture.get("l\(number)", "l\(number)")
                }
                try await fixture.submit(lines) { $0.maximumConcurrentTransferCountPerOrigin = limit }
                let first = fixture.worker("first")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await first.run() }
                    await busy.load.becomes { $0.total >= 40 }
                    group.addTask { try await fixture.worker("second").run() }
                    await busy.load.becomes { $0.total >= 80 }
                    group.addTask { try await fixture.worker("third").run() }
                    await busy.load.becomes { $0.total >= 120 }
                    first.drain()
                    try await group.waitForAll()
                }
                #expect((1...limit).contains(busy.load.value.most))
                #expect(busy.load.value.total == 240)
                #expect(try await fixture.batch().isSuccess)
                try await fixture.store.expectOrder()
            }
        }

        @Test func fullWorkerLearnsTheLimitOfAnothersBatch() async throws {
            let busy = BusyServer()
            try await Fixture.with {
                busy.answer($0)
            } _: { fixture in
                try await fixture.submit((0..<3_000).map { StoreFixture.get("l\($0)", "l\($0)") })
                let worker = fixture.worker(concurrency: 8)
                async let work: Void = worker.run()
                await busy.load.becomes { $0.most > 2 }
                // An idle worker has the only line of the other batch. Each worker gets one transfer of two.
                let other = try fixture.store.worker("other")
                try await fixture.submit([StoreFixture.get("x", "x")], named: "m") {
                    ($0.maximumConcurrentTransferCountPerOrigin, $0.priority) = (2, -9)
                }
                let batch = try #require(try other.openBatches(known: [:]).first { $0.name == "m" })
                #expect(try other.claim(batch, 1).count == 1)
                var most = Int.max
                while most > 1, busy.load.value.total < 2_900 {
                    let start = busy.load.update { load in
                        load.most = load.now
                        return load.total
                    }
                    await busy.load.becomes { $0.total >= start + 20 }
                    most = busy.load.value.most
                }
                #expect(most == 1)
                worker.cancel()
                try await work
            }
        }

        @Test func workerLimitHoldsWithoutAFleetLimit() async throws {
            let busy = BusyServer()
            try await Fixture.with {
                busy.answer($0)
            } _: { fixture in
                try await fixture.submit((0..<120).map { StoreFixture.get("l\($0)", "l\($0)") })
                try await fixture.run(fixture.worker(concurrency: 6))
                #expect((2...6).contains(busy.load.value.most))
            }
        }

        @Test func refusalToOneWorkerHoldsTheOriginForAll() async throws {
            let name = "localhost"
            try await Fixture.with { request in
                let isRefused = request.headers["Host"]?.hasPrefix(name) == true
                return isRefused
                    ? .response(status: 429, headers: ["Retry-After": "200"], body: "") : .response(body: "hello")
            } _: { fixture in
                let refusedBase = fixture.server.url("/", host: name).absoluteString
                let (one, other) = (
                    fixture.worker("one", endsWhenIdle: false), fixture.worker("other", endsWhenIdle: false)
                )
                try await fixture.submit([], named: "empty")
                async let work: Void = fixture.run(one, other)
                try await becomes(2) { try await fixture.members().count }
                try await fixture.submit([StoreFixture.get("first", refusedBase + "first")])
                let holds = "SELECT count(*) FROM bluebonnet.holds WHERE until > now() + interval '100 s'"
                try await becomes(1) { try await fixture.store.number(holds) }
                // Both workers learn of the hold before they learn of more work.
                let lines = (0..<60).map { number in
                    StoreFixture.get("l\(number)", number % 2 == 0 ? refusedBase + "l\(number)" : "l\(number)")
                }
                try await fixture.submit(lines, named: "m")
                try await becomes(30) { try await fixture.batch("m").endedCount }
                let refused = fixture.server.requests.filter { $0.headers["Host"]?.hasPrefix(name) == true }
                #expect(refused.map(\.path) == ["/first"])
                let origins = try await fixture.store.fleet.origins(ofBatch: "m")
                #expect(origins.filter { $0.secondsHeld != nil }.count == 1)
                one.cancel()
                other.cancel()
                try await work
                #expect(try await fixture.batch("m").counts == [.success: 30])
                try await fixture.store.expectOrder()
            }
        }

        @Test func heldOriginIsAskedAgainAfterItsHold() async throws {
            let isFirst = Observed(true)
            try await Fixture.with { _ in
                let refuses = isFirst.update { first in
                    defer { first = false }
                    return first
                }
                return refuses
                    ? .response(status: 429, headers: ["Retry-After": "1"], body: "") : .response(body: "hello")
            } _: { fixture in
                try await fixture.submit((0..<40).map { StoreFixture.get("l\($0)", "l\($0)") }) { settings in
                    settings.retryPolicy = RetryPolicy()
                }
                try await fixture.run(fixture.worker("one", concurrency: 2), fixture.worker("two", concurrency: 2))
                #expect(try await fixture.batch().isSuccess)
                #expect(fixture.server.requests.count == 41)
            }
        }
    }
}
