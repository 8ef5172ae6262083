// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Operations of every kind on few connections, paused and cancelled in all states. They run in a separate
    /// process, so that leaks can be counted.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct HTTP2StormTests {
        private static let operationCount = 1500
        private static let threadCount = 8
        private static let file = Representation(body: .patterned(byteCount: 200_000), etag: "\"1\"")

        @Test func everyOperationHasOneOutcomeAndEveryBodyIsExact() async {
            await #expect(processExitsWith: .success) { try await Self.storm(seed: 1) }
        }

        private static let script: TestServer.Script = { request in
            switch request.path.dropFirst().prefix(2) {
            case "0/": .response(body: request.target)
            case "1/", "2/": file.answer(to: request)
            case "3/": file.answer(to: request).dripping(chunk: 20_000, every: .milliseconds(2))
            case "4/": .stall
            default: .response(body: request.body)
            }
        }

        private static func storm(seed: UInt64) async throws {
            // nginx closes its connections now and then, as it does by default.
            try await HTTP2Fixture.with(directives: "keepalive_requests 500;", script: script) { fixture in
                let (server, url) = (fixture.server, fixture.url("/0/"))
                try await Storm.leavesNothingBehind(on: server, afterGetting: url, fixture.options) {
                    let outcomes = Observed([Int: Int]())
                    let manager = fixture.manager()
                    let operations = (0..<operationCount).map { number in
                        let operation = operation(number, manager, fixture)
                        operation.addCompletionHandler { _ in outcomes.update { $0[number, default: 0] += 1 } }
                        return operation
                    }
                    await disturb(operations, in: manager.operationQueue, seed: seed)
                    await Storm.expectOneOutcomeEach(of: operations, outcomes) { kind($0) != 4 }
                    check(operations, fixture)
                }
            }
        }

        private static func kind(_ number: Int) -> Int { number % 7 }

        private static func operation(
            _ number: Int, _ manager: RequestOperationManager, _ fixture: HTTP2Fixture
        ) -> HTTPRequestOperation {
            let kind = kind(number)
            var request = URLRequest(kind < 5 ? "GET" : "POST", fixture.url("/\(kind)/\(number)"))
            if kind == 5 { request.httpBody = body(number) }
            if kind == 6 { request.httpBodyStream = InputStream(data: body(number)) }
            let operation = manager.operation(with: request)
            if kind == 2 || kind == 3 {
                operation.outputFile = URL(fileURLWithPath: fixture.folder.path("file-\(number)"))
            }
            return operation
        }

        private static func body(_ number: Int) -> Data { file.body.dropFirst(number).prefix(30_000) }

        /// Whether the operation is cancelled.
        private static func isCancelled(_ number: Int) -> Bool { number % 5 == 0 }

        private static func disturb(
            _ operations: [HTTPRequestOperation], in queue: RequestOperationQueue, seed: UInt64
        ) async {
            await onThreads(threadCount, seed: seed) { thread, random in
                for number in stride(from: thread, to: operationCount, by: threadCount) {
                    queue.addOperation(operations[number])
                    usleep(UInt32.random(in: 0...8000, using: &random))
                    for _ in 0..<(kind(number) == 3 ? 3 : 1) {
                        operations[number].pause()
                        usleep(UInt32.random(in: 0...2000, using: &random))
                        operations[number].resume()
                        usleep(UInt32.random(in: 0...2000, using: &random))
                    }
                    if isCancelled(number) || kind(number) == 4 { operations[number].cancel() }
                }
            }
        }

        private static func check(_ operations: [HTTPRequestOperation], _ fixture: HTTP2Fixture) {
            var counts: [String: Int] = [:]
            for (number, operation) in operations.enumerated() {
                counts[operation.code?.rawValue ?? "success", default: 0] += 1
                if let code = operation.code {
                    // If nginx ends a connection before it processes a POST, the POST is not sent again.
                    let mayBeLost = kind(number) > 4 && code == .connectionLost
                    #expect(code == .cancelled || mayBeLost, "\(number): \(operation)")
                    #expect(isCancelled(number) || kind(number) == 4 || mayBeLost, "\(number): \(operation)")
                    continue
                }
                switch kind(number) {
                case 0: #expect(operation.responseString == "/0/\(number)")
                case 1: #expect(operation.responseData == file.body, "\(number)")
                case 2, 3:
                    let contents = FileManager.default.contents(atPath: fixture.folder.path("file-\(number)"))
                    #expect(contents == file.body, "\(number)")
                default: #expect(operation.responseData == body(number), "\(number)")
                }
            }
            #expect((counts["success"] ?? 0) > operationCount / 2, "\(counts)")
            #expect((counts["cancelled"] ?? 0) > operationCount / 10, "\(counts)")
        }
    }
}
