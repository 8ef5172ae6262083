// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// A test stream that accepts the scripted numbers of bytes.
final class ScriptedOutput: OutputStream {
    private let sizes: [Int]
    private let gate: DispatchSemaphore?
    private let log: Observed<[Data]>
    private var count = 0
    private var status = Stream.Status.notOpen

    /// - Parameter sizes: the most bytes that each write accepts; the last one applies to all further writes; -1 fails.
    init(_ sizes: [Int], log: Observed<[Data]>, gate: DispatchSemaphore? = nil) {
        self.sizes = sizes
        self.log = log
        self.gate = gate
        super.init(toMemory: ())
    }

    required init(toMemory: ()) { preconditionFailure("not for tests") }

    override func open() { status = .open }
    override func close() {
        status = .closed
        log.append(Data("|".utf8))
    }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { status == .error ? POSIXError(.ENOSPC) : nil }
    override var hasSpaceAvailable: Bool { true }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        gate?.wait()
        let size = sizes[min(count, sizes.count - 1)]
        count += 1
        guard size >= 0 else {
            status = .error
            return -1
        }
        let piece = Data(bytes: buffer, count: min(size, length))
        if !piece.isEmpty { log.append(piece) }
        return piece.count
    }
}

extension NetworkTests {
    @Suite struct StreamedResponseTests {
        private static let body = Data.patterned(byteCount: 900_000)

        private func operation(_ url: URL, to stream: OutputStream) -> HTTPRequestOperation {
            let operation = HTTPRequestOperation(request: URLRequest(url: url))
            operation.outputStream = stream
            return operation
        }

        // MARK: - Output streams

