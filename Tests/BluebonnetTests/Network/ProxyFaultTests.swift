// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Glibc
import TestServer
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A proxy that refuses, breaks off or lies harms the request that goes through it, and no other.
    @Suite struct ProxyFaultTests {
        private static let established = Reply.raw("HTTP/1.1 200 Connection established\r\n\r\n")

        /// Runs a request to an origin over TLS through a proxy that answers `CONNECT` as the script says.
        private func tunnel(
            _ request: (URL) -> URLRequest = { URLRequest(url: $0) },
            _ change: (inout TransferOptions) -> Void = { _ in },
            connect: @escaping @Sendable (_ originPort: Int) -> Reply,
            _ check: (RequestOperation, _ proxy: TestServer, _ origin: TestServer) async throws -> Void
        ) async throws {
            let origin = try await TestServer.start(tls: .localhost) { _ in .response(body: "origin") }
            let port = origin.port
            try await TestServer.serving(script: { _ in connect(port) }) { proxy in
                var options = try TransferOptions.trustingTestAuthority.through(
                    "http://user:secret@127.0.0.1:\(proxy.port)")
                change(&options)
                try await check(await perform(request(origin.url("/path")), options), proxy, origin)
            }
            await origin.stop()
        }

        @Test(arguments: [300, 301, 302, 400, 401, 403, 404, 500, 502, 503, 599])
        func aRefusedTunnelIsNoConnection(status: Int) async throws {
            let headers: HeaderFields = ["Location": "http://127.0.0.1:1/", "Content-Length": "5"]
            let refusal = Reply.raw("HTTP/1.1 \(status) No\r\n\(headers.lines)\r\nPROXY")
            try await tunnel(connect: { _ in refusal }) { operation, proxy, origin in
                #expect(operation.code == .cannotConnect)
                #expect(operation.statusCode == nil, "a proxy's answer is not the origin's")
                #expect(operation.responseData?.isEmpty ?? true)
                #expect(proxy.requests.map(\.method) == ["CONNECT"])
                #expect(origin.connectionCount == 0)
            }
        }

        @Test func aProxyThatAlwaysWantsACredentialIsAskedTwiceAtMost() async throws {
            let headers: HeaderFields = ["Proxy-Authenticate": "Basic realm=\"proxy\""]
            try await tunnel(connect: { _ in .response(status: 407, headers: headers) }) { operation, proxy, origin in
                #expect(operation.code == .authenticationRequired)
                #expect((1...2).contains(proxy.requests.count))
                #expect(origin.connectionCount == 0)
            }
        }

        @Test(arguments: [Reply.Step.close, .closeWithoutNotice, .reset])
        func aTunnelThatIsDroppedAtOnceIsAFailure(end: Reply.Step) async throws {
            try await tunnel(connect: { _ in Self.established.then(end) }) { operation, _, origin in
                #expect([.secureConnectionFailed, .connectionLost].contains(operation.code))
                #expect(operation.statusCode == nil)
                #expect(origin.connectionCount == 0)
            }
        }

        @Test func aTunnelThatFallsSilentRunsIntoTheConnectLimit() async throws {
            let change: (inout TransferOptions) -> Void = { $0.connectTimeout = .milliseconds(200) }
            try await tunnel({ URLRequest(url: $0) }, change, connect: { _ in Self.established.then(.stall) }) {
                operation, _, _ in
                #expect(operation.code == .timedOut)
            }
        }

        @Test func anAnswerToCONNECTThatIsCutAnywhereIsAFailure() async throws {
            for byteCount in 0..<Self.established.bytes.count {
                try await tunnel(connect: { _ in Self.established.cut(afterByteCount: byteCount) }) { operation, _, _ in
                    #expect(operation.error != nil, "\(byteCount) bytes")
                    #expect(operation.code != .timedOut)
                }
            }
        }

        @Test func whatAProxyInjectsIsNotTheOriginsAnswer() async throws {
            let answers = [
                "HTTP/1.1 200 OK\r\nX-Injected: 1\r\nSet-Cookie: a=b\r\nContent-Encoding: gzip\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nLocation: /x\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n",
                "HTTP/1.1 299 Whatever\r\n\r\n",
            ]
            for text in answers {
                let reply = Reply.raw(text)
                try await tunnel(connect: { reply.then(.tunnel(toPort: $0)) }) { operation, _, _ in
                    guard operation.error == nil else { return }
                    #expect(operation.statusCode == 200)
                    #expect(operation.responseString == "origin")
                    #expect(operation.responseFields.map(\.name) == ["Content-Length"], "\(text)")
                }
            }
        }

        @Test func bytesBehindTheAnswerToCONNECTAreNoResponse() async throws {
            let poison = Reply.raw("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON")
            try await tunnel(connect: { poison.then(.tunnel(toPort: $0)) }) { operation, _, _ in
                #expect(operation.error != nil)
                #expect(operation.responseString?.contains("POISON") != true)
            }
        }

        @Test func theProxySeesNothingOfTheRequest() async throws {
            let secrets = [
                "Authorization": "Bearer secret", "Cookie": "a=secret", "X-Api-Key": "secret", "Referer": "secret",
            ]
            let request: (URL) -> URLRequest = { URLRequest("POST", $0, headers: secrets, body: "secret") }
            try await tunnel(request, connect: { Self.established.then(.tunnel(toPort: $0)) }) {
                operation, proxy, origin in
                #expect(operation.responseString == "origin")
                let connect = try #require(proxy.requests.first)
                #expect(connect.method == "CONNECT")
                #expect(!connect.headText.contains("Bearer"))
                #expect(!connect.headText.replacingOccurrences(of: "dXNlcjpzZWNyZXQ=", with: "").contains("secret"))
                let received = try #require(origin.requests.first)
                for (name, value) in secrets { #expect(received.headers[name] == value) }
                #expect(received.headers["Proxy-Authorization"] == nil)
            }
        }

        @Test func aTunnelIsNotUsedWithAnotherCredential() async throws {
            let origin = try await TestServer.start(tls: .localhost) { _ in .response(body: "origin") }
            let port = origin.port
            let script: TestServer.Script = { request in
                // "user:secret" in Base64.
                request.headers["Proxy-Authorization"] == "Basic dXNlcjpzZWNyZXQ="
                    ? Self.established.then(.tunnel(toPort: port))
                    : .response(status: 407, headers: ["Proxy-Authenticate": "Basic realm=\"proxy\""])
            }
            try await TestServer.serving(script: script) { proxy in
                for (userInfo, code) in [
                    ("user:secret@", nil), ("user:wrong@", .authenticationRequired), ("", .authenticationRequired),
                    ("user:secret@", nil),
                ] as [(String, NetworkingError.Code?)] {
                    let options = try TransferOptions.trustingTestAuthority.through(
                        "http://\(userInfo)127.0.0.1:\(proxy.port)")
                    #expect(await get(origin.url(), options).code == code, "\(userInfo)")
                }
                #expect(origin.requests.count == 2)
                #expect(await get(origin.url(), try .trustingTestAuthority).error == nil, "and directly")
            }
            await origin.stop()
        }

        @Test func noVariableKeepsARequestFromItsProxy() async throws {
            let names = ["no_proxy", "NO_PROXY"]
            for name in names { setenv(name, "*", 1) }
            defer { for name in names { unsetenv(name) } }
            try await TestServer.answering(.response(body: "proxy")) { proxy in
                let options = try TransferOptions().through("http://127.0.0.1:\(proxy.port)")
                let url = try #require(URL(string: "http://origin.example/"))
                #expect(await get(url, options).responseString == "proxy")
            }
        }

        @Test func aReplyThroughAProxyCutAnywhereIsNoSuccess() async throws {
            let reply = Reply.response(headers: ["Connection": "close"], body: "fifteen bytes!!")
            let script: TestServer.Script = { request in
                reply.cut(afterByteCount: request.query.flatMap { Int($0) } ?? 0)
            }
            try await TestServer.serving(script: script) { proxy in
                let options = try TransferOptions().through("http://127.0.0.1:\(proxy.port)")
                for byteCount in 0..<reply.bytes.count {
                    let url = try #require(URL(string: "http://origin.example/?\(byteCount)"))
                    #expect(await get(url, options).error != nil, "\(byteCount) bytes")
                }
            }
        }
    }
}

extension HeaderFields {
    /// The fields as they go on the wire.
    fileprivate var lines: String { fields.map { "\($0.name): \($0.value)\r\n" }.joined() }
}
