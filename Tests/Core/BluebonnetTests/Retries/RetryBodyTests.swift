// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// Bodies, files and blocks of retried operations, on a scripted network in virtual time.
@Suite(.timeLimit(.minutes(1))) struct RetryBodyTests {
    private let time = VirtualTime()
    private let network: ScriptedNetwork

    init() { network = ScriptedNetwork(time: time) }

    private func run(_ operation: RequestOperation) async {
        operation.start()
        await time.runsOut(for: operation)
    }

    private func operation(_ method: String = "GET") -> HTTPRequestOperation {
        let operation = network.operation("/a", method: method, body: method == "GET" ? nil : "x")
        operation.retryPolicy = .standard
        return operation
    }

    private func bareOperation() -> RequestOperation {
        let options = ResolvedOptions(TransferOptions { $0.retryPolicy = .standard })
        return RequestOperation(plan: RequestPlan(network.request("/a"), options: options), services: network.services)
    }

    private static let whole: [ScriptedStep] = [
        .head(200, ["ETag": "\"a\"", "Content-Length": "10"]), .body("01234"), .fail(.connectionLost),
    ]

    @Test(arguments: [[[ScriptedStep.head(503), .body("busy")]], [[.head(503)], [.head(404), .body("gone")]]])
    func responseWithoutRestOfStreamedBodyFails(later: [[ScriptedStep]]) async {
        network.answer("/a", inTurn: [Self.whole] + later)
        let operation = bareOperation()
        let stream = OutputStream(toMemory: ())
        operation.outputStream = stream
        await run(operation)
        #expect(operation.code == .resumeRefused)
        #expect(operation.error?.message.contains("5 bytes of it were already delivered") == true)
        #expect(stream.streamStatus == .closed)
    }

    @Test(arguments: [[ScriptedStep.head(503), .body("busy")], [.head(404), .body("busy")]])
    func refusedResponseBodyReachesHandlersOnce(script: [ScriptedStep]) async {
        network.answer("/a", with: script)
        let (pieces, progress) = (Observed([String]()), Observed([Int64]()))
        let operation = operation("POST")
        operation.onReceivedData = { _, data in pieces.append(String(decoding: data, as: UTF8.self)) }
        operation.onDownloadProgress = { _, total, _ in progress.append(total) }
        operation.onRetry = { _, _ in .stop }
        await run(operation)
        #expect(operation.code == .unacceptableStatus)
        await pieces.becomes { $0 == ["busy"] }
        await progress.becomes { $0 == [4] }
    }

    @Test func responseBlockIsAskedAboutEveryNewResponse() async {
        network.answer("/a", inTurn: [[.head(503), .body("busy")], [.head(200), .body("fine")]])
        let statuses = Observed([Int]())
        let operation = operation()
        operation.onResponse = { _, head in
            statuses.append(head.statusCode)
            return .allow
        }
        await run(operation)
        #expect(operation.responseString == "fine")
        #expect(statuses.value == [503, 200])
    }

    @Test func responseBlockIsNotAskedAgainForTheRest() async {
        let rest: [ScriptedStep] = [.head(206, ["ETag": "\"a\"", "Content-Range": "bytes 5-9/10"]), .body("56789")]
        network.answer("/a", inTurn: [Self.whole, [.head(503)], rest])
        let statuses = Observed([Int]())
        let operation = operation()
        operation.onResponse = { _, head in
            statuses.append(head.statusCode)
            return .allow
        }
        await run(operation)
        #expect(operation.responseString == "0123456789")
        #expect(statuses.value == [200])
    }

    @Test func waitingDownloadUsesNoDescriptorBeforeItsFirstByte() async throws {
        network.answer("/a", inTurn: [[.head(503)], [.head(200), .body("fine")]])
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let operation = operation()
        operation.outputFile = folder.url.appendingPathComponent("a")
        operation.start()
        await time.hasWaiting(1)
        await becomes([]) { Self.openPaths(in: folder.url) }
        await time.advance(by: .seconds(1))
        await operation.ends()
        #expect(operation.error == nil)
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("a")) == Data("fine".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a"])
    }

    @Test func waitingDownloadKeepsReceivedBytes() async throws {
        let rest: [ScriptedStep] = [.head(206, ["ETag": "\"a\"", "Content-Range": "bytes 5-9/10"]), .body("56789")]
        network.answer("/a", inTurn: [Self.whole, rest])
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let operation = operation()
        operation.outputFile = folder.url.appendingPathComponent("a")
        await run(operation)
        #expect(operation.error == nil)
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("a")) == Data("0123456789".utf8))
    }

    @Test func pauseKeepsTheRefusedResponse() async {
        let (gate, reached) = (Gate(), Observed(0))
        network.answer(
            "/a",
            inTurn: [
                [.head(503, ["Retry-After": "7"]), .body("b"), .reach(reached), .wait(gate), .body("usy")],
                [.head(200), .body("fine")],
            ])
        let operation = operation()
        operation.start()
        await reached.becomes { $0 == 1 }
        operation.pause()
        await network.log.sees(.paused(1))
        gate.open()
        operation.resume()
        await time.hasWaiting(1)
        await time.advance(by: .seconds(6))
        #expect(network.log.requests.count == 1)
        await time.advance(by: .seconds(1))
        await operation.ends()
        #expect(operation.retries.map(\.waitRule) == [.retryAfter] && operation.responseString == "fine")
    }

    @Test func retryBlockTimeCounts() async {
        network.answer("/a", with: [.head(503)])
        let operation = operation()
        operation.retryPolicy?.maximumTime = .seconds(5)
        operation.onRetry = { [time] _, _ in
            await time.advance(by: .seconds(60))
            return .retry(after: .zero)
        }
        await run(operation)
        #expect(network.log.requests.count == 1)
        #expect(operation.error?.message.contains("the retry time limit has passed") == true)
    }

    @Test func rateLimitedRetriesNeedNoBudget() async {
        network.answerOthers { request in
            [.head(request.url.path.hasPrefix("/limited") ? 429 : 503, ["Retry-After": "1"])]
        }
        let operations = (0..<100).map { number in
            let operation = network.operation(number % 2 == 0 ? "/limited\(number)" : "/\(number)")
            operation.retryPolicy = .standard
            return operation
        }
        for operation in operations { operation.start() }
        await time.hasWaiting(100)
        await time.advance(by: .seconds(1))
        await time.hasWaiting(100)
        await time.advance(by: .seconds(1))
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.retries.count == 2 })
    }

    /// The paths of the process's open files in a folder.
    private static func openPaths(in directory: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0.hasPrefix(directory.path) }
    }
}
