// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// A test stream that gives its scripted parts: it can block, fail and be replayed.
final class ScriptedStream: InputStream, ReplayableBodyStream {
    enum Part: Sendable {
        case bytes(Data)
        case wait(DispatchSemaphore)
        case fail
    }

    private let script: [Part]
    private var parts: ArraySlice<Part>
    private let canReplay: Bool
    private var status = Stream.Status.notOpen

    init(_ script: [Part], canReplay: Bool = false) {
        self.script = script
        self.canReplay = canReplay
        parts = script[...]
        super.init(data: Data())
    }

    override func open() { status = .open }
    override func close() { status = .closed }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { status == .error ? POSIXError(.ENXIO) : nil }
    override var hasBytesAvailable: Bool { !parts.isEmpty }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        while let part = parts.popFirst() {
            switch part {
            case .wait(let semaphore): semaphore.wait()
            case .fail:
                status = .error
                return -1
            case .bytes(let data):
                let piece = data.prefix(length)
                if piece.count < data.count { parts = [.bytes(data.dropFirst(piece.count))] + parts }
                piece.copyBytes(to: buffer, count: piece.count)
                return piece.count
            }
        }
        return 0
    }

    func makeReplay() -> InputStream? { canReplay ? ScriptedStream(script, canReplay: true) : nil }
}

extension NetworkTests {
    @Suite struct BodyStreamTests {
        private static let body = Data.patterned(byteCount: 400_000)

