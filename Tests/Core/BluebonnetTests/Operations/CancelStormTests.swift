// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Cancels operations of every kind, in every state, from eight threads. Runs in its own process, so that leaks
    /// can be counted.
    @Suite struct CancelStormTests {
        private static let operationCount = 5000
        private static let threadCount = 8
        private static let body = Data.patterned(byteCount: 30_000)
        private static let queueKey = DispatchSpecificKey<Bool>()

        @Test func cancelledOperationsHaveExactlyOneOutcome() async {
            await #expect(processExitsWith: .success) { try await Self.storm(seed: 1) }
        }

        private static let script: TestServer.Script = { request in
            switch request.path.dropFirst().prefix(2) {
            case "0/": .response(body: body)
            case "1/":
                Reply.response(headers: ["ETag": "\"1\""], body: body).dripping(chunk: 5000, every: .milliseconds(1))
            case "2/": .stall
            case "3/": .redirect(to: "/1/")
            case "4/": .response(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
            default: .response(body: request.body)
            }
        }

        private static func storm(seed: UInt64) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await TestServer.serving(script: script) { server in
                try await Storm.leavesNothingBehind(on: server, afterGetting: server.url("/0/")) {
                    let outcomes = Observed([Int: Int]())
                    let manager = Storm.manager()
                    let operations = (0..<operationCount).map { operation($0, manager, server, folder, outcomes) }
                    await cancel(operations, in: manager.operationQueue, seed: seed)
                    // Some operations are neither spared nor cancelled yet: their server never answers.
                    await Storm.expectOneOutcomeEach(of: operations, outcomes, endsUncancelled: isSpared)
                    check(operations)
                    #expect(await get(server.url("/0/")).responseData == body)
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
                #expect(names.filter { !$0.hasPrefix("file-") } == [])
            }
        }

        private static let completionQueue: DispatchQueue = {
            let queue = DispatchQueue(label: "storm")
            queue.setSpecific(key: queueKey, value: true)
            return queue
        }()

        private static func operation(
            _ number: Int, _ manager: RequestOperationManager, _ server: TestServer, _ folder: TemporaryFolder,
            _ outcomes: Observed<[Int: Int]>
        ) -> HTTPRequestOperation {
            let kind = number % 7
            var request = URLRequest(kind < 5 ? "GET" : "POST", server.url("/\(kind)/\(number)"))
            if kind == 5 { request.httpBody = body }
            if kind == 6 { request.httpBodyStream = InputStream(data: body) }
            let operation = manager.operation(with: request)
            if kind == 1 { operation.outputFile = URL(fileURLWithPath: folder.path("file-\(number)")) }
            if kind == 3 { operation.onRedirect = { _, proposed, _ in proposed } }
            if kind == 4 {
                operation.onChallenge = { _, _ in
                    .useCredential(URLCredential(user: "user", password: "wrong", persistence: .none))
                }
            }
            operation.completionQueue = completionQueue
            let count: @Sendable () -> Void = {
                #expect(DispatchQueue.getSpecific(key: queueKey) == true, "a handler ran on another queue")
                outcomes.update { $0[number, default: 0] += 1 }
            }
            operation.setCompletionBlock(success: { _, _ in count() }, failure: { _, _ in count() })
            return operation
        }

        /// Whether the operation is never cancelled. Some operations must succeed, on slow machines too.
        private static func isSpared(_ number: Int) -> Bool { number % 20 == 0 && ![2, 4].contains(number % 7) }

        /// Each thread starts its operations one after the other. Up to 5 ms later, it cancels one of the last few
        /// operations, or an operation of another thread. Some operations are cancelled twice.
        private static func cancel(
            _ operations: [HTTPRequestOperation], in queue: RequestOperationQueue, seed: UInt64
        ) async {
            await onThreads(threadCount, seed: seed) { thread, random in
                func cancel(_ number: Int) {
                    if !isSpared(number) { operations[number].cancel() }
                }
                let share = operationCount / threadCount
                for number in thread * share..<(thread + 1) * share {
                    queue.addOperation(operations[number])
                    usleep(UInt32.random(in: 0...2500, using: &random))
                    cancel(max(0, number - Int.random(in: 0...2, using: &random)))
                    if number >= 3, (number - 3) % 7 == 2 { cancel(number - 3) }  // never answered
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        cancel(Int.random(in: 0..<operationCount, using: &random))
                    }
                }
            }
        }

        private static func check(_ operations: [HTTPRequestOperation]) {
            let strange = operations.filter {
                ![nil, .cancelled, .authenticationRequired].contains($0.code)
                    || ($0.error == nil && $0.statusCode != 200)
            }
            #expect(strange.map(\.description) == [])
            let codes = Dictionary(grouping: operations) { $0.code?.rawValue ?? "success" }.mapValues(\.count)
            #expect((codes["cancelled"] ?? 0) > operationCount / 10, "\(codes)")
            let spared = operations.enumerated().filter { isSpared($0.offset) }.map(\.element)
            #expect(spared.count > 150 && spared.allSatisfy { $0.error == nil && $0.statusCode == 200 }, "\(codes)")
        }
    }
}
