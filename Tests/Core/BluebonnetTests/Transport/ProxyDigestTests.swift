// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A proxy that accepts the user "us er" with the password "p:ss", by Digest only (RFC 7616, 3.4).
    @Suite struct ProxyDigestTests {
        private static let refusal = Reply.response(
            status: 407,
            headers: [
                "Proxy-Authenticate": "Digest realm=\"the proxy\", nonce=\"n1\", qop=\"auth\", algorithm=MD5"
            ], body: "who are you?")

        private static func parameters(of field: String) -> [String: String] {
            var parameters: [String: String] = [:]
            for part in field.dropFirst("Digest ".count).split(separator: ",") {
                let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if pair.count == 2 { parameters[pair[0]] = pair[1].trimmingCharacters(in: ["\""]) }
            }
            return parameters
        }

        /// Whether the request has the right answer for its own method and target.
        private static func isAnswered(_ request: ReceivedRequest) -> Bool {
            let fields = request.headers.values(named: "Proxy-Authorization")
            guard fields.count == 1, fields[0].hasPrefix("Digest ") else { return false }
            let given = parameters(of: fields[0])
            let hash = { (text: String) in MessageDigest.hexadecimalDigest(of: Data(text.utf8), .md5) }
            let secret = hash("us er:the proxy:p:ss")
            let call = hash("\(request.method):\(request.target)")
            let (count, client) = (given["nc"] ?? "", given["cnonce"] ?? "")
            return given["username"] == "us er" && given["uri"] == request.target && given["nonce"] == "n1"
                && given["response"] == hash("\(secret):n1:\(count):\(client):auth:\(call)")
        }

        private func options(_ proxy: TestServer, _ credential: String = "us%20er:p%3Ass") throws -> TransferOptions {
            try TransferOptions.trustingTestAuthority.through("http://\(credential)@127.0.0.1:\(proxy.port)")
        }

        @Test(arguments: ["/path?query=1", "", "?query", "/path#fragment"])
        func forwardedRequestAnswersTheProxy(path: String) async throws {
            let script: TestServer.Script = {
                Self.isAnswered($0) ? .response(body: "through") : Self.refusal
            }
            try await TestServer.serving(script: script) { proxy in
                for method in ["GET", "POST"] {
                    let url = try #require(URL(string: "http://origin.example:8080\(path)"))
                    let body = method == "POST" ? "payload" : nil
                    let operation = await perform(URLRequest(method, url, body: body), try options(proxy))
                    #expect(operation.error == nil)
                    #expect(operation.responseString == "through")
                    #expect(proxy.requests.suffix(2).map(\.bodyText) == [body ?? "", body ?? ""])
                }
                #expect(proxy.requests.count == 4)
            }
        }

        @Test func rejectedAnswerIsNotRepeated() async throws {
            try await TestServer.answering(Self.refusal) { proxy in
                let url = try #require(URL(string: "http://origin.example/"))
                let operation = await HTTPRequestOperation(request: URLRequest(url: url), options: try options(proxy))
                    .run()
                #expect(operation.code == .authenticationRequired)
                #expect(proxy.requests.count == 2)
            }
        }

        @Test func tunnelOpensWithTheAnswer() async throws {
            var serverOptions = TestServer.Options()
            serverOptions.certificate = .localhost
            try await TestServer.answering(.response(body: "origin"), serverOptions) { origin in
                let established = Reply.raw("HTTP/1.1 200 Connection established\r\n\r\n")
                let tunnel = established.then(.tunnel(toPort: origin.port))
                let script: TestServer.Script = { Self.isAnswered($0) ? tunnel : Self.refusal }
                try await TestServer.serving(script: script) { proxy in
                    let options = try options(proxy)
                    let first = await perform(URLRequest("POST", origin.url("/1"), body: "payload"), options)
                    #expect(first.error == nil, "\(first.error?.message ?? "")")
                    #expect(first.responseString == "origin")
                    let second = URLRequest("GET", origin.url("/2"), headers: ["Connection": "close"])
                    #expect(await perform(second, options).responseString == "origin")
                    #expect(await get(origin.url("/3"), options).responseString == "origin")
                    #expect(origin.requests.map(\.path) == ["/1", "/2", "/3"])
                    #expect(origin.requests.map(\.bodyText) == ["payload", "", ""])
                    #expect(origin.requests.allSatisfy { $0.headers["Proxy-Authorization"] == nil })
                }
            }
        }

        @Test func rejectedAnswerForATunnelIsAnError() async throws {
            var serverOptions = TestServer.Options()
            serverOptions.certificate = .localhost
            try await TestServer.answering(.response(), serverOptions) { origin in
                try await TestServer.answering(Self.refusal) { proxy in
                    let operation = await get(origin.url(), try options(proxy, "user:wrong"))
                    #expect(operation.code == .authenticationRequired)
                    #expect(operation.error?.proxyStatusCode == 407)
                    #expect(origin.connectionCount == 0)
                    #expect(proxy.requests.count <= 4)
                }
            }
        }

        @Test func answerForTheProxyDoesNotReachAnotherServer() async throws {
            try await TestServer.answering(.response(body: "direct")) { server in
                let script: TestServer.Script = { [url = server.url("/direct").absoluteString] in
                    Self.isAnswered($0) ? .redirect(to: url, status: 302) : Self.refusal
                }
                try await TestServer.serving(script: script) { proxy in
                    var options = TransferOptions()
                    let url = "http://us%20er:p%3Ass@127.0.0.1:\(proxy.port)"
                    options.proxyConfiguration = ProxyConfiguration(http: try Proxy(url), exceptions: ["127.0.0.1"])
                    let operation = await get(try #require(URL(string: "http://origin.example/")), options)
                    #expect(operation.responseString == "direct")
                    #expect(server.requests.map { $0.headers["Proxy-Authorization"] } == [nil])
                }
            }
        }
    }
}
