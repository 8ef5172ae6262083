// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// Which requests are retried and which never are, on a scripted network in virtual time.
@Suite(.timeLimit(.minutes(1))) struct RetryEvidenceTests {
    private let time = VirtualTime()
    private let network: ScriptedNetwork

    init() { network = ScriptedNetwork(time: time) }

    private func run(_ operation: RequestOperation) async {
        operation.start()
        await time.runsOut(for: operation)
    }

    private func operation(_ method: String, _ path: String = "/a") -> HTTPRequestOperation {
        let operation = network.operation(path, method: method, body: method == "GET" ? nil : "x")
        operation.retryPolicy = .standard
        return operation
    }

    @Test(arguments: [
        [ScriptedStep.fail(.connectionLost)], [.fail(.timedOut)], [.head(500)], [.head(503)], [.head(408)],
        [.sent(1), .fail(.connectionLost)], [.head(200), .body("a"), .fail(.badServerResponse)],
    ])
    func postIsSentOnceWithoutEvidence(script: [ScriptedStep]) async {
        network.answer("/a", with: script)
        let operation = operation("POST")
        await run(operation)
        #expect(operation.error != nil && network.log.requests.count == 1)
        #expect(operation.error?.message.contains("POST is not retried") == true)
    }

    @Test(arguments: [
        [ScriptedStep.failUnsent(.cannotFindHost)], [.failUnsent(.cannotConnect)], [.failUnsent(.timedOut)],
        [.failUnsent(.secureConnectionFailed)], [.refuse], [.head(429)],
    ])
    func postIsRetriedWithEvidence(script: [ScriptedStep]) async {
        network.answer("/a", inTurn: [script, [.head(200), .body("fine")]])
        let operation = operation("POST")
        await run(operation)
        #expect(operation.error == nil && network.log.requests.count == 2)
    }

    @Test(arguments: [
        NetworkingError.Code.pinMismatch, .serverNotTrusted, .clientCertificateRejected, .invalidSecurityPolicy,
        .invalidRequest, .cannotDecodeBody, .cannotWriteFile, .badServerResponse, .headersTooLarge,
    ])
    func permanentErrorsAreNeverRetried(code: NetworkingError.Code) async {
        network.answer("/a", with: [.failUnsent(code)])
        let operation = operation("GET")
        operation.onRetry = { _, _ in .retry(after: .zero) }
        await run(operation)
        #expect(operation.code == code && network.log.requests.count == 1)
    }

    @Test func idempotencyKeyIsConstantAndAllowsPostRetries() async throws {
        network.answer("/a", inTurn: [[.fail(.connectionLost)], [.head(503)], [.head(200)]])
        let operation = operation("POST")
        operation.idempotencyKey = .automatic
        await run(operation)
        let keys = network.log.requests.map { $0.headers.first { $0.name == "Idempotency-Key" }?.value }
        let key = try #require(operation.idempotencyKey?.value)
        #expect(operation.error == nil && keys == [key, key, key])
        #expect(UUID(uuidString: key) != nil)
    }

    @Test func requestHeaderFieldIsAnIdempotencyKey() async {
        network.answer("/a", inTurn: [[.fail(.connectionLost)], [.head(200)]])
        var request = network.request("/a", method: "POST", body: "x")
        request.setValue("mine", forHTTPHeaderField: "idempotency-key")
        let operation = HTTPRequestOperation(
            plan: RequestPlan(request, options: ResolvedOptions(TransferOptions { $0.retryPolicy = .standard })),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
        await run(operation)
        #expect(operation.error == nil && network.log.requests.count == 2)
    }

    @Test func automaticKeyIsArchivedButNotCopied() async throws {
        let operation = operation("POST")
        operation.idempotencyKey = .automatic
        let key = try #require(operation.idempotencyKey)
        let data = try JSONEncoder().encode(try await operation.archive())
        let archived = try HTTPRequestOperation(archive: try JSONDecoder().decode(OperationArchive.self, from: data))
        #expect(archived.idempotencyKey == key && archived.retryPolicy == .standard)
        let copy = try #require(operation.copied().idempotencyKey)
        #expect(copy != key)
        operation.idempotencyKey = "order-1"
        #expect(operation.copied().idempotencyKey == "order-1")
    }

    @Test(arguments: ["a\r\nb", "", " ", "\t"]) func invalidKeyFailsTheOperation(key: String) async {
        let operation = operation("POST")
        operation.idempotencyKey = IdempotencyKey(key)
        await run(operation)
        #expect(operation.code == .invalidRequest && network.log.requests.isEmpty)
    }

    @Test(arguments: ["", " ", "\t", "\t \t"]) func blankHeaderFieldIsNoKey(value: String) async {
        network.answer("/a", inTurn: [[.fail(.connectionLost)], [.head(200)]])
        var request = network.request("/a", method: "POST", body: "x")
        request.setValue(value, forHTTPHeaderField: "Idempotency-Key")
        let operation = HTTPRequestOperation(
            plan: RequestPlan(request, options: ResolvedOptions(TransferOptions { $0.retryPolicy = .standard })),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
        await run(operation)
        #expect(operation.code == .connectionLost && network.log.requests.count == 1)
    }

    @Test func retryBlockOverridesThePolicy() async {
        network.answer("/a", inTurn: [[.head(409), .body("wait")], [.fail(.connectionLost)], [.head(200)]])
        let seen = Observed([String]())
        let operation = operation("POST")
        operation.onRetry = { _, proposal in
            let body = proposal.error.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
            let words = "\(proposal.attemptCount) \(proposal.error.code.rawValue) \(proposal.wait == nil) \(body)"
            seen.append(words)
            return .retry(after: .seconds(2))
        }
        await run(operation)
        #expect(operation.error == nil)
        #expect(seen.value == ["1 unacceptableStatus true wait", "2 connectionLost true "])
        #expect(operation.retries.map(\.waitRule) == [.block, .block])
    }

    @Test func retryBlockCanStopOrDefer() async {
        network.answerOthers { request in request.url.path == "/stop" ? [.head(503)] : [.head(404)] }
        for (path, answer) in [("/stop", RetryAnswer.stop), ("/default", .performDefault)] {
            let operation = network.operation(path)  // no policy: the limits of the standard policy apply
            operation.onRetry = { _, _ in answer }
            await run(operation)
            #expect(operation.code == .unacceptableStatus && operation.retries.isEmpty)
        }
        #expect(network.log.requests.count == 2)
    }

    @Test func cancelledOperationDoesNotWaitForRetryBlock() async {
        network.answer("/a", with: [.head(503)])
        let (asked, answers, answered) = (Gate(), Gate(), Gate())
        let operation = operation("GET")
        operation.onRetry = { _, _ in
            asked.open()
            await answers.wait()
            defer { answered.open() }
            return .retry(after: .zero)
        }
        operation.start()
        await asked.wait()
        operation.cancel()
        await operation.ends()
        #expect(operation.code == .cancelled)
        answers.open()
        await answered.wait()
        await NetworkThread.shared.catchesUp()
        #expect(network.log.requests.count == 1)
    }
}