        @Test func bodyGoesToTheStreamAndNotIntoMemory() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let folder = try TemporaryFolder()
                defer { folder.remove() }
                let stream = try #require(OutputStream(toFileAtPath: folder.path("out"), append: false))
                let operation = await operation(server.url(), to: stream).run()
                #expect(operation.error == nil)
                #expect(operation.responseData == nil)
                #expect(operation.receivedByteCount == 900_000)
                #expect(FileManager.default.contents(atPath: folder.path("out")) == Self.body)
                #expect(operation.outputStream === stream)
                #expect(stream.streamStatus == .closed)
            }
        }

        @Test func streamedBodyIsNotParsed() async throws {
            try await TestServer.answering(
                .response(headers: ["Content-Type": "application/json"], body: "{\"a\": 1}")
            ) { server in
                let serializer = DecodableResponseSerializer<[String: Int]>()
                let operation = HTTPRequestOperation(
                    request: URLRequest(url: server.url()), responseSerializer: serializer)
                operation.outputStream = .toMemory()
                #expect(await operation.run().error == nil)
                let written = operation.outputStream?.property(forKey: .dataWrittenToMemoryStreamKey) as? Data
                #expect(written == Data("{\"a\": 1}".utf8))
            }
        }

        @Test func memoryStreamCanBeReadAfterwards() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let operation = await operation(server.url(), to: .toMemory()).run()
                let written = operation.outputStream?.property(forKey: .dataWrittenToMemoryStreamKey) as? Data
                #expect(written == Self.body)
            }
        }

        @Test func shortWritesLoseNothing() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let log = Observed([Data]())
                let operation = await operation(server.url(), to: ScriptedOutput([1, 7, 1000], log: log)).run()
                #expect(operation.error == nil)
                #expect(log.value.reduce(Data(), +) == Self.body + Data("|".utf8))
            }
        }

        @Test(arguments: [[-1], [100, -1], [0], [100, 100, 0]])
        func incompletelyWrittenPieceFailsTheOperation(sizes: [Int]) async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let log = Observed([Data]())
                let operation = await operation(server.url(), to: ScriptedOutput(sizes, log: log)).run()
                #expect(operation.code == .cannotWriteFile)
                let reason = (operation.error?.underlying as? POSIXError)?.code
                #expect(reason == (sizes.last == -1 ? .ENOSPC : nil))
                #expect(log.value.count { $0 == Data("|".utf8) } == 1)
            }
        }

        @Test func failureOnTheLastPieceFailsTheOperation() async throws {
            try await TestServer.answering(.response(body: "short")) { server in
                let operation = await operation(server.url(), to: ScriptedOutput([-1], log: Observed([]))).run()
                #expect(operation.code == .cannotWriteFile)
            }
        }

        @Test func unacceptableResponseStaysInMemory() async throws {
            try await TestServer.answering(.response(status: 404, body: "no such thing")) { server in
                let log = Observed([Data]())
                let operation = await operation(server.url(), to: ScriptedOutput([100], log: log)).run()
                #expect(operation.code == .unacceptableStatus)
                #expect(operation.responseString == "no such thing")
                #expect(log.value.isEmpty)
            }
        }

        @Test func slowStreamDelaysOnlyItsConnection() async throws {
            let script: TestServer.Script = {
                $0.path == "/endless"
                    ? .steps([.bytes(Data("HTTP/1.1 200 OK\r\n\r\n".utf8)), .endless(chunk: Data(count: 65536))])
                    : .response(body: "other")
            }
            try await TestServer.serving(script: script) { server in
                let gate = DispatchSemaphore(value: 0)
                let slow = operation(
                    server.url("/endless"), to: ScriptedOutput([1 << 20], log: Observed([]), gate: gate))
                slow.start()
                await server.waitForConnections(count: 1)
                #expect(await get(server.url("/other")).responseString == "other")
                slow.cancel()
                try await slow.waitUntilEnded()
                #expect(slow.code == .cancelled)
                gate.signal()
            }
        }

        @Test func fileAndStreamTogetherAreRefused() async throws {
            let operation = operation(try #require(URL(string: "http://127.0.0.1:9/")), to: .toMemory())
            operation.outputFile = URL(fileURLWithPath: "/tmp/never-written")
            #expect(await operation.run().code == .invalidRequest)
        }

        @Test func totalLimitEndsAnOperationWhoseStreamBlocks() async throws {
            try await TestServer.answering(.response(body: "short")) { server in
                let gate = DispatchSemaphore(value: 0)
                let operation = operation(server.url(), to: ScriptedOutput([100], log: Observed([]), gate: gate))
                operation.timeouts.total = .milliseconds(300)
                _ = await operation.run()
                gate.signal()
                #expect(operation.code == .timedOut)
                #expect(operation.error?.timeLimit == .total)
            }
        }

        // MARK: - Chunks

        @Test func chunksAreTheBody() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                let chunks = operation.chunks
                operation.start()
                var received = Data()
                for try await chunk in chunks { received += chunk }
                #expect(received == Self.body)
                #expect(operation.isFinished)
                #expect(operation.error == nil)
                #expect(operation.responseData == nil)
            }
        }

        @Test func loopThrowsTheOperationError() async throws {
            let reply = Reply.response(body: Self.body)
            let cut = reply.cut(afterByteCount: reply.bytes.count - 10)
            try await TestServer.answering(cut) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                let chunks = operation.chunks
                operation.start()
                var received = Data()
                let error = await #expect(throws: NetworkingError.self) {
                    for try await chunk in chunks { received += chunk }
                }
                #expect(error?.code == .badServerResponse)
                #expect(received == Self.body.dropLast(10))
            }
        }

        @Test func unacceptableResponseEndsTheLoopWithItsError() async throws {
            try await TestServer.answering(.response(status: 500, body: "broken")) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                let chunks = operation.chunks
                operation.start()
                let error = await #expect(throws: NetworkingError.self) {
                    for try await _ in chunks { Issue.record("there is no accepted body") }
                }
                #expect(error?.code == .unacceptableStatus)
                #expect(error?.body == Data("broken".utf8))
            }
        }

        private static let endless = Reply.steps([
            .bytes(Data("HTTP/1.1 200 OK\r\n\r\n".utf8)), .endless(chunk: Data(count: 65536)),
        ])

        @Test func leavingTheLoopCancelsTheOperation() async throws {
            try await TestServer.answering(Self.endless) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                operation.start(countingUntil: 1_000_000)
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
                await server.waitForConnectionsToClose()
            }
        }

        @Test func cancellingTheWaitingTaskCancelsTheOperation() async throws {
            try await TestServer.answering(.steps([.stall])) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                let chunks = operation.chunks
                operation.start()
                let task = Task { for try await _ in chunks {} }
                await server.waitForConnections(count: 1)
                task.cancel()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
                await #expect(throws: NetworkingError.self) { try await task.value }
            }
        }

        @Test func unusedSequenceCancelsTheOperation() async throws {
            try await TestServer.answering(Self.endless) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                _ = operation.chunks
                operation.start()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
            }
        }

        @Test func pausedStreamContinuesWhereItStopped() async throws {
            let file = Representation(body: Self.body, etag: "\"one\"")
            let half = file.whole.cut(afterByteCount: file.whole.bytes.count - 450_000, then: .stall)
            let script: TestServer.Script = { Representation.offset(of: $0) == nil ? half : file.answer(to: $0) }
            try await TestServer.serving(script: script) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                let chunks = operation.chunks
                operation.start()
                var received = Data()
                for try await chunk in chunks {
                    received += chunk
                    guard received.count >= 450_000, server.requests.count == 1 else { continue }
                    operation.pause()
                    await server.waitForConnectionsToClose()
                    operation.resume()
                }
                #expect(received == Self.body)
                #expect(server.requests.count == 2)
            }
        }

        @Test func streamThatCannotStartAgainIsNotSpliced() async throws {
            let file = Representation(body: Self.body, etag: nil)
            let half = file.whole.cut(afterByteCount: file.whole.bytes.count - 450_000, then: .stall)
            let script: TestServer.Script = { $0.connection == 1 ? half : file.answer(to: $0) }
            try await TestServer.serving(script: script) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                let chunks = operation.chunks
                operation.start()
                var received = Data()
                let error = await #expect(throws: NetworkingError.self) {
                    for try await chunk in chunks {
                        received += chunk
                        guard received.count >= 450_000 else { continue }
                        operation.pause()
                        operation.resume()
                    }
                }
                #expect(error?.code == .resumeRefused)
                #expect(received == Self.body.prefix(450_000))
            }
        }
    }
}

extension HTTPRequestOperation {
    /// Starts, reads chunks until more than `limit` bytes have arrived, then leaves the loop.
    fileprivate func start(countingUntil limit: Int) {
        let chunks = chunks
        start()
        Task {
            var count = 0
            for try await chunk in chunks {
                count += chunk.count
                if count > limit { break }
            }
        }
    }
}
