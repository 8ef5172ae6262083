// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Workers that run lines of batches against a server.
    @Suite struct FleetWorkerTests {
        private typealias Fixture = FleetFixture

        private static func get(_ path: String, after: [String] = []) -> RequestLine {
            StoreFixture.get(path, path, after: after)
        }

        private static func post(_ path: String, after: [String] = []) -> RequestLine {
            StoreFixture.post(path, path, after: after)
        }

        /// Answers once the gate is open.
        private static func reply(after gate: Gate) -> Reply {
            Reply([.wait(until: gate)] + Reply.response(body: "late").steps)
        }

        // MARK: Running lines

        @Test func lineRefersToAnotherWorkersResponse() async throws {
            let (hasLogin, mayAnswer) = (Gate(), Gate())
            try await Fixture.with { request in
                guard request.path == "/login" else { return .response(body: "hello") }
                hasLogin.open()
                let answer = Reply.response(headers: ["X-Name": "Ada"], body: #"{"token":"t0k3n"}"#)
                return Reply([.wait(until: mayAnswer)] + answer.steps)
            } _: { fixture in
                var me = Self.get("me")
                me.headers["Authorization"] = "Bearer ${login.body.token} ${login.status} ${login.headers.x-name}"
                // The body is kept for references, even if results omit it.
                try await fixture.submit([Self.post("login"), me]) { $0.bodyForm = .none }
                let first = fixture.worker("first")
                async let work: Void = first.run()
                await hasLogin.wait()
                first.drain()
                mayAnswer.open()
                try await work
                #expect(first.summary.recordedCount == 1 && fixture.requests(to: "/me").isEmpty)
                try await fixture.run(fixture.worker("second"))
                #expect(fixture.requests(to: "/me").map { $0.headers["Authorization"] } == ["Bearer t0k3n 200 Ada"])
                #expect(try await fixture.results().mapValues(\.outcome) == ["login": .success, "me": .success])
                #expect(try await fixture.results()["login"]?.body == nil)
            }
        }

        @Test func chainRunsInOrderOnTwoWorkers() async throws {
            try await Fixture.with { fixture in
                let lines = (0..<60).map { Self.get("l\($0)", after: $0 == 0 ? [] : ["l\($0 - 1)"]) }
                try await fixture.submit(lines)
                try await fixture.run(fixture.worker("one"), fixture.worker("other"))
                #expect(fixture.server.requests.map(\.path) == (0..<60).map { "/l\($0)" })
                #expect(try await fixture.batch().isSuccess)
                #expect(try await fixture.members().isEmpty)
                try await fixture.store.expectOrder()
            }
        }

        @Test func failedLineSkipsItsDependents() async throws {
            try await Fixture.with {
                $0.path == "/bad" ? .response(status: 500, body: "oh") : .response(body: "hello")
            } _: { fixture in
                try await fixture.submit([Self.get("bad"), Self.get("a", after: ["bad"]), Self.get("b")])
                try await fixture.run(fixture.worker())
                let results = try await fixture.results()
                #expect(results.mapValues(\.outcome) == ["bad": .failure, "a": .skipped, "b": .success])
                let message = try #require(results["a"]?.error?.message)
                #expect(message.hasPrefix("not started: \"bad\" failed with unacceptableStatus: "))
                #expect(results["b"]?.body == "hello" && results["b"]?.bytes == 5 && results["bad"]?.status == 500)
                #expect(try await fixture.batch().byteCount == 7)
            }
        }

        @Test func firstFailureCancelsAFailFastBatch() async throws {
            let gate = Gate()
            try await Fixture.with { request in
                request.path == "/bad" ? .response(status: 500, body: "") : Self.reply(after: gate)
            } _: { fixture in
                let lines = (0..<30).map { Self.get("l\($0)") }
                var bad = Self.get("bad")
                bad.priority = .veryHigh
                try await fixture.submit([bad] + lines) { $0.cancelsAtFirstFailure = true }
                try await fixture.run(fixture.worker("one", concurrency: 3), fixture.worker("two", concurrency: 3))
                let batch = try await fixture.batch()
                #expect(batch.counts == [.failure: 1, .cancelled: 30] && batch.state == .cancelled)
                gate.open()
                try await fixture.store.expectOrder()
            }
        }

        @Test func bodiesGoToFilesAndScriptsRun() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await Fixture.with { request in
                request.path == "/stall" ? .stall : .response(body: "contents")
            } _: { fixture in
                var (file, script) = (Self.get("file"), Self.get("stall"))
                file.output = folder.path("file.txt")
                script.script = [.init(at: 0.05, action: .cancel)]
                try await fixture.submit([file, script])
                try await fixture.run(fixture.worker())
                let results = try await fixture.results()
                #expect(results.mapValues(\.outcome) == ["file": .success, "stall": .cancelled])
                #expect(results["file"]?.body == nil && results["file"]?.bytes == 8)
                #expect(results["file"]?.worker == "worker" && results["stall"]?.worker == nil)
                #expect(try String(contentsOfFile: folder.path("file.txt"), encoding: .utf8) == "contents")
            }
        }

        @Test func linesThatWaitForARetryDoNotBlockOthers() async throws {
            try await Fixture.with {
                $0.path.hasPrefix("/bad") ? .response(status: 503, body: "") : .response(body: "hello")
            } _: { fixture in
                let lines = (0..<4).map { Self.get("bad\($0)") } + (0..<40).map { Self.get("l\($0)") }
                try await fixture.submit(lines) { settings in
                    var policy = RetryPolicy()
                    (policy.initialBackoff, policy.maximumBackoff) = (.seconds(100_000), .seconds(100_000))
                    (policy.maximumTime, policy.usesBudget) = (nil, false)
                    settings.retryPolicy = policy
                }
                let worker = fixture.worker(concurrency: 2)
                async let work: Void = worker.run()
                try await becomes(40) { try await fixture.batch().endedCount }
                await becomes(4) { worker.summary.runningCount }  // the worker counts after the store
                worker.cancel()
                try await work
                #expect(try await fixture.batch().counts == [.success: 40])
                #expect(fixture.server.requests.filter { $0.path.hasPrefix("/bad") }.count == 4)
                try await fixture.store.expectOrder()
            }
        }

        @Test func retriedLineSucceedsAfterItsBackoff() async throws {
            let failures = Observed<Set<String>>([])
            try await Fixture.with { request in
                let isFirst = failures.update { $0.insert(request.path).inserted }
                return isFirst ? .response(status: 503, body: "") : .response(body: "hello")
            } _: { fixture in
                try await fixture.submit((0..<30).map { Self.get("l\($0)") }) { settings in
                    var policy = RetryPolicy()
                    (policy.initialBackoff, policy.usesBudget) = (.milliseconds(300), false)
                    settings.retryPolicy = policy
                }
                try await fixture.run(fixture.worker(concurrency: 3))
                #expect(try await fixture.batch().isSuccess)
                #expect(try await fixture.results().values.allSatisfy { $0.attempts == 2 })
                try await fixture.store.expectOrder()
            }
        }

        @Test func environmentVariableStaysOutOfTheStore() async throws {
            let secret = try #require(ProcessInfo.processInfo.environment["PATH"])
            try await Fixture.with {
                .response(headers: ["X-Echo": $0.headers["X-Secret"] ?? ""], body: "hello")
            } _: { fixture in
                var line = Self.get("a")
                line.headers["X-Secret"] = "${env:PATH}"
                try await fixture.submit([line, Self.get("b")]) { $0.headers["X-Other"] = "${env:PATH}" }
                try await fixture.run(fixture.worker())
                #expect(fixture.requests(to: "/a").first?.headers["X-Secret"] == secret)
                #expect(fixture.requests(to: "/b").first?.headers["X-Other"] == secret)
                #expect(try await fixture.batch().isSuccess)
                for table in ["lines", "batches"] {
                    let texts = try await fixture.store.rows("SELECT t::text FROM bluebonnet.\(table) t")
                    #expect(!texts.isEmpty && texts.allSatisfy { !$0[0].contains(secret) })
                }
            }
        }

        // MARK: Requests in flight

        @Test func unsafeLinesAreMarkedBeforeTheServerSeesThem() async throws {
            let gate = Gate()
            try await Fixture.with { _ in
                Self.reply(after: gate)
            } _: { fixture in
                try await fixture.submit((0..<9).map { Self.post("p\($0)") })
                let worker = fixture.worker(concurrency: 3)
                async let work: Void = worker.run()
                await fixture.server.waitForRequests(count: 3)
                let marked = try await fixture.store.rows(
                    """
                    SELECT '/' || l.id FROM bluebonnet.claims c CROSS JOIN unnest(c.marked) AS m (position)
                    JOIN bluebonnet.lines l ON l.batch = c.batch AND l.position = m.position
                    """)
                #expect(Set(marked.map { $0[0] }) == Set(fixture.server.requests.map(\.path)))
                #expect(marked.count == 3, "no more than can be on their way")
                gate.open()
                try await work
                #expect(fixture.counts("POST").count == 9 && fixture.server.requests.count == 9)
                #expect(try await fixture.batch().isSuccess)
            }
        }

        @Test func drainReturnsUnsentLinesAndWaitsForSentOnes() async throws {
            let gate = Gate()
            try await Fixture.with { _ in
                Self.reply(after: gate)
            } _: { fixture in
                try await fixture.submit((0..<10).map { Self.get("l\($0)") })
                let worker = fixture.worker(concurrency: 2)
                async let work: Void = worker.run()
                await fixture.server.waitForRequests(count: 2)
                try await becomes(4) { try await fixture.batch().claimedCount }
                worker.drain()
                try await becomes(2) { try await fixture.batch().claimedCount }
                gate.open()
                try await work
                let batch = try await fixture.batch()
                #expect(batch.counts == [.success: 2] && batch.waitingCount == 8 && batch.claimedCount == 0)
                #expect(worker.summary.recordedCount == 2 && worker.summary.runningCount == 0)
                #expect(fixture.server.requests.count == 2)
                #expect(try await fixture.members().isEmpty)
                try await fixture.store.expectOrder()
            }
        }

        @Test func cancelledWorkerReturnsSafeLinesAndLeavesUnsafeOnesUnknown() async throws {
            try await Fixture.with { _ in
                .stall
            } _: { fixture in
                var key = Self.post("key")
                key.idempotencyKey = .automatic
                try await fixture.submit([Self.get("get"), Self.post("post"), key])
                let worker = fixture.worker()
                let work = Task { try await worker.run() }
                await fixture.server.waitForRequests(count: 3)
                work.cancel()
                try await work.value
                let results = try await fixture.results()
                #expect(results.mapValues(\.outcome) == ["post": .unknown])
                let reason = "the worker was stopped and may have sent the request"
                #expect(results["post"]?.error?.code == .mayHaveBeenSent)
                #expect(results["post"]?.error?.message.hasPrefix(reason) == true)
                #expect(try await fixture.store.ids(in: "ready") == ["get", "key"])
                try await fixture.store.expectOrder()
            }
        }

        @Test func cancelledBatchEndsRunningRequests() async throws {
            try await Fixture.with { _ in
                .stall
            } _: { fixture in
                try await fixture.submit((0..<6).map { Self.get("l\($0)") } + [Self.post("p")])
                let workers = ["one", "two"].map { fixture.worker($0, concurrency: 2) }
                async let work: Void = fixture.run(workers[0], workers[1])
                await fixture.server.waitForRequests(count: 4)
                try await fixture.store.fleet.cancel("n")
                try await work
                let batch = try await fixture.batch()
                #expect(batch.counts == [.cancelled: 7] && batch.isComplete && batch.state == .cancelled)
                #expect(fixture.server.requests.count == 4)
                await fixture.server.waitForConnectionsToClose()
                try await fixture.store.expectOrder()
            }
        }

        @Test func pausedBatchContinuesWhenResumed() async throws {
            let gate = Gate()
            try await Fixture.with { _ in
                Self.reply(after: gate)
            } _: { fixture in
                try await fixture.submit((0..<10).map { Self.get("l\($0)") })
                let worker = fixture.worker(concurrency: 2, endsWhenIdle: false)
                async let work: Void = worker.run()
                await fixture.server.waitForRequests(count: 2)
                try await becomes(4) { try await fixture.batch().claimedCount }
                try await fixture.store.fleet.pause("n")
                gate.open()
                try await becomes(4) { try await fixture.batch().endedCount }
                #expect(fixture.server.requests.count == 4)
                try await fixture.store.fleet.resume("n")
                try await becomes(true) { try await fixture.batch().isSuccess }
                worker.drain()
                try await work
            }
        }

        // MARK: Several batches

        @Test func batchesOfOnePriorityShareAWorkerEvenly() async throws {
            try await Fixture.with { fixture in
                try await fixture.submit((0..<200).map { Self.get("a\($0)") }, named: "a")
                try await fixture.submit((0..<200).map { Self.get("b\($0)") }, named: "b")
                try await fixture.run(fixture.worker(concurrency: 4))
                let first = fixture.server.requests.prefix(200)
                let count = first.filter { $0.path.hasPrefix("/a") }.count
                #expect((60...140).contains(count), "\(count) of the first 200 are of the batch that came first")
                #expect(fixture.server.requests.count == 400)
            }
        }

        @Test func batchOfAHigherPriorityGoesFirst() async throws {
            try await Fixture.with { fixture in
                try await fixture.submit((0..<40).map { Self.get("low\($0)") }, named: "low")
                try await fixture.submit((0..<40).map { Self.get("high\($0)") }, named: "high") { $0.priority = 1 }
                try await fixture.run(fixture.worker(concurrency: 4))
                let paths = fixture.server.requests.map(\.path)
                #expect(paths.prefix(32).allSatisfy { $0.hasPrefix("/high") }, "\(paths.prefix(40))")
                #expect(paths.count == 80)
            }
        }
    }
}
