// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct DownloadTests {
        private let folder: DownloadFolder

        init() throws { folder = try DownloadFolder() }

        static let body = Data.patterned(byteCount: 200_000)

        @Test func bodyIsWrittenToPartialFileAndMovedIntoPlace() async throws {
            defer { folder.remove() }
            let gate = Gate()
            let head = Data("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n".utf8)
            let reply = Reply([.bytes(head), .bytes(Self.body.prefix(50_000)), .wait(until: gate)])
                .then(.bytes(Self.body.dropFirst(50_000)))
            try await TestServer.answering(reply) { server in
                let operation = folder.operation(URLRequest(url: server.url()))
                let arrived = Gate()
                operation.onDownloadProgress = { _, _, _ in arrived.open() }
                operation.start()
                await arrived.wait()
                // The bytes are written some time after they were counted.
                await becomes(["file.bluebonnet-partial"]) { folder.names }
                #expect(folder.contents == nil)
                gate.open()
                let value = try await operation.value(as: URL.self)
                #expect(value.path == folder.path)
                #expect(folder.contents == Self.body)
                #expect(folder.names == ["file"])
                #expect(operation.responseData == nil)
                #expect(operation.receivedByteCount == 200_000)
            }
        }

        /// Naming a file costs more than writing the bytes of a small one. A caller may want to look at a large file
        /// while it arrives.
        @Test(arguments: [("Content-Length: 65535", false), ("Content-Length: 65536", true), ("X: y", true)])
        func smallBodyHasNoNameUntilItIsComplete(field: String, hasName: Bool) async throws {
            defer { folder.remove() }
            let gate = Gate()
            let body = Self.body.prefix(field.hasSuffix("65535") ? 65_535 : 65_536)
            let head = Data("HTTP/1.1 200 OK\r\n\(field)\r\nConnection: close\r\n\r\n".utf8)
            let reply = Reply([.bytes(head), .bytes(body.prefix(20_000)), .wait(until: gate)])
                .then(.bytes(body.dropFirst(20_000))).then(.close)
            try await TestServer.answering(reply) { server in
                let operation = folder.operation(URLRequest(url: server.url()))
                let arrived = Gate()
                operation.onDownloadProgress = { _, _, _ in arrived.open() }
                operation.start()
                await arrived.wait()
                // The bytes are written some time after they were counted.
                if hasName { await becomes(["file.bluebonnet-partial"]) { folder.names } }
                #expect(folder.names == (hasName ? ["file.bluebonnet-partial"] : []))
                gate.open()
                let place = try await operation.value(as: URL.self)
                #expect(place.path == folder.path)
                #expect(folder.contents == body)
                #expect(folder.names == ["file"])
            }
        }

        @Test func emptyBodyMakesAnEmptyFile() async throws {
            defer { folder.remove() }
            try await TestServer.answering(.response()) { server in
                #expect(await folder.download(server.url()).error == nil)
                #expect(folder.contents == Data())
                #expect(folder.names == ["file"])
            }
        }

        @Test func existingFileIsReplacedOnlyByACompleteOne() async throws {
            defer { folder.remove() }
            try folder.folder.write("file", "old")
            let whole = Reply.response(body: Self.body)
            let script: TestServer.Script = { $0.path == "/cut" ? whole.cut(afterByteCount: 100_000) : whole }
            try await TestServer.serving(script: script) { server in
                #expect(await folder.download(server.url("/cut")).code == .badServerResponse)
                #expect(folder.contents == Data("old".utf8))
                #expect(folder.names == ["file"])
                #expect(await folder.download(server.url("/whole")).error == nil)
                #expect(folder.contents == Self.body)
            }
        }

        @Test(arguments: [404, 500, 304])
        func unacceptableResponseTouchesNoFile(status: Int) async throws {
            defer { folder.remove() }
            try folder.folder.write("file", "old")
            let reply = Reply.response(status: status, body: status == 304 ? "" : "no such thing")
            try await TestServer.answering(reply) { server in
                let operation = await folder.download(server.url())
                #expect(operation.code == .unacceptableStatus)
                #expect(operation.error?.body == Data((status == 304 ? "" : "no such thing").utf8))
                #expect(folder.contents == Data("old".utf8))
                #expect(folder.names == ["file"])
            }
        }

        @Test func redirectBodyIsNotInTheFile() async throws {
            defer { folder.remove() }
            let script: TestServer.Script = { request in
                let elsewhere = Reply.response(status: 302, headers: ["Location": "/end"], body: "go elsewhere")
                return request.path == "/start" ? elsewhere : .response(body: "there")
            }
            try await TestServer.serving(script: script) { server in
                #expect(await folder.download(server.url("/start")).error == nil)
                #expect(folder.contents == Data("there".utf8))
            }
        }

        @Test func codedBodyIsDecodedIntoTheFile() async throws {
            defer { folder.remove() }
            let reply = Reply.response(headers: ["Content-Encoding": "gzip"], body: Data(CodedBody.gzip))
            try await TestServer.answering(reply) { server in
                #expect(await folder.download(server.url()).error == nil)
                #expect(folder.contents == Data(CodedBody.text.utf8))
            }
        }

        @Test func secondDownloadToTheSamePathIsRefused() async throws {
            defer { folder.remove() }
            let gate = Gate()
            let script: TestServer.Script = { request in
                let reply = Reply.response(body: "body of \(request.path)")
                return request.path == "/first" ? Reply([.wait(until: gate)] + reply.steps) : reply
            }
            try await TestServer.serving(script: script) { server in
                let first = folder.operation(URLRequest(url: server.url("/first")))
                first.start()
                await server.waitForRequests(count: 1)
                #expect(await folder.download(server.url("/second")).code == .cannotOpenFile)
                gate.open()
                try await first.waitUntilEnded()
                #expect(first.error == nil)
                #expect(folder.contents == Data("body of /first".utf8))
                #expect(await folder.download(server.url("/third")).error == nil)
                #expect(folder.contents == Data("body of /third".utf8))
            }
        }

        @Test func missingFolderCannotBeWrittenTo() async throws {
            defer { folder.remove() }
            try await TestServer.answering(.response(body: "body")) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                operation.outputFile = URL(fileURLWithPath: folder.folder.path("missing/file"))
                #expect(await operation.run().code == .cannotOpenFile)
                #expect(server.connectionCount == 0)
            }
        }

        @Test func folderAtTheFilePathIsLeftAlone() async throws {
            defer { folder.remove() }
            try folder.folder.write("file/inside", "old")
            try await TestServer.answering(.response(body: "body")) { server in
                let operation = folder.operation(URLRequest(url: server.url()))
                operation.outputFile = URL(fileURLWithPath: folder.path, isDirectory: false)
                #expect(await operation.run().code == .cannotOpenFile)
                #expect(server.connectionCount == 0)
                #expect(folder.names == ["file"])
                #expect(FileManager.default.contents(atPath: folder.folder.path("file/inside")) == Data("old".utf8))
            }
        }

        /// Foundation appends a slash to the path of an existing folder.
        @Test func existingFolderNeedsNoTrailingSlash() async throws {
            defer { folder.remove() }
            try folder.folder.write("file/inside", "old")
            try await TestServer.answering(.response(body: "body")) { server in
                #expect(await folder.download(server.url("/name")).error == nil)
                #expect(folder.names == ["file"])
                #expect(FileManager.default.contents(atPath: folder.folder.path("file/inside")) == Data("old".utf8))
                #expect(FileManager.default.contents(atPath: folder.folder.path("file/name")) == Data("body".utf8))
            }
        }

        @Test func linkAtThePartialFilePathIsNotFollowed() async throws {
            defer { folder.remove() }
            let victim = try folder.folder.write("victim", "precious")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + ".bluebonnet-partial", withDestinationPath: victim)
            try await TestServer.answering(.response(body: "body")) { server in
                #expect(await folder.download(server.url()).code == .cannotOpenFile)
                #expect(FileManager.default.contents(atPath: victim) == Data("precious".utf8))
            }
        }
    }
}
