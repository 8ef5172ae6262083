// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Lines with `until`, which wait in the store between their requests.
    @Suite struct FleetPollTests {
        private typealias Fixture = FleetFixture

        private static func job(_ limits: String) -> String {
            #"{"id":"job","url":"job","until":{"assert":[{"path":"$.n","atLeast":4}],\#(limits)}}"#
        }

        /// Answers with the number of requests to the path so far.
        private static func with(_ body: (Fixture) async throws -> Void) async throws {
            let counts = Observed<[String: Int]>([:])
            try await Fixture.with { request in
                counts.update { $0[request.path, default: 0] += 1 }
                return .response(body: #"{"n":\#(counts.value[request.path] ?? 0),"done":[1,2]}"#)
            } _: {
                try await body($0)
            }
        }

        @Test func workersPollUntilTheConditionIsMet() async throws {
            try await Self.with { fixture in
                let after = #"{"id":"e","url":"e/${d}","each":{"of":"job","items":"$.done[*]","as":"d"}}"#
                try await fixture.submit([Self.job(#""every":0.1,"max":9"#), after])
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                let results = try await fixture.results()
                #expect(results["job"]?.outcome == .success && results["job"]?.attempts == 4)
                #expect(results["job"]?.requests == 4 && results["e"]?.requests == nil)
                #expect(results["e"]?.succeeded == 2 && fixture.requests(to: "/job").count == 4)
                try await fixture.store.expectOrder()
            }
        }

        @Test func waitingLineHasNoWorkerAndAnotherOneContinues() async throws {
            try await Self.with { fixture in
                try await fixture.submit([Self.job(#""every":0.5,"max":4"#)])
                let first = fixture.worker("first", endsWhenIdle: false)
                async let work: Void = first.run()
                try await becomes(1) {
                    try await fixture.store.number("SELECT count(*) FROM bluebonnet.polls WHERE due IS NOT NULL")
                }
                #expect(try await fixture.batch().claimedCount == 0)
                first.drain()
                try await work
                #expect(try await fixture.members().isEmpty)
                try await fixture.run(fixture.worker("second"))
                let result = try await fixture.results()["job"]
                #expect(result?.outcome == .success && result?.attempts == 4)
                #expect(fixture.requests(to: "/job").count == 4)
            }
        }

        @Test(arguments: [(#""every":0.05,"max":3"#, "3 requests"), (#""every":0.4,"timeout":1"#, "1.0 seconds")])
        func unmetConditionFails(limits: String, limit: String) async throws {
            try await Fixture.with { _ in
                .response(body: #"{"n":1}"#)
            } _: { fixture in
                try await fixture.submit([Self.job(limits)])
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                let result = try await fixture.results()["job"]
                #expect(result?.error?.code == .conditionNotMet && result?.attempts == 3)
                #expect(result?.error?.message.hasPrefix("the condition was not met within \(limit): ") == true)
                try await fixture.store.expectOrder()
            }
        }

        @Test func waitingLineIsCancelledAndRetriedFromTheStart() async throws {
            try await Fixture.with { _ in
                .response(body: #"{"n":1}"#)
            } _: { fixture in
                try await fixture.submit([Self.job(#""every":60,"max":2"#)])
                let worker = fixture.worker(endsWhenIdle: false)
                async let work: Void = worker.run()
                try await becomes(1) {
                    try await fixture.store.number("SELECT count(*) FROM bluebonnet.polls WHERE due IS NOT NULL")
                }
                try await fixture.store.fleet.cancel("n")
                #expect(try await fixture.results()["job"]?.outcome == .cancelled)
                try await fixture.store.expectOrder()
                #expect(try await fixture.store.fleet.retryFailed("n") == 1)
                #expect(try await fixture.store.number("SELECT coalesce(sum(requests), 0) FROM bluebonnet.polls") < 2)
                worker.drain()
                try await work
                try await fixture.store.expectOrder()
            }
        }

        @Test func elementsPoll() async throws {
            try await Self.with { fixture in
                let jobs =
                    #"{"id":"j","url":"j/${n}","each":{"of":"list","items":"$.done[*]","as":"n"},"#
                    + #""until":{"assert":[{"path":"$.n","atLeast":3}],"every":0.05,"max":5}}"#
                try await fixture.submit([#"{"id":"list","url":"list"}"#, jobs])
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                let results = try await fixture.results()
                #expect(results["j/1"]?.attempts == 3 && results["j/2"]?.attempts == 3)
                #expect(results["j"]?.succeeded == 2)
                try await fixture.store.expectOrder()
            }
        }
    }
}
