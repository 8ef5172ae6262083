// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A proxy that refuses, breaks off or lies harms only the request that goes through it.
    @Suite struct ProxyFaultTests {
        private static let established = Reply.raw("HTTP/1.1 200 Connection established\r\n\r\n")

        /// The result of a request to an origin over TLS.
        private struct Tunnelled {
            let operation: RequestOperation
            /// The requests that the proxy and the origin received.
            let proxied: [ReceivedRequest]
            let received: [ReceivedRequest]
            let originConnectionCount: Int
        }

        /// Runs a request through a proxy that answers `CONNECT` with the result of `connect`.
        private func tunnel(
            headers: [String: String] = [:], body: String? = nil, connectTimeout: Duration = .seconds(10),
            connect: @escaping @Sendable (_ originPort: Int) -> Reply
        ) async throws -> Tunnelled {
            let origin = try await TestServer.start(tls: .localhost) { _ in .response(body: "origin") }
            let port = origin.port
            let script: TestServer.Script = { _ in connect(port) }
            let result = try await TestServer.serving(script: script) { proxy in
                var options = try TransferOptions.trustingTestAuthority.through(
                    "http://user:secret@127.0.0.1:\(proxy.port)")
                options.timeouts.connect = connectTimeout
                let request = URLRequest(
                    body == nil ? "GET" : "POST", origin.url("/path"), headers: headers, body: body)
                let operation = await perform(request, options)
                return Tunnelled(
                    operation: operation, proxied: proxy.requests, received: origin.requests,
                    originConnectionCount: origin.connectionCount)
            }
            await origin.stop()
            return result
        }

        @Test(arguments: [300, 301, 302, 400, 401, 403, 404, 500, 502, 503, 599])
        func refusedTunnelIsAConnectError(status: Int) async throws {
            let fields = "Location: http://127.0.0.1:1/\r\nContent-Length: 5\r\n"
            let refusal = Reply.raw("HTTP/1.1 \(status) No\r\n\(fields)\r\nPROXY")
            let result = try await tunnel { _ in refusal }
            #expect(result.operation.code == .cannotConnect)
            #expect(result.operation.error?.proxyStatusCode == status)
            #expect(result.operation.error?.isTransient == [500, 502, 503].contains(status))
            #expect(result.operation.statusCode == nil, "a proxy's answer is not the origin's")
            #expect(result.operation.responseData?.isEmpty ?? true)
            #expect(result.proxied.map(\.method) == ["CONNECT"])
            #expect(result.originConnectionCount == 0)
        }

        /// The top-level domain `invalid` has no names (RFC 6761, 6.4).
        @Test func errorNamesAProxyWithAnUnknownName() async throws {
            let options = try TransferOptions().through("http://user:secret@proxy.invalid:3128")
            let url = try #require(URL(string: "http://127.0.0.1:1/"))
            let error = try #require(await get(url, options).error)
            #expect(error.code == .cannotFindHost)
            #expect(error.message.hasPrefix("no connection to 127.0.0.1 through the proxy "))
        }

        @Test func proxyDemandingCredentialsIsAskedAtMostTwice() async throws {
            let headers: WireFields = ["Proxy-Authenticate": "Basic realm=\"proxy\""]
            let result = try await tunnel { _ in .response(status: 407, headers: headers) }
            #expect(result.operation.code == .authenticationRequired)
            #expect((1...2).contains(result.proxied.count))
            #expect(result.originConnectionCount == 0)
        }

        @Test(arguments: [Reply.Step.close, .closeWithoutNotice, .reset])
        func tunnelDroppedAtOnceFails(end: Reply.Step) async throws {
            let result = try await tunnel { _ in Self.established.then(end) }
            #expect([.secureConnectionFailed, .connectionLost].contains(result.operation.code))
            #expect(result.operation.statusCode == nil)
            #expect(result.originConnectionCount == 0)
        }

        @Test func silentTunnelHitsTheConnectTimeout() async throws {
            let result = try await tunnel(connectTimeout: .milliseconds(200)) { _ in Self.established.then(.stall) }
            #expect(result.operation.code == .timedOut)
        }

        @Test func truncatedAnswerToCONNECTFails() async throws {
            for byteCount in 0..<Self.established.bytes.count {
                let result = try await tunnel { _ in Self.established.cut(afterByteCount: byteCount) }
                #expect(result.operation.error != nil, "\(byteCount) bytes")
                #expect(result.operation.code != .timedOut)
            }
        }

        @Test(arguments: [
            "HTTP/1.1 200 OK\r\nX-Injected: 1\r\nSet-Cookie: a=b\r\nContent-Encoding: gzip\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nLocation: /x\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n",
            "HTTP/1.1 299 Whatever\r\n\r\n",
        ])
        func answerInjectedByAProxyIsNotTheOriginsResponse(answer: String) async throws {
            let reply = Reply.raw(answer)
            let operation = try await tunnel { reply.then(.tunnel(toPort: $0)) }.operation
            guard operation.error == nil else { return }
            #expect(operation.statusCode == 200)
            #expect(operation.responseString == "origin")
            #expect(operation.responseHeaders.map(\.name) == ["Content-Length"])
        }

        @Test func bytesAfterTheAnswerToCONNECTAreNoResponse() async throws {
            let poison = Reply.raw("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON")
            let operation = try await tunnel { poison.then(.tunnel(toPort: $0)) }.operation
            #expect(operation.error != nil)
            #expect(operation.responseString?.contains("POISON") != true)
        }

        @Test func proxySeesNothingOfATunnelledRequest() async throws {
            let secrets = [
                "Authorization": "Bearer secret", "Cookie": "a=secret", "X-Api-Key": "secret", "Referer": "secret",
            ]
            let result = try await tunnel(headers: secrets, body: "secret") {
                Self.established.then(.tunnel(toPort: $0))
            }
            #expect(result.operation.responseString == "origin")
            let connect = try #require(result.proxied.first)
            #expect(connect.method == "CONNECT")
            #expect(!connect.headText.contains("Bearer"))
            #expect(!connect.headText.contains("secret"))
            let received = try #require(result.received.first)
            for (name, value) in secrets { #expect(received.headers[name] == value) }
            #expect(received.headers["Proxy-Authorization"] == nil)
        }

        @Test func tunnelIsNotReusedWithAnotherCredential() async throws {
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

        @Test func environmentDoesNotOverrideAnExplicitProxy() async throws {
            let names = ["no_proxy", "NO_PROXY"]
            for name in names { setenv(name, "*", 1) }
            defer { for name in names { unsetenv(name) } }
            try await TestServer.answering(.response(body: "proxy")) { proxy in
                let options = try TransferOptions().through("http://127.0.0.1:\(proxy.port)")
                let url = try #require(URL(string: "http://origin.example/"))
                #expect(await get(url, options).responseString == "proxy")
            }
        }

        @Test func truncatedReplyThroughAProxyFails() async throws {
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
