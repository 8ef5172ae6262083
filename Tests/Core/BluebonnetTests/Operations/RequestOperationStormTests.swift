// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// Eight threads cancel, pause and resume operations at random. Each operation still has one outcome, and nothing
/// leaks.
@Suite(.timeLimit(.minutes(2))) struct RequestOperationStormTests {
    private static let operationCount = 2_000
    private static let threadCount = 8
    private static let body = (0..<30).map { "piece \($0)." }.joined()

    @Test(arguments: [1, 2, 3] as [UInt64]) func everyOperationHasOneOutcome(seed: UInt64) async {
        let queue = RequestOperationQueue()
        await runStorm(seed: seed) { queue.addOperations($0) }
        await Queues.processingCatchesUp()
        #expect(queue.operationCount == 0)
    }

    @Test func everyOperationHasOneOutcomeInOperationQueue() async {
        let queue = OperationQueue()
        await runStorm(seed: 4) { queue.addOperations($0, waitUntilFinished: false) }
        await onThreadOfItsOwn { queue.waitUntilAllOperationsAreFinished() }
        #expect(queue.operationCount == 0)
    }

    private func runStorm(seed: UInt64, add: @Sendable ([Operation]) -> Void) async {
        let network = Self.network()
        let operations = (0..<Self.operationCount).map { number in
            network.operation("/\(number)", method: number % 3 == 0 ? "POST" : "GET", body: number % 3 == 0 ? "x" : nil)
        }
        let outcomes = Observed([Int: [String]]())
        for (number, operation) in operations.enumerated() { Self.record(operation, number, in: outcomes) }
        add(operations)
        await Self.storm(over: operations, seed: seed)
        for operation in operations { operation.resume() }
        for operation in operations { await operation.ends() }
        await outcomes.becomes { $0.values.reduce(0) { $0 + $1.count } >= 2 * Self.operationCount }
        Self.check(operations, outcomes.value)
        await Self.checkNothingIsLeft(network)
    }

    private static func network() -> ScriptedNetwork {
        let network = ScriptedNetwork(limit: 16, limitPerOrigin: 12)
        for number in 0..<operationCount { network.answer("/\(number)", by: Self.answer) }
        return network
    }

    /// Answers with the body, or with the rest of it, in pieces of 50 bytes.
    private static func answer(_ request: TransferRequest) -> [ScriptedStep] {
        let offset = request.value(of: "Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        let (total, rest) = (body.utf8.count, Array(body.utf8.dropFirst(offset)))
        var steps: [ScriptedStep] = []
        if offset == 0 {
            steps.append(.head(200, ["ETag": "\"v\"", "Content-Length": "\(total)"]))
        } else {
            steps.append(.head(206, ["ETag": "\"v\"", "Content-Range": "bytes \(offset)-\(total - 1)/\(total)"]))
        }
        for start in stride(from: 0, to: rest.count, by: 50) {
            steps.append(.bytes(Data(rest[start..<min(rest.count, start + 50)])))
        }
        return steps
    }

    private static func record(_ operation: HTTPRequestOperation, _ number: Int, in outcomes: Observed<[Int: [String]]>)
    {
        operation.setCompletionBlock { _, _ in
            outcomes.update { $0[number, default: []].append("success") }
        } failure: { _, error in
            outcomes.update { $0[number, default: []].append(error.code.rawValue) }
        }
        operation.completionBlock = { outcomes.update { $0[number, default: []].append("block") } }
    }

    private static func storm(over operations: [HTTPRequestOperation], seed: UInt64) async {
        await onThreads(threadCount, seed: seed) { _, random in
            for _ in 0..<operationCount {
                let operation = operations[Int.random(in: 0..<operationCount, using: &random)]
                switch Int.random(in: 0..<16, using: &random) {
                case 0: operation.cancel()
                case 1..<8: operation.pause()
                default: operation.resume()
                }
            }
        }
    }

    private static func check(_ operations: [HTTPRequestOperation], _ outcomes: [Int: [String]]) {
        var (successCount, cancelledCount) = (0, 0)
        for (number, operation) in operations.enumerated() {
            if operation.error == nil {
                successCount += 1
                #expect(outcomes[number] == ["block", "success"])
                #expect(operation.responseString == body)
            } else {
                cancelledCount += 1
                #expect(outcomes[number] == ["block", "cancelled"])
                #expect(operation.isCancelled)
            }
        }
        #expect(successCount > 0 && cancelledCount > 0)
    }

    private static func checkNothingIsLeft(_ network: ScriptedNetwork) async {
        let last = network.operation("/0")
        last.start()
        await last.ends()
        #expect(last.responseString == body)
        await NetworkThread.shared.catchesUp()
        let entries = network.log.entries.value
        #expect(entries.activeCount == 0)
        #expect(entries.peakCount <= 12)
    }
}
