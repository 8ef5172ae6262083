// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// An archive treats no bytes of another response as a part of the body.
    @Suite struct ArchivedPartTests {
        private let fixture = ArchiveFixture()
        private var file: Representation { fixture.file }
        private var part: Reply { fixture.part }

        private func sent(_ archive: OperationArchive) throws -> OperationArchive { try fixture.sent(archive) }
        private func startAndReceive(_ operation: RequestOperation) async { await fixture.startAndReceive(operation) }

        @Test func partInMemoryIsNotUsedForAFile() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let script: TestServer.Script = { [file, part] in $0.connection == 1 ? part : file.answer(to: $0) }
            try await TestServer.serving(script: script) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                await startAndReceive(operation)
                operation.pause()
                await server.waitForConnectionsToClose()
                let again = try HTTPRequestOperation(archive: sent(await operation.archive()))
                again.outputFile = URL(fileURLWithPath: folder.path)
                #expect(await again.run().error == nil)
                #expect(folder.contents == file.body)
            }
        }

        /// The first request gets a part of the body, the next one an error that does not end, and any other what it
        /// requests.
        private func refusingScript(_ tag: String?) -> TestServer.Script {
            let fields = WireFields(tag.map { [("ETag", $0)] } ?? [])
            let endless = EndlessBody(framing: .chunks, pace: .steady)
            let refusal = endless.reply(status: 503, headers: fields, text: "later")
            return { [file, part] request in
                switch request.connection {
                case 1: part
                case 2: refusal
                default: file.answer(to: request)
                }
            }
        }

        /// Pauses an operation in its body, resumes it, and returns its archive while the body of the error arrives.
        private func archiveWhileRefused(
            _ operation: HTTPRequestOperation, _ server: TestServer
        ) async throws -> OperationArchive {
            await startAndReceive(operation)
            operation.pause()
            await server.waitForConnectionsToClose()
            let refused = Gate()
            operation.onDownloadProgress = { _, total, expected in if total > 0 && expected < 0 { refused.open() } }
            operation.resume()
            await refused.wait()
            let archive = try sent(await operation.archive())
            #expect(!operation.isFinished)
            operation.cancel()
            try await operation.waitUntilEnded()
            await server.waitForConnectionsToClose()
            return archive
        }

        @Test(arguments: [nil, "\"one\"", "\"two\""])
        func errorBodyIsNoPartOfTheEarlierBody(tag: String?) async throws {
            try await TestServer.serving(script: refusingScript(tag)) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                let archive = try await archiveWhileRefused(operation, server)
                #expect(archive.part == nil)
                #expect(archive.validator == nil)
                let again = await (try HTTPRequestOperation(archive: archive)).run()
                #expect(again.error == nil)
                #expect(again.responseData == file.body)
                #expect(server.requests.count == 3)
            }
        }

        @Test(arguments: [nil, "\"one\"", "\"two\""])
        func fileContinuesAfterItsOwnBytesAfterAnError(tag: String?) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await TestServer.serving(script: refusingScript(tag)) { server in
                let operation = folder.operation(URLRequest(url: server.url()))
                let archive = try await archiveWhileRefused(operation, server)
                #expect(archive.part == nil)
                #expect(archive.validator == "\"one\"")
                #expect(archive.receivedByteCount == Int64(folder.partialContents?.count ?? 0))
                #expect(await (try HTTPRequestOperation(archive: archive)).run().error == nil)
                #expect(folder.contents == file.body)
                #expect(Representation.offset(of: try #require(server.requests.last)) == Int(archive.receivedByteCount))
            }
        }

        /// While a block decides about a redirect, the redirect's tag says nothing about the bytes from before the
        /// pause.
        @Test func redirectTagIsNotUsedForTheEarlierBody() async throws {
            let whole = Reply.response(body: file.body)
            let part = whole.cut(afterByteCount: whole.bytes.count - 100_000, then: .stall)
            let redirect = Reply.redirect(to: "/end", headers: ["ETag": "\"one\""])
            let script: TestServer.Script = { $0.connection == 1 ? part : redirect }
            try await TestServer.serving(script: script) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                let (asked, gate) = (Gate(), Gate())
                operation.onRedirect = { _, proposed, _ in
                    asked.open()
                    await gate.wait()
                    return proposed
                }
                await startAndReceive(operation)
                operation.pause()
                await server.waitForConnectionsToClose()
                operation.resume()
                await asked.wait()
                let archive = try await operation.archive()
                #expect(archive.part == nil)
                #expect(archive.validator == nil)
                operation.cancel()
                gate.open()
                try await operation.waitUntilEnded()
            }
        }
    }
}
