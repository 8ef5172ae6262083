// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A truncated reply is never a success, for every target of its body.
    @Suite struct BodyEndTargetTests {
        /// One way to frame a text.
        struct Framing: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let reply: Reply
            var text = BodyEndTests.text
            /// The number of bytes at the end that do not affect the body: see `BodyEndTests`.
            var optionalByteCount = 0

            static let all = [
                Framing(testDescription: "length", reply: BodyEndTests.fixedLength),
                Framing(testDescription: "chunks", reply: BodyEndTests.chunked, optionalByteCount: 1),
                Framing(
                    testDescription: "gzip and length",
                    reply: .response(headers: coded, body: Data(CodedBody.gzip)), text: Data(CodedBody.text.utf8)),
                Framing(
                    testDescription: "gzip and chunks",
                    reply: .chunked(
                        headers: coded, chunks: [Data(CodedBody.gzip.prefix(9)), Data(CodedBody.gzip.dropFirst(9))]),
                    text: Data(CodedBody.text.utf8), optionalByteCount: 1),
                Framing(
                    testDescription: "gzip and nothing else",
                    reply: .response(headers: coded, body: Data(CodedBody.gzip), addsContentLength: false),
                    text: Data(CodedBody.text.utf8)),
            ]

            private static let coded: WireFields = ["Connection": "close", "Content-Encoding": "gzip"]
        }

        /// Requests the reply once for each offset at which it can be cut, and once whole.
        private func sweep(
            _ framing: Framing, end: Reply.Step = .close,
            _ check: (_ url: URL, _ isWhole: Bool, _ mayBeWhole: Bool) async throws -> Void
        ) async throws {
            let count = framing.reply.bytes.count
            let script: TestServer.Script = {
                framing.reply.cut(afterByteCount: Int($0.path.dropFirst()) ?? 0, then: end)
            }
            try await TestServer.serving(script: script) { server in
                for offset in 0...count {
                    try await check(
                        server.url("/\(offset)"), offset == count, offset >= count - framing.optionalByteCount)
                }
            }
        }

        @Test(arguments: Framing.all) func fileIsCompleteOrUnchangedWhereverTheBodyEnds(framing: Framing) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await sweep(framing) { url, isWhole, mayBeWhole in
                try folder.folder.write("file", "old")
                let operation = await folder.download(url)
                if isWhole { #expect(operation.error == nil) }
                if !mayBeWhole { #expect(operation.error != nil) }
                #expect(folder.contents == (operation.error == nil ? framing.text : Data("old".utf8)))
                #expect(folder.names == ["file"], "too little to be worth keeping")
            }
        }

        @Test(arguments: Framing.all) func chunksAreWholeOrFailWhereverTheBodyEnds(framing: Framing) async throws {
            try await sweep(framing) { url, isWhole, mayBeWhole in
                let operation = RequestOperation(request: URLRequest(url: url))
                let chunks = operation.chunks
                operation.start()
                var received = Data()
                var failure: (any Error)?
                do { for try await chunk in chunks { received += chunk } } catch { failure = error }
                try await operation.waitUntilEnded()
                if isWhole { #expect(failure == nil) }
                if !mayBeWhole { #expect(failure != nil) }
                #expect((failure == nil) == (operation.error == nil))
                #expect(failure == nil ? received == framing.text : framing.text.starts(with: received))
            }
        }

        @Test(arguments: Framing.all) func outputStreamIsWholeOrFailsWhereverTheBodyEnds(framing: Framing) async throws
        {
            try await sweep(framing, end: .reset) { url, _, _ in
                let operation = RequestOperation(request: URLRequest(url: url))
                operation.outputStream = OutputStream.toMemory()
                _ = await operation.run()
                let stream = try #require(operation.outputStream)
                let written = stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data ?? Data()
                #expect(operation.error == nil ? written == framing.text : framing.text.starts(with: written))
            }
        }
    }
}
