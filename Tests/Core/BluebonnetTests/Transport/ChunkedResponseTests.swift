// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// Chunked bodies, from the wire to the consumer.
    @Suite struct ChunkedResponseTests {
        private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

        private static let body = Data.patterned(byteCount: 200_000)
        /// The body in chunks of 1 to 3,000 bytes.
        private static let reply: Reply = {
            var (chunks, start) = ([Data](), 0)
            while start < body.count {
                let end = min(start + 1 + start * 7919 % 3000, body.count)
                chunks.append(body[start..<end])
                start = end
            }
            return .chunked(chunks: chunks, trailers: ["X-Late": "1"])
        }()

        @Test(arguments: [1, 5000, 1 << 20]) func slowConsumerReceivesEachByteOnce(bufferByteCount: Int)
            async throws
        {
            try await TestServer.answering(.raw(Self.reply.bytes)) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                let chunks = operation.chunks(bufferByteCount: bufferByteCount)
                operation.start()
                var received = Data()
                for try await piece in chunks {
                    received += piece
                    if received.count.isMultiple(of: 3) { await networkThreadAnswers() }
                }
                #expect(received == Self.body)
                await operation.ends()
                #expect(operation.error == nil)
            }
        }

        @Test(arguments: [1, 2, 1000]) func resultDoesNotDependOnSliceSizes(byteCount: Int) async throws {
            let reply = byteCount == 1000 ? Self.reply : .chunked(chunks: ["he", "l", "lo"], trailers: ["A": "b"])
            let expected = byteCount == 1000 ? Self.body : Data("hello".utf8)
            try await TestServer.answering(reply.dripping(chunk: byteCount)) { server in
                let operation = await get(server.url())
                #expect(operation.error == nil)
                #expect(operation.responseData == expected)
                #expect(operation.receivedByteCount == Int64(expected.count))
            }
        }

        @Test func rateLimitedDownloadIsComplete() async throws {
            try await TestServer.answering(.raw(Self.reply.bytes)) { server in
                let options = TransferOptions { $0.maximumBytesPerSecond = 800_000 }
                let operation = await get(server.url(), options)
                #expect(operation.error == nil)
                #expect(operation.responseData == Self.body)
            }
        }

        /// Bytes after the last chunk belong to no response, so their connection cannot be used again.
        @Test(arguments: ["X", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON"])
        func bytesAfterTheLastChunkCloseTheConnection(excess: String) async throws {
            let script: TestServer.Script = { request in
                guard request.path == "/first" else { return .response(body: "honest") }
                return .raw(Self.head + "5\r\nhello\r\n0\r\n\r\n" + excess)
            }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url("/first")).responseString == "hello")
                #expect(await get(server.url("/second")).responseString == "honest")
                #expect(server.history.connections.count == 2)
            }
        }

        @Test func connectionIsReusedAfterTheLastChunk() async throws {
            try await TestServer.answering(Self.reply) { server in
                for _ in 0..<3 { #expect(await get(server.url()).responseData == Self.body) }
                #expect(server.history.connections.count == 1)
            }
        }

        /// libcurl delivers bodies in pieces of 16 KiB. Here the last chunk ends exactly at the end of a piece.
        @Test func bytesAfterAFullPieceCloseTheConnection() async throws {
            let content = String(repeating: "x", count: 16_371)
            let chunks = "3ff3\r\n" + content + "\r\n0\r\n\r\n"
            #expect(chunks.utf8.count == 16_384)
            let script: TestServer.Script = { request in
                request.path == "/first" ? .raw(Self.head + chunks + "POISON") : .response(body: "honest")
            }
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await TestServer.serving(script: script) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url("/first")))
                operation.outputFile = URL(fileURLWithPath: folder.path("file"))
                #expect(await operation.run().error == nil)
                let file = try String(contentsOfFile: folder.path("file"), encoding: .utf8)
                #expect(file == content)
                #expect(await get(server.url("/second")).responseString == "honest")
                #expect(server.history.connections.count == 2)
            }
        }

        /// Framing that libcurl and this library would interpret differently. Newer versions of libcurl join folded
        /// lines before this library reads them, so that both interpret the same line.
        @Test(arguments: [
            "Transfer-Encoding: identity, chunked", "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: chun\u{212A}ed", "Content-Length:\r\n 5",
        ])
        func ambiguousFramingIsRefused(fields: String) async throws {
            let text = "HTTP/1.1 200 OK\r\nX: y\r\n\(fields)\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
            try await TestServer.answering(.raw(text).then(.close)) { server in
                let operation = await get(server.url())
                guard !fields.contains("\r\n ") || FirstFieldGuard.SeparateLines.isPresent else {
                    let isChunked = fields.hasPrefix("Transfer")
                    #expect(operation.responseString == (isChunked ? "hello" : "5\r\nhe"))
                    return
                }
                #expect(operation.code == .badServerResponse)
                #expect(operation.responseData?.isEmpty != false)
            }
        }
    }
}