        private func request(
            _ url: URL, method: String = "POST", _ stream: InputStream, length: Int? = nil
        ) -> URLRequest {
            var request = URLRequest(method, url)
            request.httpBodyStream = stream
            if let length { request.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
            return request
        }

        @Test(arguments: ["POST", "PUT", "PATCH"])
        func streamWithALengthArrivesUnchanged(method: String) async throws {
            try await TestServer.answering(.response()) { server in
                let stream = InputStream(data: Self.body)
                let operation = await perform(request(server.url(), method: method, stream, length: 400_000))
                #expect(operation.error == nil)
                let sent = try #require(server.requests.first)
                #expect(sent.body == Self.body)
                #expect(sent.headers.values(named: "Content-Length") == ["400000"])
                #expect(sent.headers["Transfer-Encoding"] == nil)
            }
        }

        @Test func streamWithoutALengthIsSentInChunks() async throws {
            try await TestServer.answering(.response()) { server in
                let operation = await perform(request(server.url(), InputStream(data: Self.body)))
                #expect(operation.error == nil)
                let sent = try #require(server.requests.first)
                #expect(sent.body == Self.body)
                #expect(sent.headers["Transfer-Encoding"] == "chunked")
                #expect(sent.headers["Content-Length"] == nil)
            }
        }

        @Test func emptyStreamIsAnEmptyBody() async throws {
            try await TestServer.answering(.response()) { server in
                #expect(await perform(request(server.url(), InputStream(data: Data()), length: 0)).error == nil)
                #expect(await perform(request(server.url(), InputStream(data: Data()))).error == nil)
                #expect(server.requests.map(\.body) == [Data(), Data()])
            }
        }

        @Test(arguments: [0, 1, 399_999])
        func streamThatEndsEarlyIsAnError(byteCount: Int) async throws {
            try await TestServer.answering(.response()) { server in
                let stream = InputStream(data: Self.body.prefix(byteCount))
                let operation = await perform(request(server.url(), stream, length: 400_000))
                #expect(operation.code == .invalidRequest)
                #expect(operation.error?.message.contains("\(byteCount) of the 400000 bytes") == true)
                await server.waitForConnectionsToClose()
                #expect(server.requests.isEmpty)
            }
        }

        @Test(arguments: [1, 1000, 400_000])
        func overlongStreamFailsTheRequest(excess: Int) async throws {
            try await TestServer.answering(.response()) { server in
                let stream = InputStream(data: Self.body + Data(count: excess))
                let operation = await perform(request(server.url(), stream, length: 400_000))
                #expect(operation.code == .invalidRequest)
                #expect(operation.error?.message.contains("more than the 400000 bytes") == true)
                await server.waitForConnectionsToClose()
                #expect(server.requests.isEmpty)
            }
        }

        @Test func streamErrorFailsTheOperation() async throws {
            try await TestServer.answering(.response()) { server in
                let stream = ScriptedStream([.bytes(Self.body), .fail])
                let operation = await perform(request(server.url(), stream, length: 500_000))
                #expect(operation.code == .cannotReadFile)
                #expect((operation.error?.underlying as? POSIXError)?.code == .ENXIO)
                await server.waitForConnectionsToClose()
                #expect(server.requests.isEmpty)
            }
        }

        @Test func blockedStreamDelaysNoOtherRequest() async throws {
            try await TestServer.answering(.response(body: "done")) { server in
                let semaphore = DispatchSemaphore(value: 0)
                let stream = ScriptedStream([.bytes(Data("ab".utf8)), .wait(semaphore), .bytes(Data("cd".utf8))])
                let slow = RequestOperation(request: request(server.url("/slow"), stream, length: 4))
                slow.start()
                #expect(await get(server.url("/other")).responseString == "done")
                await networkThreadAnswers()
                #expect(server.requests.map(\.path) == ["/other"])
                semaphore.signal()
                try await slow.waitUntilEnded()
                #expect(slow.error == nil)
                #expect(server.requests.last?.bodyText == "abcd")
            }
        }

        @Test func blockedStreamCanBeCancelled() async throws {
            try await TestServer.answering(.response()) { server in
                let semaphore = DispatchSemaphore(value: 0)
                defer { semaphore.signal() }
                let stream = ScriptedStream([.bytes(Data("ab".utf8)), .wait(semaphore)])
                let operation = RequestOperation(request: request(server.url(), stream, length: 4))
                operation.start()
                await server.waitForConnections(count: 1)
                operation.cancel()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
            }
        }

        @Test func uploadProgressCountsSentBytesUpToTheTotal() async throws {
            try await TestServer.answering(.response()) { server in
                let operation = RequestOperation(
                    request: request(server.url(), InputStream(data: Self.body), length: 400_000))
                let reports = Observed([[Int64]]())
                let ended = Gate()
                operation.onUploadProgress = { reports.append([$0, $1, $2]) }
                operation.completionBlock = { ended.open() }
                #expect(await operation.run().error == nil)
                await ended.wait()
                #expect(reports.value.last?[1] == 400_000)
                #expect(reports.value.allSatisfy { $0[2] == 400_000 && $0[1] <= 400_000 })
                #expect(reports.value.map { $0[0] }.reduce(0, +) == 400_000)
            }
        }

        @Test func unreadBytesAreNotCountedAsSent() async throws {
            var options = TestServer.Options()
            options.readsBodies = false
            let head: TestServer.Script = { _ in .steps([.stall]) }
            try await TestServer.serving(options, script: head) { server in
                let length = 64 << 20
                let operation = RequestOperation(
                    request: request(server.url(), InputStream(data: Data(count: length)), length: length))
                let (totals, told, ended) = (Observed([Int64]()), Gate(), Gate())
                operation.onUploadProgress = { _, total, _ in
                    totals.append(total)
                    told.open()
                }
                operation.completionBlock = { ended.open() }
                operation.start()
                await told.wait()
                operation.cancel()
                await ended.wait()
                #expect(!totals.value.isEmpty)
                #expect(totals.value.allSatisfy { $0 > 0 && $0 < Int64(length) })
            }
        }

        // MARK: - Replay

        @Test(arguments: [307, 308])
        func methodPreservingRedirectReplaysTheStream(status: Int) async throws {
            let script: TestServer.Script = {
                $0.path == "/first" ? .redirect(to: "/second", status: status) : .response(body: "done")
            }
            try await TestServer.serving(script: script) { server in
                let stream = ScriptedStream([.bytes(Self.body)], canReplay: true)
                let operation = await perform(request(server.url("/first"), stream, length: 400_000))
                #expect(operation.error == nil)
                #expect(server.requests.map(\.path) == ["/first", "/second"])
                #expect(server.requests.map(\.body) == [Self.body, Self.body])
            }
        }

        @Test func blockProvidesANewStream() async throws {
            let script: TestServer.Script = {
                $0.path == "/first" ? .redirect(to: "/second", status: 307) : .response(body: "done")
            }
            try await TestServer.serving(script: script) { server in
                let operation = RequestOperation(
                    request: request(server.url("/first"), InputStream(data: Self.body), length: 400_000))
                let count = Observed([Int]())
                operation.onNeedNewBodyStream = {
                    #expect(!NetworkThread.isCurrent)
                    count.append(1)
                    return InputStream(data: Self.body)
                }
                #expect(await operation.run().error == nil)
                #expect(count.value.count == 1)
                #expect(server.requests.map(\.body) == [Self.body, Self.body])
            }
        }

        @Test func streamWithoutReplayIsAClearError() async throws {
            let script: TestServer.Script = {
                $0.path == "/first" ? .redirect(to: "/second", status: 307) : .response(body: "done")
            }
            try await TestServer.serving(script: script) { server in
                let operation = await perform(
                    request(server.url("/first"), InputStream(data: Self.body), length: 400_000))
                #expect(operation.code == .bodyStreamExhausted)
                #expect(operation.error?.message.contains("onNeedNewBodyStream") == true)
                #expect(server.requests.map(\.path) == ["/first"])
            }
        }

        @Test func redirectToGetNeedsNoStream() async throws {
            let script: TestServer.Script = {
                $0.path == "/first" ? .redirect(to: "/second", status: 303) : .response(body: "done")
            }
            try await TestServer.serving(script: script) { server in
                let operation = await perform(
                    request(server.url("/first"), InputStream(data: Self.body), length: 400_000))
                #expect(operation.error == nil)
                #expect(server.requests.map(\.method) == ["POST", "GET"])
            }
        }

        @Test func challengeReplaysTheStream() async throws {
            let script: TestServer.Script = { request in
                guard request.headers["Authorization"] == nil else { return .response(body: "in") }
                return .response(status: 401, headers: ["WWW-Authenticate": "Basic realm=r"])
            }
            try await TestServer.serving(script: script) { server in
                let operation = RequestOperation(
                    request: request(server.url(), ScriptedStream([.bytes(Self.body)], canReplay: true)))
                operation.credential = URLCredential(user: "u", password: "p", persistence: .none)
                #expect(await operation.run().error == nil)
                #expect(server.requests.map(\.body) == [Self.body, Self.body])
            }
        }

        @Test func copySendsItsOwnStream() async throws {
            try await TestServer.answering(.response()) { server in
                let stream = ScriptedStream([.bytes(Self.body)], canReplay: true)
                let operation = RequestOperation(request: request(server.url(), stream, length: 400_000))
                #expect(await operation.run().error == nil)
                #expect(await operation.copied().run().error == nil)
                #expect(server.requests.map(\.body) == [Self.body, Self.body])
            }
        }

        @Test func postWithAStreamIsPausedInPlace() async throws {
            try await TestServer.answering(.response(body: "done")) { server in
                let semaphore = DispatchSemaphore(value: 0)
                let stream = ScriptedStream([.bytes(Data("ab".utf8)), .wait(semaphore), .bytes(Data("cd".utf8))])
                let operation = RequestOperation(request: request(server.url(), stream, length: 4))
                operation.start()
                await server.waitForConnections(count: 1)
                operation.pause()
                await networkThreadAnswers()
                semaphore.signal()
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(server.requests.map(\.bodyText) == ["abcd"])
                #expect(server.connectionCount == 1)
            }
        }
    }
}
