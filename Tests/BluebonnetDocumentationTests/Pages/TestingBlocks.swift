// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import BluebonnetTesting
import Foundation
import Testing

// BLOCK TestingYourProgram.md
@Suite struct ShopTests {
    @Test func orderIsSentAgainWhenTheShopIsBusy() async throws {
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { _ in .status(503, headers: ["Retry-After": "60"]) }
        manager.retryPolicy = .standard
        let order = manager.operation("PUT", "orders/7", body: .json(["article": 7]))
        manager.operationQueue.addOperation(order)
        await clock.advance(untilFinished: order)
        try manager.expectSent(Array(repeating: .put("/orders/7", body: .json(["article": 7])), count: 3))
        #expect(order.retries.map(\.wait) == [.seconds(60), .seconds(60)])
    }
}
// END

extension PageTests {
    @Test func pageAnswersHaveDocumentedStatuses() async throws {
        let picture = Data([1, 2, 3])
        // BLOCK TestingYourProgram.md
        let answers: [TestAnswer] = [
            .json(["name": "Ada"]),
            .text("not here", status: 404),
            .redirect(to: "/elsewhere"),
            .data(picture, type: "image/png").answeringRanges(),
            .text("slow").delayed(by: .seconds(2)).inPieces(ofByteCount: 1, every: .seconds(1)),
        ]
        // END
        #expect(answers.map(\.status) == [200, 404, 302, 200, 200])
        // BLOCK TestAnswer.swift
        let slow = TestAnswer.json(["name": "Ada"]).delayed(by: .seconds(2))
        let truncated = TestAnswer.data(picture, type: "image/png").cut(afterByteCount: 1_000)
        let feed = TestAnswer.stream(.line("one"), .pause(.seconds(5)), .line("two"), .cut)
        // END
        #expect(feed.body.isEmpty)
        #expect(slow.body == answers[0].body && truncated.body == picture)
    }

    @Test func pageClockRuns() async throws {
        // BLOCK TestingYourProgram.md
        let clock = TestClock()
        var configuration = RequestOperationManager.Configuration()
        configuration.governor = Governor(clock: clock)
        let manager = RequestOperationManager(configuration: configuration, clock: clock) { _ in .stall }
        manager.timeouts.total = .seconds(30)
        let report = manager.operation("GET", "report")
        manager.operationQueue.addOperation(report)
        await clock.advance(untilFinished: report)
        // END
        #expect(report.error?.timeLimit == .total)
    }

    @Test func commentOfTheClockRuns() async throws {
        // BLOCK TestClock.swift
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { _ in .stall }
        let operation = manager.operation("GET", "report", timeout: .seconds(30))
        manager.operationQueue.addOperation(operation)
        await clock.advance(untilFinished: operation)
        // END
        #expect(operation.error?.timeLimit == .total)
    }

    @Test func pageRequestsAreCompared() async throws {
        // BLOCK AnsweringManager.swift
        let manager = RequestOperationManager { request in
            request.path == "/me" ? .json(["name": "Ada"]) : .status(404)
        }
        // END
        let me: JSONValue = try await manager.get("me")
        #expect(me["name"]?.string == "Ada")
        try await comparePageRequests()
    }

    private func comparePageRequests() async throws {
        let manager = RequestOperationManager { _ in .json([1]) }
        _ = try await manager.get("users/1", headers: ["X-Client": "shop"])
        _ = try await manager.post("orders", body: .json(["article": 7]))
        // BLOCK TestingYourProgram.md
        try manager.expectSent(
            .get("/users/1", headers: ["X-Client": "shop"]),
            .post("/orders", body: .json(["article": 7])))
        try manager.expectSent([.post("/orders"), .get("/users/1")], inAnyOrder: true)
        // END
        // BLOCK AnsweringManager.swift
        try manager.expectSent(.get("/users/1"), .post("/orders", body: .json(["article": 7])))
        // END
    }

    @Test func commentOfTheSessionManagerRuns() async throws {
        // BLOCK AnsweringSessionManager.swift
        let manager = HTTPSessionManager { request in
            request.path == "/me" ? .json(["name": "Ada"]) : .status(404)
        }
        // END
        let response = try await manager.get("me")
        #expect((response.value as? JSONValue)?["name"]?.string == "Ada")
        #expect(manager.session.operationManager.sentRequests.map(\.target) == ["/me"])
    }

    @Test func pageRecordingIsPlayed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try await TestServer.start { _ in
            .response(headers: ["Content-Type": "application/json"], body: #"{"name": "Ada"}"#)
        }
        let (file, shop) = (URL(fileURLWithPath: folder.path("shop.json")), server.url())
        try await recordUser(file, shop)
        await server.stop()
        try await recordUser(file, shop)
        #expect(server.requests.count == 1)
        try await playComments(file, shop)
    }

