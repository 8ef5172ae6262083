// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import TestSupport
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Many requests with a retry policy, through failures and pauses. The server's log shows how often the server
    /// may have acted.
    @Suite struct RetryStormTests {
        /// How the server answers a request that it has read.
        private enum Behaviour: CaseIterable {
            case answer, busy, limited, breakOff, close, cut, later

            var reply: Reply {
                switch self {
                case .answer: .response(body: "fine")
                case .busy: .response(status: 503, body: "busy")
                case .limited: .response(status: 429, headers: ["Retry-After": "0"])
                case .breakOff: .reset
                case .close: .close
                case .cut: .response(body: "fine").cut(afterByteCount: 40)
                case .later: Reply([.delay(.milliseconds(5))] + Reply.response(body: "fine").steps)
                }
            }

            /// Whether the answer says that the server has not acted.
            var isHarmless: Bool { self == .limited }
        }

        private struct Seen {
            var count = 0
            var actions = 0
        }

        @Test(arguments: [(1, 19_998), (2, 600), (3, 600)] as [(UInt64, Int)])
        func unsafeRequestIsNeverProcessedTwiceWithoutEvidence(seed: UInt64, requestCount: Int) async throws {
            let seen = Observed([String: Seen]())
            let script: TestServer.Script = { request in
                let number = seen.update { seen in
                    seen[request.path, default: Seen()].count += 1
                    return seen[request.path]?.count ?? 0
                }
                let behaviour = Self.behaviour(of: request.path, number, seed)
                if !behaviour.isHarmless { seen.update { $0[request.path]?.actions += 1 } }
                return behaviour.reply
            }
            try await TestServer.serving(script: script) { server in
                let manager = Storm.manager()
                manager.retryPolicy = RetryServerTests.options.retryPolicy
                manager.retryPolicy?.maximumAttemptCount = 5
                let operations = (0..<requestCount).map { Self.operation($0, manager, server) }
                await onThreads(4, seed: seed) { thread, random in
                    for index in operations.indices where index % 4 == thread {
                        manager.operationQueue.addOperation(operations[index])
                        guard index % 5 == 0 else { continue }
                        usleep(UInt32.random(in: 0...2000, using: &random))
                        operations[index].pause()
                        usleep(UInt32.random(in: 0...2000, using: &random))
                        operations[index].resume()
                    }
                }
                for operation in operations { await operation.ends() }
                Self.check(operations, seen.value, server)
                await closeIdleConnections()
            }
        }

        /// Alternates POST, POST with a key, and GET.
        private static func operation(
            _ number: Int, _ manager: RequestOperationManager, _ server: TestServer
        ) -> HTTPRequestOperation {
            let kind = ["post", "keyed", "get"][number % 3]
            let url = server.url("/\(kind)/\(number)")
            let operation = manager.operation(
                with: kind == "get" ? URLRequest(url: url) : URLRequest("POST", url, body: "x"))
            if kind == "keyed" { operation.idempotencyKey = .automatic }
            return operation
        }

        /// The same for the same arguments, so that a seed repeats a run.
        private static func behaviour(of path: String, _ number: Int, _ seed: UInt64) -> Behaviour {
            let place = path.utf8.reduce(seed &* 31 &+ UInt64(number)) { $0 &* 1_099_511_628_211 ^ UInt64($1) }
            var random = SeededGenerator(seed: place)
            return Behaviour.allCases.randomElement(using: &random) ?? .answer
        }

        private static func check(_ operations: [HTTPRequestOperation], _ seen: [String: Seen], _ server: TestServer) {
            let posts = seen.filter { $0.key.hasPrefix("/post/") }
            #expect(posts.count == operations.count / 3)
            #expect(posts.filter { $0.value.actions > 1 }.keys.sorted() == [])
            #expect(posts.contains { $0.value.count > 1 }, "a limited POST goes out again")
            #expect(operations.contains { !$0.retries.isEmpty && $0.error == nil })
            for (path, requests) in Dictionary(grouping: server.requests, by: \.path) where path.hasPrefix("/keyed/") {
                #expect(Set(requests.map { $0.headers["Idempotency-Key"] }).count == 1)
            }
            for operation in operations where operation.error == nil { #expect(operation.responseString == "fine") }
        }
    }
}
