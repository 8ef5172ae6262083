// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import TestSupport
import Testing

@testable import Bluebonnet

/// An output stream that discards its bytes and is slow to write them.
private final class SlowOutputStream: OutputStream {
    private let written: Observed<Int>

    init(_ written: Observed<Int>) {
        self.written = written
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        written = Observed(0)
        super.init(toMemory: ())
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength: Int) -> Int {
        usleep(200)
        written.update { $0 += maxLength }
        return maxLength
    }
}

extension NetworkTests {
    /// An endless body with a slow consumer: the server has to wait, and memory use stays constant. Each test runs in
    /// its own process, so that memory can be measured.
    @Suite(.skipped(in: .address, because: "the sanitizer keeps freed memory")) struct BackPressureTests {
        /// More than the socket buffers, the receive buffer and the current piece hold; far less than a server would
        /// send without back-pressure.
        private static let aheadLimit = 24 << 20
        private static let chunk = Data.patterned(byteCount: 65_536)

        private static func serving(_ body: (TestServer) async throws -> Void) async throws {
            let head = Data("HTTP/1.1 200 OK\r\n\r\n".utf8)
            let script: TestServer.Script = { request in
                request.path == "/endless"
                    ? Reply([.bytes(head), .endless(chunk: chunk)]) : .response(body: "answer")
            }
            try await TestServer.serving(script: script, body)
        }

        /// Runs other requests, which would let a transfer that reads without demand continue.
        private static func othersGoOn(_ server: TestServer) async {
            for _ in 0..<3 { #expect(await get(server.url("/other")).error == nil) }
        }

        @Test(arguments: [1, 256 * 1024]) func endlessBodyInPiecesKeepsMemoryConstant(bufferByteCount: Int) async {
            await #expect(processExitsWith: .success) { [bufferByteCount = bufferByteCount as Int] in
                try await Self.readPieces(bufferByteCount)
            }
        }

        private static func readPieces(_ bufferByteCount: Int) async throws {
            try await serving { server in
                await othersGoOn(server)
                let operation = RequestOperation(request: URLRequest(url: server.url("/endless")))
                let chunks = operation.chunks(bufferByteCount: bufferByteCount)
                operation.start()
                var (taken, most, before) = (0, 0, 0)
                for try await piece in chunks {
                    #expect(piece.first == chunk[taken % chunk.count])
                    taken += piece.count
                    if taken > 4 << 20, before == 0 { before = ProcessUse.residentKibibytes }
                    guard taken % 7 == 0 || before == 0 else { continue }
                    await networkThreadAnswers()
                    let sent = server.history.connections.map(\.sentByteCount).max() ?? 0
                    #expect(sent - taken < aheadLimit)
                    most = max(most, ProcessUse.residentKibibytes)
                    if taken > 40 << 20 { break }
                }
                await othersGoOn(server)
                #expect(before > 0)
                #expect(most - before < 16 << 10)
                await operation.ends()
                #expect(operation.code == .cancelled)
            }
        }

        @Test func endlessBodyInAnOutputStreamKeepsMemoryConstant() async {
            await #expect(processExitsWith: .success) { try await Self.fillStream() }
        }

        private static func fillStream() async throws {
            try await serving { server in
                await othersGoOn(server)
                let written = Observed(0)
                let operation = RequestOperation(request: URLRequest(url: server.url("/endless")))
                operation.outputStream = SlowOutputStream(written)
                operation.start()
                await written.becomes { $0 > 4 << 20 }
                let before = ProcessUse.residentKibibytes
                for step in 2...10 {
                    await written.becomes { $0 > step << 22 }
                    #expect(ProcessUse.residentKibibytes - before < 16 << 10)
                }
                operation.cancel()
                await operation.ends()
                #expect(operation.code == .cancelled)
                #expect(operation.responseData == nil)
            }
        }

        @Test func unreadBodyStopsTheServer() async {
            await #expect(processExitsWith: .success) { try await Self.blockStream() }
        }

        private static func blockStream() async throws {
            try await serving { server in
                let operation = RequestOperation(
                    request: URLRequest(url: server.url("/endless")),
                    options: TransferOptions { $0.timeouts.idle = .milliseconds(300) })
                let chunks = operation.chunks
                operation.start()
                await server.waitForRequests(count: 1)
                // Slower than the idle limit. The limit applies to the server, not to the consumer.
                let slow = Reply([.delay(.milliseconds(900))] + Reply.response().steps)
                try await TestServer.answering(slow) { #expect(await get($0.url()).error == nil) }
                let sent = server.history.connections.map(\.sentByteCount).max() ?? 0
                #expect(sent < aheadLimit)
                #expect(!operation.isFinished)
                var pieces = chunks.makeAsyncIterator()
                #expect(try await pieces.next() != nil)
                operation.cancel()
                await operation.ends()
            }
        }
    }
}
