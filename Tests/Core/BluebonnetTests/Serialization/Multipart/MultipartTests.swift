// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct MultipartTests {
        private let folder: ScratchFolder
        private let noise = Data.patterned(byteCount: 200_000)

        init() throws {
            folder = try ScratchFolder()
            try noise.write(to: folder.file("noise.bin"))
        }

        private func request(
            _ url: URL, parameters: Parameters? = ["field": "välue"],
            build: (inout MultipartFormData) throws -> Void = { _ in }
        ) throws -> URLRequest {
            try HTTPRequestSerializer().multipartRequest(url: url, parameters: parameters) { form in
                try form.append(fileAt: folder.file("noise.bin"), name: "file")
                try build(&form)
            }
        }

        private func expected(_ request: URLRequest) throws -> Data {
            let stream = try #require((request.httpBodyStream as? MultipartBodyStream)?.makeReplay())
            return try MultipartFormDataTests.read(stream)
        }

        @Test func formArrivesByteForByteWithItsLength() async throws {
            try await TestServer.answering(.response()) { server in
                let request = try request(server.url()) { form in
                    try form.append(byteCount: 3, name: "s", fileName: "s") { InputStream(data: Data("abc".utf8)) }
                }
                let body = try expected(request)
                #expect(await perform(request).error == nil)
                #expect(server.requests.map(\.body) == [body])
                #expect(server.requests.first?.headers.values(named: "Content-Length") == [String(body.count)])
                #expect(server.requests.first?.headers["Transfer-Encoding"] == nil)
            }
        }

        @Test(arguments: [307, 308])
        func redirectSendsTheFormAgain(status: Int) async throws {
            let script: TestServer.Script = { request in
                request.path == "/start" ? .redirect(to: "/end", status: status) : .response(body: "received")
            }
            try await TestServer.serving(script: script) { server in
                let request = try request(server.url("/start"))
                let body = try expected(request)
                #expect(await perform(request).error == nil)
                #expect(server.requests.map(\.path) == ["/start", "/end"])
                #expect(server.requests.map(\.body) == [body, body])
            }
        }

        @Test func challengeSendsTheFormAgain() async throws {
            let script: TestServer.Script = { request in
                if request.headers["Authorization"] != nil { return .response() }
                return .response(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            }
            try await TestServer.serving(script: script) { server in
                let request = try request(server.url())
                let options = TransferOptions {
                    $0.credential = URLCredential(user: "u", password: "p", persistence: .none)
                }
                #expect(await perform(request, options).error == nil)
                #expect(try server.requests.last?.body == expected(request))
            }
        }

        @Test func partWithoutReplayIsNotSentTwice() async throws {
            let script: TestServer.Script = { request in
                request.path == "/start" ? .redirect(to: "/end", status: 307) : .response()
            }
            try await TestServer.serving(script: script) { server in
                let request = try request(server.url("/start")) { form in
                    try form.append(InputStream(data: Data("abc".utf8)), byteCount: 3, name: "s", fileName: "s")
                }
                #expect(await perform(request).code == .bodyStreamExhausted)
                #expect(server.requests.map(\.path) == ["/start"])
            }
        }

        @Test(arguments: [nil, 10, 300_000])
        func changedPartFailsTheRequestWithItsPath(size: Int?) async throws {
            try await TestServer.answering(.response()) { server in
                let request = try request(server.url())
                let path = folder.path("noise.bin")
                if let size { #expect(truncate(path, size) == 0) } else { #expect(unlink(path) == 0) }
                let operation = await perform(request)
                #expect(operation.code == .cannotReadFile)
                #expect(operation.error?.message.contains(path) == true)
                #expect(server.requests.filter(\.isComplete).isEmpty)
            }
        }

        @Test func throttledFormArrivesWhole() async throws {
            try await TestServer.answering(.response()) { server in
                let request = try request(server.url()) {
                    $0.throttle(packetByteCount: 50_000, delay: .milliseconds(1))
                }
                let body = try expected(request)
                #expect(await perform(request).error == nil)
                #expect(server.requests.map(\.body) == [body])
            }
        }

        @Test func formWrittenToAFileIsSentFromTheFile() async throws {
            try await TestServer.answering(.response()) { server in
                let request = try request(server.url())
                let file = folder.file("body")
                let moved = try await HTTPRequestSerializer().request(request, writingBodyTo: file)
                let operation = RequestOperation(request: moved)
                operation.uploadFile = file
                #expect(await operation.run().error == nil)
                #expect(try server.requests.map(\.body) == [expected(request)])
            }
        }

        @Test func postCallSendsAForm() async throws {
            try await TestServer.answering(.response(headers: ["Content-Type": "application/json"], body: "[1]")) {
                server in
                let manager = RequestOperationManager(baseURL: server.url())
                let file = folder.file("noise.bin")
                let numbers: [Int] = try await manager.post(
                    "upload", body: .multipart(["a": 1]) { try $0.append(fileAt: file, name: "f") })
                #expect(numbers == [1])
                #expect(server.requests.first?.bodyText.contains("name=\"a\"\r\n\r\n1\r\n") == true)
            }
        }
    }

    @Suite(.enabled(if: HTTPBinServer.isAvailable)) struct SerializersAgainstHTTPBinTests {
        /// The request as httpbin reports it.
        private func echo(_ request: URLRequest) async throws -> JSONValue {
            let operation = HTTPRequestOperation(request: request, responseSerializer: JSONResponseSerializer())
            return try await operation.run().value(as: JSONValue.self)
        }

        private func serving(_ body: (HTTPBinServer) async throws -> Void) async throws {
            let server = try await HTTPBinServer.start()
            do {
                try await body(server)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        @Test func queriesAndFormsArriveWithTheSameMeaning() async throws {
            let parameters: Parameters = [
                "plain": "a b+c%&=#", "nested": ["k": ["x", "y"]], "unicode": "naïve \u{1F408}", "set": Set([2, 1]),
                "empty": "", "nothing": NSNull(), "yes": true, "half": 0.5,
            ]
            let expected: JSONValue = .object([
                "plain": .string("a b+c%&=#"), "nested[k][]": .array([.string("x"), .string("y")]),
                "unicode": .string("naïve \u{1F408}"), "set": .array([.string("1"), .string("2")]),
                "empty": .string(""), "nothing": .string(""), "yes": .string("1"), "half": .string("0.5"),
            ])
            try await serving { server in
                let serializer = HTTPRequestSerializer()
                let get = try serializer.request(method: "GET", url: server.url("/get"), parameters: parameters)
                #expect(try await echo(get)["args"] == expected)
                let post = try serializer.request(method: "POST", url: server.url("/post"), parameters: parameters)
                #expect(try await echo(post)["form"] == expected)
            }
        }

        @Test func jsonArrivesUnchanged() async throws {
            let value: JSONValue = .object(["a": .array([.integer(1), .null, .string("\u{1F408}\"\\/\n")])])
            try await serving { server in
                var request = URLRequest("PUT", server.url("/put"))
                request = try JSONRequestSerializer().request(request, withValue: value)
                #expect(try await echo(request)["json"] == value)
            }
        }

        @Test func multipartFormsArriveUnchanged() async throws {
            let folder = try ScratchFolder()
            try folder.write("content of a file", to: "file.txt")
            try await serving { server in
                let request = try HTTPRequestSerializer().multipartRequest(
                    url: server.url("/post"), parameters: ["user": ["name": "Ädä"], "list": [1, 2]]
                ) { form in
                    try form.append(fileAt: folder.file("file.txt"), name: "upload")
                    try form.append(
                        InputStream(data: Data("from a stream".utf8)), byteCount: 13, name: "stream", fileName: "s")
                }
                let echo = try await echo(request)
                #expect(
                    echo["form"]
                        == .object([
                            "user[name]": .string("Ädä"), "list[]": .array([.string("1"), .string("2")]),
                        ]))
                #expect(
                    echo["files"]
                        == .object([
                            "upload": .string("content of a file"), "stream": .string("from a stream"),
                        ]))
            }
        }
    }
}
