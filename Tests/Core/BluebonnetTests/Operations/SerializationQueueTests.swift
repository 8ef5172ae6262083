// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Suites with a test that occupies a serialization queue until another body is serialized. Two such tests at once
/// would occupy both queues and wait for each other.
@Suite(.serialized, .timeLimit(.minutes(1))) enum HeldQueueSuites {}

extension HeldQueueSuites {
    /// Small bodies are serialized on several queues.
    @Suite(.timeLimit(.minutes(1))) struct SerializationQueueTests {
        private let network = ScriptedNetwork()

        @Test(.enabled(if: Queues.serialization.count > 1, "one processor has one queue"))
        func bodiesAreSerializedConcurrently() async {
            let (began, served) = (Observed(0), Observed(0))
            let mayEnd = Gate()
            let manager = network.manager()
            let slow = manager.get(
                "slow",
                returning: CalledSerializer {
                    began.increment()
                    mayEnd.waitBlocking()
                })
            await began.becomes(1)
            // Each round uses the next queue, but rounds of other tests do so too.
            let quick = await oneByOne(40) {
                manager.get("quick", returning: CalledSerializer { served.increment() }).operation
            }
            await served.becomes { $0 > 0 }
            #expect(served.value > 0)
            mayEnd.open()
            await slow.operation.ends()
            for operation in quick { await operation.ends() }
            #expect(served.value == quick.count)
        }

        @Test func everyBodyIsSerializedOnceForItsOperation() async throws {
            let calls = Observed(0)
            network.answerOthers { [.head(200), .body("body of \($0.url.path)")] }
            let manager = network.manager()
            let handles = (0..<2_000).map { number in
                manager.get("\(number)", returning: CalledSerializer { calls.increment() })
            }
            for (number, handle) in handles.enumerated() {
                #expect(try await handle.value == "body of /\(number)")
            }
            #expect(calls.value == handles.count)
        }

        /// Makes operations that most likely end in separate rounds.
        private func oneByOne(_ count: Int, _ make: () -> HTTPRequestOperation) async -> [HTTPRequestOperation] {
            var operations: [HTTPRequestOperation] = []
            for _ in 0..<count {
                operations.append(make())
                await NetworkThread.shared.catchesUp()
            }
            return operations
        }
    }
}

/// Decodes the body as text, and reports each call.
private struct CalledSerializer: ResponseSerializer {
    let validation = ResponseValidation()
    private let called: @Sendable () -> Void

    init(_ called: @escaping @Sendable () -> Void) { self.called = called }

    func value(for response: ResponseHead, body: Data) -> String {
        called()
        return String(decoding: body, as: UTF8.self)
    }
}