    private func recordUser(_ file: URL, _ shop: URL) async throws {
        // BLOCK TestingYourProgram.md
        let recording = try TrafficRecording(file: file, mode: .recordIfMissing)
        let manager = RequestOperationManager(baseURL: shop, recording: recording)
        let user: JSONValue = try await manager.get("users/1")
        #expect(user["name"]?.string == "Ada")
        try recording.expectAllPlayed()
        // END
    }

    private func playComments(_ file: URL, _ shop: URL) async throws {
        struct User: Decodable, Sendable { var name: String }
        try FileManager.default.copyItem(atPath: file.path, toPath: file.path + ".me")
        let text = try String(contentsOf: file, encoding: .utf8).replacingOccurrences(of: "/users/1", with: "/me")
        try Data(text.utf8).write(to: file)
        // BLOCK RecordingManager.swift
        let recording = try TrafficRecording(file: file, mode: .recordIfMissing)
        let manager = RequestOperationManager(baseURL: shop, recording: recording)
        let user: User = try await manager.get("me")
        try recording.expectAllPlayed()
        // END
        #expect(user.name == "Ada")
        // BLOCK RecordingRedaction.swift
        var redaction = RecordingRedaction.standard
        redaction.names.insert("session")
        redaction.change = { exchange in exchange.response?.headers.removeAll { $0.name == "X-Trace" } }
        // END
        #expect(redaction.names.count == RecordingRedaction.standard.names.count + 1)
    }

    @Test func commentOfARecordingCompiles() throws {
        // BLOCK TrafficRecording.swift
        let recording = try TrafficRecording(file: URL(fileURLWithPath: "Fixtures/users.json"), mode: .recordIfMissing)
        let manager = RequestOperationManager(baseURL: URL(string: "https://api.example.com/")!, recording: recording)
        // END
        #expect(!recording.isPlayed && manager.sentRequests.isEmpty)
    }

    @Test func pageServerAnswers() async throws {
        // BLOCK TestingYourProgram.md
        var options = TestServer.Options()
        options.certificate = .localhost
        options.speaksHTTP2 = true
        let server = try await TestServer.start(options) { request in
            request.path == "/slow"
                ? Reply.response(body: "0123456789").dripping(chunk: 1, every: .milliseconds(1)) : .reset
        }
        let manager = RequestOperationManager(baseURL: server.url())
        manager.securityPolicy = try SecurityPolicy(authorities: .file(TestCertificate.localhost.caPath))
        let operation = manager.operation("GET", "slow", responseSerializer: HTTPResponseSerializer())
        manager.operationQueue.addOperation(operation)
        let body: Data = try await operation.value(as: Data.self)
        await server.stop()
        // END
        #expect(body == Data("0123456789".utf8))
        #expect(operation.httpVersion == "2")
    }

    @Test func commentOfTheServerRuns() async throws {
        // BLOCK TestServer.swift
        let server = try await TestServer.start { request in
            request.path == "/slow"
                ? .response(body: "late").cut(afterByteCount: 10, then: .stall) : .response(body: "hi")
        }
        // … send requests to server.url("/slow") …
        await server.stop()
        // END
        #expect(server.requests.isEmpty)
    }

    @Test func commentOfTheProxyRuns() async throws {
        let server = try await TestServer.start { _ in .response(body: "hi") }
        // BLOCK FaultProxy.swift
        let proxy = try await FaultProxy.start(toPort: server.port, schedule: FaultSchedule(seed: 7))
        // … a client connects to proxy.port; each connection gets the schedule's next plan …
        await proxy.set(.stall)  // nothing arrives any more, in neither direction
        await proxy.cut()  // both ends of all connections get a reset
        await proxy.set(.forward)
        // END
        #expect(proxy.port != server.port)
        await proxy.stop()
        await server.stop()
    }

    @Test func commentsOfFaultsRun() async throws {
        let server = try await TestServer.start { _ in .response(body: "hi") }
        // BLOCK FaultSchedule.swift
        let proxy = try await FaultProxy.start(toPort: server.port, schedule: FaultSchedule(seed: 7))
        // END
        // BLOCK FaultPlan.swift
        var plan = FaultPlan()
        plan.toClient.sliceByteCount = 7
        plan.toClient.fault = .init(.reset, afterByteCount: 1000)
        // END
        #expect(proxy.connectionCount == 0 && plan != FaultPlan())
        await proxy.stop()
        await server.stop()
    }

    @Test func commentsOfWaitsRun() async throws {
        let operation = RequestOperationManager { _ in .json(1) }.operation("GET", "a")
        // BLOCK Observed.swift
        let order = Observed([String]())
        operation.addCompletionHandler { _ in order.append("ended") }
        operation.start()
        await order.becomes(["ended"])
        await order.becomes { $0.count == 1 }
        // END
        let (server, folder) = ((log: "is ready", 0), (names: ["a", "b", "c", "d", "e"], 0))
        // BLOCK Waiting.swift
        await eventually(server.log) { $0.contains("ready") }
        await becomes(5) { folder.names.count }
        // END
    }
}
