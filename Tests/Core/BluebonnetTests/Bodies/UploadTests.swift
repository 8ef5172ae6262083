// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct UploadTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private static let body = Data.patterned(byteCount: 300_000)

        /// Makes an operation that sends a file.
        private func upload(_ url: URL, method: String = "POST", from path: String) -> RequestOperation {
            let operation = RequestOperation(request: URLRequest(method, url))
            operation.uploadFile = URL(fileURLWithPath: path)
            return operation
        }

        @Test(arguments: ["POST", "PUT", "PATCH"])
        func bytesArriveUnchanged(method: String) async throws {
            defer { folder.remove() }
            try await TestServer.answering(.response(body: "received")) { server in
                var request = URLRequest(method, server.url("/data"))
                request.httpBody = Self.body
                #expect(await perform(request).error == nil)
                let path = try folder.write("body", Self.body)
                #expect(await upload(server.url("/file"), method: method, from: path).run().error == nil)
                #expect(server.requests.map(\.method) == [method, method])
                #expect(server.requests.map(\.body) == [Self.body, Self.body])
                #expect(server.requests.map { $0.headers.values(named: "Content-Length") } == [["300000"], ["300000"]])
                #expect(server.requests.map { $0.headers["Transfer-Encoding"] } == [nil, nil])
            }
        }

        @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "GET"])
        func smallBodyIsSentInOnePieceWithItsHeaders(method: String) async throws {
            try await TestServer.answering(.response()) { server in
                for _ in 0..<20 {
                    #expect(await perform(URLRequest(method, server.url(), body: "payload")).error == nil)
                }
                #expect(server.requests.map(\.pieceCount) == Array(repeating: 1, count: 20))
                #expect(server.requests.map(\.method) == Array(repeating: method, count: 20))
                #expect(server.requests.map(\.bodyText) == Array(repeating: "payload", count: 20))
            }
        }

        /// libcurl is given a small body whole and asks for the pieces of a large one.
        @Test(arguments: [1, 65_535, 65_536, 65_537])
        func bodiesAroundTheSmallBodyLimitArriveUnchanged(byteCount: Int) async throws {
            let body = Self.body.prefix(byteCount)
            func send(to url: URL, _ options: TransferOptions = TransferOptions()) async {
                for _ in 0..<2 {
                    var request = URLRequest("PUT", url)
                    request.httpBody = body
                    #expect(await perform(request, options).error == nil)
                }
            }
            try await TestServer.answering(.response()) { server in
                await send(to: server.url())
                #expect(server.requests.allSatisfy { $0.body.elementsEqual(body) } && server.requests.count == 2)
            }
            var secure = TestServer.Options()
            secure.certificate = .localhost
            try await TestServer.answering(.response(), secure) { server in
                await send(to: server.url(), try .trustingTestAuthority)
                #expect(server.requests.allSatisfy { $0.body.elementsEqual(body) } && server.requests.count == 2)
            }
            try await HTTP2Fixture.with { fixture in
                await send(to: fixture.url("/body"), fixture.options)
                #expect(fixture.server.requests.allSatisfy { $0.body.elementsEqual(body) })
                #expect(fixture.server.requests.count == 2)
            }
        }

        @Test func emptyFileIsAnEmptyBody() async throws {
            defer { folder.remove() }
            try await TestServer.answering(.response()) { server in
                let path = try folder.write("empty", "")
                #expect(await upload(server.url(), from: path).run().error == nil)
                #expect(server.requests.map(\.body) == [Data()])
                #expect(server.requests.first?.headers["Content-Length"] == "0")
            }
        }

        @Test func progressEndsAtTheTotal() async throws {
            defer { folder.remove() }
            try await TestServer.answering(.response()) { server in
                let path = try folder.write("body", Self.body)
                let operation = upload(server.url(), from: path)
                let reports = Observed([[Int64]]())
                let ended = Gate()
                operation.onUploadProgress = { reports.append([$0, $1, $2]) }
                operation.completionBlock = { ended.open() }
                _ = await operation.run()
                await ended.wait()
                #expect(operation.error == nil)
                #expect(reports.value.last?[1] == 300_000)
                #expect(reports.value.allSatisfy { $0[2] == 300_000 })
                #expect(reports.value.map { $0[0] }.reduce(0, +) == 300_000)
                #expect(reports.value.map { $0[1] } == reports.value.map { $0[1] }.sorted())
            }
        }

        @Test(arguments: ["missing", "folder", "pipe"])
        func pathThatIsNotAFileIsNotSent(name: String) async throws {
            defer { folder.remove() }
            try folder.write("folder/inside", "content")
            #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
            try await TestServer.answering(.response()) { server in
                #expect(await upload(server.url(), from: folder.path(name)).run().code == .cannotReadFile)
                #expect(server.connectionCount == 0)
            }
        }

        @Test func fileTruncatedWhileSendingIsAnError() async throws {
            defer { folder.remove() }
            let path = try folder.write("body", "")
            #expect(truncate(path, 64 << 20) == 0)
            // The server reads nothing at first, so the sent bytes stay in the sockets' buffers.
            let gate = Gate()
            var options = TestServer.Options()
            options.greeting = Reply([.wait(until: gate)])
            try await TestServer.answering(.response(), options) { server in
                let operation = upload(server.url(), from: path)
                let begun = Gate()
                operation.onUploadProgress = { _, total, _ in if total > 0 { begun.open() } }
                operation.start()
                await begun.wait()
                #expect(truncate(path, 1) == 0)
                gate.open()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cannotReadFile)
                #expect(operation.statusCode == nil)
                #expect(server.requests.isEmpty)
            }
        }

        @Test func growingFileIsSentWithItsDeclaredLength() async throws {
            defer { folder.remove() }
            let path = try folder.write("body", "")
            #expect(truncate(path, 32 << 20) == 0)
            let gate = Gate()
            var options = TestServer.Options()
            options.greeting = Reply([.wait(until: gate)])
            try await TestServer.answering(.response(), options) { server in
                let operation = upload(server.url(), from: path)
                let begun = Gate()
                operation.onUploadProgress = { _, total, _ in if total > 0 { begun.open() } }
                operation.start()
                await begun.wait()
                #expect(truncate(path, 64 << 20) == 0)
                gate.open()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(server.requests.map(\.body.count) == [32 << 20])
            }
        }

        @Test(arguments: [307, 308])
        func methodPreservingRedirectSendsTheBodyAgain(status: Int) async throws {
            defer { folder.remove() }
            let script: TestServer.Script = { request in
                request.path == "/start" ? .redirect(to: "/end", status: status) : .response(body: "received")
            }
            try await TestServer.serving(script: script) { server in
                let path = try folder.write("body", Self.body)
                let fromFile = await upload(server.url("/start"), method: "PUT", from: path).run()
                var request = URLRequest("PUT", server.url("/start"))
                request.httpBody = Self.body
                let fromMemory = await perform(request)
                #expect([fromFile.error, fromMemory.error].allSatisfy { $0 == nil })
                #expect(server.requests.map(\.target) == ["/start", "/end", "/start", "/end"])
                #expect(server.requests.allSatisfy { $0.method == "PUT" && $0.body == Self.body })
            }
        }
    }
}
