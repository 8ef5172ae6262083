// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct CancellationTests {
        /// Checks that the server still gets and answers requests, so nothing blocks the network thread.
        private func expectOthersGoOn(_ server: TestServer) async {
            #expect(await get(server.url("/other")).responseString == "other")
        }

        private func script(_ reply: Reply) -> TestServer.Script {
            { $0.path == "/other" ? .response(body: "other") : reply }
        }

        @Test func cancelWhileConnectingEndsAtOnce() async throws {
            let listener = try UnresponsiveListener()
            defer { listener.stop() }
            let url = try #require(URL(string: "http://127.0.0.1:\(listener.port)/"))
            try await TestServer.serving(script: script(.stall)) { server in
                let operation = RequestOperation(request: URLRequest(url: url))
                operation.start()
                await networkThreadAnswers()
                operation.cancel()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
                await expectOthersGoOn(server)
            }
        }

        @Test func cancelBeforeResponseHeadClosesConnection() async throws {
            try await TestServer.serving(script: script(.stall)) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url("/stalled")))
                operation.start()
                await server.waitForRequests(count: 1)
                operation.cancel()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
                #expect(operation.statusCode == nil)
                await server.waitForConnectionsToClose()
                await expectOthersGoOn(server)
            }
        }

        @Test func cancelDuringBodyKeepsReceivedBytesAndClosesConnection() async throws {
            let reply = Reply.response(body: Data.patterned(byteCount: 1000)).cut(afterByteCount: 500, then: .stall)
            try await TestServer.serving(script: script(reply)) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url("/stalled")))
                let arrived = Gate()
                operation.onDownloadProgress = { _, _, _ in arrived.open() }
                operation.start()
                await arrived.wait()
                operation.cancel()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
                #expect(operation.statusCode == 200)
                #expect(operation.receivedByteCount > 0)
                #expect(Data.patterned(byteCount: 1000).starts(with: operation.responseData ?? Data()))
                await server.waitForConnectionsToClose()
                await expectOthersGoOn(server)
            }
        }

        @Test func cancelDuringNameLookupsDoesNotDelayOthers() async throws {
            try await TestServer.serving(script: script(.stall)) { server in
                for number in 0..<20 {
                    let url = try #require(URL(string: "http://host-\(number).bluebonnet.invalid/"))
                    let operation = RequestOperation(request: URLRequest(url: url))
                    operation.start()
                    await networkThreadAnswers()
                    operation.cancel()
                    await networkThreadAnswers()
                    try await operation.waitUntilEnded()
                    #expect([.cancelled, .cannotFindHost].contains(operation.code))
                }
                await expectOthersGoOn(server)
            }
        }

        @Test func unknownHostFailsWithCannotFindHost() async throws {
            let url = try #require(URL(string: "http://nowhere.bluebonnet.invalid/"))
            #expect(await get(url).code == .cannotFindHost)
        }

        @Test func cancelBeforeStartOpensNoConnection() async throws {
            try await TestServer.serving(script: script(.stall)) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url("/never")))
                operation.cancel()
                #expect(await operation.run().code == .cancelled)
                await expectOthersGoOn(server)
                #expect(server.requests.map(\.target) == ["/other"])
            }
        }

        @Test func cancellingTheRunningTaskCancelsTheOperation() async throws {
            try await TestServer.serving(script: script(.stall)) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/stalled")))
                let waiting = Task { () -> NetworkingError.Code? in
                    do throws(NetworkingError) {
                        try await RequestOperationManager().run(operation)
                        return nil
                    } catch {
                        return error.code
                    }
                }
                await server.waitForRequests(count: 1)
                waiting.cancel()
                #expect(await waiting.value == .cancelled)
                await server.waitForConnectionsToClose()
            }
        }

        @Test func cancelDuringUploadEndsTheOperation() async throws {
            var options = TestServer.Options()
            options.readsBodies = false
            try await TestServer.answering(.stall, options) { server in
                var request = URLRequest("POST", server.url())
                request.httpBody = Data(count: 16 * 1024 * 1024)
                let operation = RequestOperation(request: request)
                operation.start()
                await server.waitForRequests(count: 1)
                operation.cancel()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
            }
        }

        @Test func cancellationsFromManyThreadsEndEachOperationOnce() async throws {
            try await TestServer.serving(script: script(.response(body: "answer"))) { server in
                let ends = Observed([Int]())
                let operations = (0..<300).map { number in
                    let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/\(number)")))
                    operation.setCompletionBlock(
                        success: { _, _ in ends.append(number) }, failure: { _, _ in ends.append(number) })
                    return operation
                }
                let queue = RequestOperationQueue()
                queue.addOperations(operations)
                await withTaskGroup(of: Void.self) { group in
                    for part in 0..<4 {
                        group.addTask {
                            for operation in operations where operation.hash % 4 != part { operation.cancel() }
                        }
                    }
                }
                for operation in operations {
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil || operation.code == .cancelled)
                }
                await expectOthersGoOn(server)
                await handlersHaveRun()
                #expect(ends.value.sorted() == Array(0..<300))
            }
        }

        /// Waits until all handlers queued so far have run.
        private func handlersHaveRun() async {
            await Queues.callbacks.catchesUp()
        }
    }
}
