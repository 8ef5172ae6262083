// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Synchronization
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Pauses and resumes many operations at once. Runs in separate processes, so that descriptors and processor time
    /// can be counted.
    @Suite struct PauseStormTests {
        private static let byteCount = 100_000
        private static let noise = Data.patterned(byteCount: byteCount + 4096)

        /// The file with the given number. All files differ.
        private static func file(_ number: Int) -> Representation {
            Representation(body: Data(noise.dropFirst(number).prefix(byteCount)), etag: "\"\(number)\"")
        }

        /// Answers slowly, so that a pause meets a body in transit.
        private static let script: TestServer.Script = { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return file(number).answer(to: request).dripping(chunk: 8000, every: .milliseconds(4))
        }

        /// Five hundred downloads, each paused and resumed five times.
        @Test func filesAreCompleteAfterManyPauses() async {
            await #expect(processExitsWith: .success) { try await Self.storm(fileCount: 500, seed: 1) }
        }

        private static func storm(fileCount: Int, seed: UInt64) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await TestServer.serving(script: script) { server in
                try await Storm.leavesNothingBehind(on: server, afterGetting: server.url("/0")) {
                    let outcomes = Observed([Int: Int]())
                    let manager = Storm.manager()
                    let operations = (0..<fileCount).map { number in
                        let operation = manager.operation(with: URLRequest(url: server.url("/\(number)")))
                        operation.outputFile = URL(fileURLWithPath: folder.path("\(number)"))
                        operation.addCompletionHandler { _ in outcomes.update { $0[number, default: 0] += 1 } }
                        return operation
                    }
                    await pauseAndResume(operations, in: manager.operationQueue, seed: seed)
                    await Storm.expectOneOutcomeEach(of: operations, outcomes) { _ in true }
                    check(operations, folder)
                    // The pauses interrupted transfers.
                    let rangeCount = server.requests.count { $0.headers["Range"] != nil }
                    #expect(rangeCount > fileCount / 2, "\(rangeCount) of \(server.requests.count) requests")
                }
            }
        }

        private static func pauseAndResume(
            _ operations: [HTTPRequestOperation], in queue: RequestOperationQueue, seed: UInt64
        ) async {
            let threadCount = 8
            await onThreads(threadCount, seed: seed) { thread, random in
                for operation in operations.enumerated() where operation.offset % threadCount == thread {
                    queue.addOperation(operation.element)
                    for pause in 0..<5 {
                        if pause == 0 { waitForBytes(of: operation.element) }
                        usleep(UInt32.random(in: 0...(pause == 0 ? 5000 : 30_000), using: &random))
                        operation.element.pause()
                        usleep(UInt32.random(in: 0...2000, using: &random))
                        operation.element.resume()
                    }
                }
            }
        }

        /// Waits until a part of the body has arrived, so that the following pause meets a body in transit, on slow
        /// machines too.
        private static func waitForBytes(of operation: HTTPRequestOperation) {
            becomesBlocking(true) { operation.isFinished || operation.byteProgress.count > 0 }
        }

        private static func check(_ operations: [HTTPRequestOperation], _ folder: TemporaryFolder) {
            for (number, operation) in operations.enumerated() {
                #expect(operation.error == nil)
                let contents = FileManager.default.contents(atPath: folder.path("\(number)"))
                #expect(contents == file(number).body, "file \(number)")
            }
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []
            #expect(names.count == operations.count, "something is left beside the files")
        }

        @Test func wholeQueuePausesAndResumes() async {
            await #expect(processExitsWith: .success) { try await Self.pauseQueue() }
        }

        private static func pauseQueue() async throws {
            try await TestServer.serving(script: script) { server in
                let manager = RequestOperationManager()
                manager.responseSerializer = HTTPResponseSerializer()
                let queue = manager.operationQueue
                let operations = (0..<60).map { manager.started("GET", server.url("/\($0)").absoluteString) }
                var earlierCount = 0
                for _ in 1...3 {
                    await server.wait { [earlierCount] in $0.requests.count >= earlierCount + 4 }
                    queue.pauseAllOperations()
                    await serverCatchesUp(server)
                    let requestCount = server.requests.count
                    #expect(operations.allSatisfy { $0.isPaused || $0.isFinished })
                    // Paused operations occupy no slot: an operation that is not paused can use all slots.
                    let other = manager.started("GET", server.url("/1000").absoluteString)
                    try await other.waitUntilEnded()
                    #expect(other.responseObject as? Data == file(1000).body)
                    #expect(server.requests.count == requestCount + 1)
                    await closeIdleConnections()
                    earlierCount = server.requests.count
                    queue.resumeAllOperations()
                }
                for (number, operation) in operations.enumerated() {
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil, "\(operation.error.map { "\($0)" } ?? "")")
                    #expect(operation.responseData == file(number).body, "\(number)")
                }
                await queue.empties()
                #expect(queue.operationCount == 0)
            }
        }

        /// Waits until the server has read everything that was sent to it. Connections that the server has not yet
        /// accepted come before the connection that is made here.
        private static func serverCatchesUp(_ server: TestServer) async {
            await closeIdleConnections()
            #expect(await get(server.url("/1001")).error == nil)
            await closeIdleConnections()
            await server.waitForConnectionsToClose()
        }

        /// Pauses operations in every way of pausing, and measures the processor time of the process for a while.
        ///
        /// A limit on processor time does not depend on the load of the machine, except that a spinning loop gets
        /// less time there. To stay below the limit, a loop that spins for a second would have to share its core with
        /// ten others.
        @Test func pausedOperationsLeaveProcessorIdle() async {
            await #expect(processExitsWith: .success) { try await Self.pauseAndMeasure() }
        }

        private static func pauseAndMeasure() async throws {
            let script: TestServer.Script = { request in
                let reply = file(0).whole
                switch request.path {
                case "/endless": return Reply([.bytes(reply.bytes.prefix(200)), .endless(chunk: Data(count: 65_536))])
                case "/request": return .stall
                default: return reply.cut(afterByteCount: 50_000, then: .stall)
                }
            }
            try await TestServer.serving(script: script) { server in
                var configuration = RequestOperationManager.Configuration()
                configuration.maximumConcurrentTransferCount = 200
                configuration.maximumConcurrentTransferCountPerOrigin = 200
                let manager = RequestOperationManager(configuration: configuration)
                func operation(_ request: URLRequest) -> RequestOperation { manager.operation(with: request) }
                let gets = (0..<100).map { operation(URLRequest(url: server.url("/\($0)"))) }
                let posts = (0..<5).map { operation(URLRequest("POST", server.url("/\($0)"), body: "x")) }
                let stalled = operation(URLRequest("POST", server.url("/request"), body: "x"))
                let unread = operation(URLRequest(url: server.url("/endless")))
                let chunks = unread.chunks(bufferByteCount: 10_000)
                let blocked = BlockedStream.request(server.url("/blocked"))
                let waiting = operation(blocked.request)
                for operation in gets + posts + [stalled, unread, waiting] { operation.start() }
                await server.wait { $0.requests.count >= 107 }
                for operation in gets + posts + [stalled] { operation.pause() }
                var pieces = chunks.makeAsyncIterator()
                #expect(try await pieces.next() != nil)
                await networkThreadAnswers()
                let before = ProcessUse.processorSeconds
                try await Task.sleep(for: .seconds(1))
                #expect(ProcessUse.processorSeconds - before < 0.1)
                #expect((gets + posts + [stalled]).allSatisfy { $0.isPaused })
                blocked.gate.signal()
                for operation in gets + posts + [stalled, unread, waiting] { operation.cancel() }
                for operation in gets + posts + [stalled, unread, waiting] { await operation.ends() }
            }
        }
    }
}
