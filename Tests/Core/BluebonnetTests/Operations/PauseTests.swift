// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct PauseTests {
        private let file = Representation(body: .patterned(byteCount: 200_000), etag: "\"one\"")

        /// The first half of the body, then nothing.
        private var half: Reply {
            file.whole.cut(afterByteCount: file.whole.bytes.count - 100_000, then: .stall)
        }

        /// Starts an operation, pauses it inside a body that its server delays, and resumes it after the server has
        /// seen the connection close.
        private func pauseAndResume(_ operation: RequestOperation, _ server: TestServer) async {
            await startAndReceive(operation)
            operation.pause()
            #expect(operation.isPaused)
            await server.waitForConnectionsToClose()
            operation.resume()
            await operation.waitAsOwner()
        }

        /// Starts an operation and waits for its first bytes.
        private func startAndReceive(_ operation: RequestOperation) async {
            let arrived = Gate()
            operation.onDownloadProgress = { _, total, _ in if total > 0 { arrived.open() } }
            operation.start()
            await arrived.wait()
        }

        private func script(then answer: @escaping TestServer.Script) -> TestServer.Script {
            { [half] in Representation.offset(of: $0) == nil && $0.connection == 1 ? half : answer($0) }
        }

        @Test func resumedBodyInMemoryContinuesWithRange() async throws {
            try await TestServer.serving(script: script { [file] in file.answer(to: $0) }) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                await pauseAndResume(operation, server)
                #expect(operation.error == nil)
                #expect(operation.responseData == file.body)
                let last = try #require(server.requests.last)
                #expect(server.requests.count == 2)
                #expect(last.headers["If-Range"] == "\"one\"")
                #expect(try #require(Representation.offset(of: last)) > 0)
            }
        }

        @Test func resumedDownloadContinuesItsFile() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await TestServer.serving(script: script { [file] in file.answer(to: $0) }) { server in
                let operation = folder.operation(URLRequest(url: server.url()))
                await pauseAndResume(operation, server)
                #expect(operation.error == nil)
                #expect(folder.contents == file.body)
                #expect(folder.names == ["file"])
                #expect(server.requests.count == 2)
            }
        }

        @Test func changedBodyRestartsAfterResume() async throws {
            let other = Representation(body: Data(file.body.reversed()), etag: "\"two\"")
            try await TestServer.serving(script: script { other.answer(to: $0) }) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                await pauseAndResume(operation, server)
                #expect(operation.error == nil)
                #expect(operation.responseData == other.body)
            }
        }

        @Test func shortRangeIsNotAcceptedAsTheRest() async throws {
            let answer: TestServer.Script = { [file] request in
                let rest = Representation.offset(of: request)
                guard let offset = rest, offset < 150_000 else { return file.answer(to: request) }
                let fields: WireFields = ["ETag": "\"one\"", "Content-Range": "bytes \(offset)-149999/200000"]
                return .response(status: 206, headers: fields, body: file.body[offset..<150_000])
            }
            try await TestServer.serving(script: script(then: answer)) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                await pauseAndResume(operation, server)
                if operation.error == nil { #expect(operation.responseData == file.body) }
            }
        }

        @Test func pausedOperationKeepsReceivedBytesAndCanBeCancelled() async throws {
            try await TestServer.serving(script: script { _ in .stall }) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                await startAndReceive(operation)
                operation.pause()
                await server.waitForConnectionsToClose()
                #expect(operation.isPaused)
                #expect(!operation.isFinished)
                operation.cancel()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
                #expect(operation.receivedByteCount > 0)
                #expect(server.requests.count == 1)
            }
        }

        @Test func pausedPostKeepsItsConnectionAndIsSentOnce() async throws {
            let gate = Gate()
            let reply = Reply.response(body: file.body)
            let waitingReply = Reply([.bytes(reply.bytes.prefix(100_000)), .wait(until: gate)])
                .then(.bytes(reply.bytes.dropFirst(100_000)))
            try await TestServer.answering(waitingReply) { server in
                let operation = RequestOperation(request: URLRequest("POST", server.url(), body: "payload"))
                await startAndReceive(operation)
                operation.pause()
                await networkThreadAnswers()
                gate.open()
                #expect(await get(server.url("/other")).error == nil)
                #expect(!operation.isFinished)
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseData == file.body)
                #expect(server.requests.filter { $0.method == "POST" }.count == 1)
            }
        }

        @Test func pauseInPlaceCountsAgainstNoTimeLimit() async throws {
            let gate = Gate()
            let reply = Reply.response(body: "hello")
            let waitingReply = Reply([.bytes(reply.bytes.dropLast(3)), .wait(until: gate)])
                .then(.bytes(reply.bytes.suffix(3)))
            let script: TestServer.Script = { request in
                request.path == "/slow" ? Reply([.delay(.milliseconds(1500))] + reply.steps) : waitingReply
            }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions {
                    $0.timeouts.total = .milliseconds(800)
                    $0.timeouts.idle = .milliseconds(800)
                }
                let operation = RequestOperation(
                    request: URLRequest("POST", server.url("/held"), body: "payload"), options: options)
                await startAndReceive(operation)
                operation.pause()
                #expect(await get(server.url("/slow")).error == nil)
                #expect(operation.isPaused)
                gate.open()
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseString == "hello")
            }
        }

        @Test func pauseReleasingTheConnectionCountsAgainstNoTimeLimit() async throws {
            let script: TestServer.Script = { [file, half] request in
                if request.path == "/slow" { return Reply([.delay(.milliseconds(1500))] + Reply.response().steps) }
                return Representation.offset(of: request) == nil ? half : file.answer(to: request)
            }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions { $0.timeouts.total = .milliseconds(800) }
                let operation = RequestOperation(request: URLRequest(url: server.url("/file")), options: options)
                await startAndReceive(operation)
                operation.pause()
                #expect(await get(server.url("/slow")).error == nil)
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.responseData == file.body)
            }
        }

        @Test func concurrentPausesAndResumesLoseNoBytes() async throws {
            let script: TestServer.Script = { [file] in file.answer(to: $0).dripping(chunk: 20_000) }
            try await TestServer.serving(script: script) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                operation.start()
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            for _ in 0..<50 {
                                operation.pause()
                                await networkThreadAnswers()
                                operation.resume()
                            }
                        }
                    }
                }
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseData == file.body)
            }
        }
    }
}
