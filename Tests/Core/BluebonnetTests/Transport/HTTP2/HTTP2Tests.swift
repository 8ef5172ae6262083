// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Several requests on one connection. An event of one request does not affect the others.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct HTTP2Tests {
        private static let body = Data.patterned(byteCount: 500_000)

        /// Starts an operation and waits for the first bytes of its body.
        private static func start(_ operation: RequestOperation) async {
            let arrived = Gate()
            operation.onDownloadProgress = { _, total, _ in if total > 0 { arrived.open() } }
            operation.start()
            await arrived.wait()
            operation.onDownloadProgress = nil
        }

        /// Answers `/held/…` with the first half of the body, and with the rest when the gate opens.
        private static func script(_ gate: Gate) -> TestServer.Script {
            let whole = Reply.response(body: body).bytes
            let half = whole.count / 2
            return { request in
                guard request.path.hasPrefix("/held/") else { return .response(body: request.target) }
                return Reply([.bytes(whole.prefix(half)), .wait(until: gate), .bytes(whole.dropFirst(half))])
            }
        }

        /// libcurl 7.88 keeps a transfer's buffer while other transfers use its connection, and then refuses a
        /// different buffer size.
        @Test func sequentialDownloadsShareAConnectionInUse() async throws {
            let gate = Gate()
            try await HTTP2Fixture.with(script: Self.script(gate)) { fixture in
                try fixture.folder.write("file.bin", Self.body)
                let folder = try DownloadFolder()
                defer { folder.remove() }
                let slow = RequestOperation(request: URLRequest(url: fixture.url("/held/")), options: fixture.options)
                await Self.start(slow)
                for _ in 0..<3 {
                    let operation = await folder.download(fixture.nginx.tlsURL("/file.bin"), fixture.options)
                    #expect(operation.error == nil)
                    #expect(operation.summary.transferCount == 1)
                    #expect(operation.summary.isReused)
                    #expect(folder.contents == Self.body)
                }
                gate.open()
                try await slow.waitUntilEnded()
                #expect(slow.responseData == Self.body)
            }
        }

        @Test func cancelledRequestDoesNotAffectOthers() async throws {
            let gate = Gate()
            try await HTTP2Fixture.with(script: Self.script(gate)) { fixture in
                let manager = fixture.manager()
                let operations = (0..<20).map {
                    manager.operation(with: URLRequest(url: fixture.url("/held/\($0)")))
                }
                for operation in operations { await Self.start(operation) }
                for operation in operations[..<10] { operation.cancel() }
                for operation in operations[..<10] { try await operation.waitUntilEnded() }
                #expect(await get(fixture.url("/other"), fixture.options).responseString == "/other")
                gate.open()
                for (number, operation) in operations.enumerated() {
                    try await operation.waitUntilEnded()
                    #expect(operation.code == (number < 10 ? .cancelled : nil))
                    #expect(operation.summary.transferCount == 1)
                    if number >= 10 { #expect(operation.responseData == Self.body) }
                }
            }
        }

        /// A POST is paused with its stream. Bytes on their way are kept, and the rest waits.
        @Test func pausedRequestDoesNotAffectOthers() async throws {
            let gate = Gate()
            try await HTTP2Fixture.with(script: Self.script(gate)) { fixture in
                let request = URLRequest("POST", fixture.url("/held/"), body: "payload")
                let operations = (0..<4).map { _ in RequestOperation(request: request, options: fixture.options) }
                for operation in operations { await Self.start(operation) }
                for operation in operations[..<2] { operation.pause() }
                await networkThreadAnswers()
                gate.open()
                for operation in operations[2...] {
                    try await operation.waitUntilEnded()
                    #expect(operation.responseData == Self.body)
                }
                for number in 0..<20 {
                    #expect(await get(fixture.url("/\(number)"), fixture.options).responseString == "/\(number)")
                }
                #expect(operations[..<2].allSatisfy { $0.isPaused && !$0.isFinished })
                for operation in operations[..<2] { operation.resume() }
                for operation in operations[..<2] {
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil)
                    #expect(operation.responseData == Self.body)
                }
                #expect(fixture.server.requests.count { $0.method == "POST" } == operations.count)
            }
        }

        @Test func idleLimitEndsOnlyTheSilentRequest() async throws {
            let script: TestServer.Script = { request in
                guard request.path == "/busy" else { return .stall }
                return Reply.response(body: Self.body).dripping(chunk: 5_000, every: .milliseconds(30))
            }
            try await HTTP2Fixture.with(script: script) { fixture in
                let busy = RequestOperation(request: URLRequest(url: fixture.url("/busy")), options: fixture.options)
                await Self.start(busy)
                var hasty = fixture.options
                hasty.timeouts.idle = .seconds(1)
                let silent = await get(fixture.url("/silent"), hasty)
                #expect(silent.code == .timedOut)
                try await busy.waitUntilEnded()
                #expect(busy.error == nil)
                #expect(busy.responseData == Self.body)
            }
        }

        @Test func unfinishedBodyIsAnError() async throws {
            let script: TestServer.Script = { request in
                let whole = Reply.response(body: Self.body)
                return request.path == "/cut" ? whole.cut(afterByteCount: 200_000) : .response(body: request.target)
            }
            try await HTTP2Fixture.with(script: script) { fixture in
                let operation = await perform(
                    URLRequest("POST", fixture.url("/cut"), body: "once"), fixture.options)
                #expect(operation.code == .connectionLost || operation.code == .badServerResponse)
                #expect(fixture.server.requests.count == 1)
                #expect(await get(fixture.url("/other"), fixture.options).responseString == "/other")
            }
        }

        /// More concurrent requests than one connection has streams (128).
        @Test func requestsBeyondTheStreamLimitUseSeveralConnections() async throws {
            let gate = Gate()
            try await HTTP2Fixture.with(script: Self.script(gate)) { fixture in
                let manager = fixture.manager(concurrency: 300)
                let operations = (0..<300).map { number in
                    manager.operation(with: URLRequest(url: fixture.url("/held/\(number)")))
                }
                manager.operationQueue.addOperations(operations)
                await fixture.server.waitForRequests(count: 300)
                gate.open()
                for operation in operations {
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil)
                    #expect(operation.responseData == Self.body)
                }
                #expect(fixture.server.requests.count == 300)
            }
        }

        /// nginx sends GOAWAY after this many requests, even to requests that share the connection with others. A
        /// POST that nginx has not processed is not sent again, because the client cannot know this for certain.
        @Test(arguments: [100, 1000]) func requestsContinueOnNewConnectionsAfterGOAWAY(requestLimit: Int) async throws {
            try await HTTP2Fixture.with(directives: "keepalive_requests \(requestLimit);") { fixture in
                let manager = fixture.manager()
                let operations = (0..<3000).map { number in
                    manager.operation(with: URLRequest(number % 3 == 0 ? "POST" : "GET", fixture.url("/\(number)")))
                }
                manager.operationQueue.addOperations(operations)
                for (number, operation) in operations.enumerated() {
                    try await operation.waitUntilEnded()
                    let isLost = number % 3 == 0 && operation.code == .connectionLost
                    #expect(operation.error == nil || isLost)
                    #expect(isLost || operation.responseString == "/\(number)")
                }
                let posts = fixture.server.requests.filter { $0.method == "POST" }.map(\.target)
                #expect(Set(posts).count == posts.count)
                #expect(operations.count { $0.error == nil } > 2000)
            }
        }

        @Test func stoppedServerEndsAllRequestsInProgress() async throws {
            try await HTTP2Fixture.with(script: Self.script(Gate())) { fixture in
                let manager = fixture.manager()
                let operations = (0..<20).map {
                    manager.operation(with: URLRequest("POST", fixture.url("/held/\($0)")))
                }
                for operation in operations { await Self.start(operation) }
                await fixture.nginx.stop()
                for operation in operations {
                    try await operation.waitUntilEnded()
                    #expect(operation.code == .connectionLost || operation.code == .badServerResponse)
                }
            }
        }

        /// The body is far larger than the buffers of a connection.
        @Test func slowlyReadResponseDoesNotDelayOthers() async throws {
            let chunk = Data.patterned(byteCount: 65_536)
            let script: TestServer.Script = { request in
                guard request.path == "/endless" else { return .response(body: request.target) }
                return Reply([.bytes(Data("HTTP/1.1 200 OK\r\n\r\n".utf8)), .endless(chunk: chunk)])
            }
            try await HTTP2Fixture.with(script: script) { fixture in
                let slow = RequestOperation(
                    request: URLRequest(url: fixture.url("/endless")), options: fixture.options)
                let chunks = slow.chunks(bufferByteCount: 1 << 20)
                slow.start()
                var (taken, number) = (0, 0)
                for try await piece in chunks {
                    #expect(piece.first == chunk[taken % chunk.count])
                    taken += piece.count
                    if taken > number << 23 {
                        number += 1
                        let other = await get(fixture.url("/\(number)"), fixture.options)
                        #expect(other.responseString == "/\(number)")
                        #expect(other.summary.isReused == (number > 1), "not the connection of the slow one")
                    }
                    if number == 10 { break }
                }
                try await slow.waitUntilEnded()
                #expect(slow.code == .cancelled)
            }
        }

        /// If other transfers use the connection, libcurl 7.88 keeps the bytes that came during a pause, and delivers
        /// them to the next transfer on the handle.
        @Test func bytesOfACancelledRequestReachNoOtherRequest() async throws {
            let gate = Gate()
            let other = Data(Self.body.map { ~$0 })
            let script: TestServer.Script = { request in
                switch request.path {
                case "/held": Reply([.wait(until: gate)] + Reply.response(body: "held").steps)
                case "/first": .response(body: Self.body + Self.body + Self.body)
                default: .response(body: other)
                }
            }
            try await HTTP2Fixture.with(script: script) { fixture in
                let waiting = RequestOperation(request: URLRequest(url: fixture.url("/held")), options: fixture.options)
                waiting.start()
                await fixture.server.waitForRequests(count: 1)
                for round in 0..<5 {
                    let first = Self.operation(fixture, "/first")
                    var pieces = first.chunks(bufferByteCount: 1).makeAsyncIterator()
                    first.start()
                    #expect(try await pieces.next()?.isEmpty == false)
                    await networkThreadAnswers()
                    first.cancel()
                    try await first.waitUntilEnded()
                    let second = Self.operation(fixture, "/second")
                    let chunks = second.chunks(bufferByteCount: 1)
                    second.start()
                    var taken = Data()
                    for try await piece in chunks {
                        taken += piece
                        await networkThreadAnswers()
                    }
                    let isExact = taken == other  // printing their difference would take too long
                    #expect(isExact, "round \(round)")
                    #expect(second.error == nil)
                }
                gate.open()
                try await waiting.waitUntilEnded()
                #expect(waiting.responseString == "held")
            }
        }

        private static func operation(_ fixture: HTTP2Fixture, _ path: String) -> RequestOperation {
            RequestOperation(request: URLRequest(url: fixture.url(path)), options: fixture.options)
        }
    }
}
