// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct CallerInputTests {
        static let controls = ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\u{0}b", "a\u{1}b"]

        /// Runs a request that must be refused, then a good one. The server sees only the good one.
        private func code(of make: (URL) throws -> URLRequest) async throws -> NetworkingError.Code? {
            try await TestServer.answering(.response()) { server in
                let refused = await perform(try make(server.url("/refused")))
                #expect(await get(server.url("/good")).error == nil)
                #expect(server.requests.map(\.target) == ["/good"])
                #expect(server.connectionCount == 1)
                #expect(refused.statusCode == nil)
                return refused.code
            }
        }

        @Test(arguments: controls)
        func headerValueWithAControlCharacterOpensNoConnection(value: String) async throws {
            try await TestServer.answering(.response()) { server in
                for name in ["X-Test", "User-Agent", "Range", "Cookie"] {
                    let manager = RequestOperationManager(baseURL: server.url())
                    var serializer = HTTPRequestSerializer()
                    serializer.headers[name] = value
                    manager.requestSerializer = serializer
                    let operation = manager.started("GET", "refused")
                    try await operation.waitUntilEnded()
                    #expect(operation.code == .invalidRequest)
                    #expect(operation.error?.message.contains(name) == true)
                }
                #expect(await get(server.url("/good")).error == nil)
                #expect(server.requests.map(\.target) == ["/good"])
                #expect(server.connectionCount == 1)
            }
        }

        @Test(arguments: controls)
        func controlCharacterInAURLRequestNeverReachesTheServer(value: String) async throws {
            try await TestServer.answering(.response()) { server in
                // Foundation drops some of these values before the library sees them.
                await perform(URLRequest("GET", server.url(), headers: ["X-Test": value]))
                #expect(server.requests.allSatisfy { $0.headers["X-Test"] == nil && $0.headers["X-Evil"] == nil })
            }
        }

        /// libcurl accepts no string of more than eight million bytes. No other transfer drives the partition of this
        /// one.
        @Test func requestRefusedByLibcurlEndsWithAnError() async throws {
            let url = try #require(URL(string: "http://refused.test/"))
            var options = TransferOptions()
            let user = String(repeating: "a", count: 8_000_001)
            options.proxy = try Proxy("http://127.0.0.1:9", user: user, password: nil)
            let operation = HTTPRequestOperation(request: URLRequest(url: url), options: options)
            operation.start()
            try await operation.waitUntilEnded()
            #expect(operation.code == .invalidRequest)
            #expect(operation.error?.message == "libcurl refused the request to refused.test")
        }

        @Test(arguments: ["X\r\nEvil", "X\nEvil", "X\rEvil", "X\u{0}Evil", "X\u{1}Evil", "X Evil", "X:Evil", "Xé"])
        func invalidHeaderNameOpensNoConnection(name: String) async throws {
            let code = try await code { URLRequest("GET", $0, headers: [name: "value"]) }
            #expect(code == .invalidRequest)
        }

        @Test(arguments: ["GET\r\nX-Evil: 1", "GE\nT", "GE\rT", "G\u{0}T", "G\u{1}T", "GET /other", "GÉT"])
        func invalidMethodOpensNoConnection(method: String) async throws {
            let code = try await code { URLRequest(method, $0) }
            #expect(code == .invalidRequest)
        }

        @Test(arguments: ["Transfer-Encoding", "Content-Length"])
        func headerThatContradictsTheBodyOpensNoConnection(name: String) async throws {
            let values = ["Transfer-Encoding": "chunked", "Content-Length": "7"]
            let code = try await code { URLRequest("POST", $0, headers: [name: values[name] ?? ""], body: "hello") }
            #expect(code == .invalidRequest)
        }

        @Test(arguments: [
            "file:///etc/passwd", "ftp://127.0.0.1/file", "gopher://127.0.0.1/", "data:,x", "http:///path", "/path",
            "http://127.0.0.1:0/", "http://127.0.0.1:65536/",
        ])
        func unusableURLIsRefused(text: String) async throws {
            let url = try #require(URL(string: text))
            let operation = await get(url)
            #expect(operation.code == .badURL)
            #expect(operation.statusCode == nil)
        }

        @Test func backslashBeforeAnAtSignReachesNeitherHost() async throws {
            let code = try await code { good in
                let text = "http://127.0.0.1:\(good.port ?? 0)\\@127.0.0.1:\(good.port ?? 0)/"
                return URLRequest(url: URL(string: text) ?? URL(fileURLWithPath: "/not-a-url"))
            }
            #expect(code == .badURL)
        }

        @Test func methodTargetHeadersAndBodyArriveUnchanged() async throws {
            try await TestServer.answering(.response()) { server in
                let headers = ["X-Latin": "a b\tc", "X-Empty": "", "Accept": "text/plain"]
                let url = server.url("/a%20b/c?x=1&y=%C3%A9#part")
                await perform(URLRequest("MERGE", url, headers: headers, body: "{\"a\":\"é\"}"))
                let request = try #require(server.requests.first)
                #expect(request.method == "MERGE")
                #expect(request.target == "/a%20b/c?x=1&y=%C3%A9")
                #expect(request.bodyText == "{\"a\":\"é\"}")
                for (name, value) in headers { #expect(request.headers.values(named: name) == [value]) }
                #expect(request.headers.values(named: "Content-Length") == ["10"])
                #expect(request.headers["Expect"] == nil)
                #expect(request.headers["Transfer-Encoding"] == nil)
            }
        }

        @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "GET"])
        func requestWithoutABodyHasNoContentType(method: String) async throws {
            try await TestServer.answering(.response()) { server in
                #expect(await perform(URLRequest(method, server.url())).error == nil)
                let request = try #require(server.requests.first)
                #expect(request.method == method)
                #expect(request.headers["Content-Type"] == nil)
                #expect(request.body.isEmpty)
            }
        }
    }
}
