// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A third-party HTTP proxy.
    @Suite(.enabled(if: TinyproxyServer.isAvailable)) struct HTTPProxyServerTests {
        private static let credential = (user: "user", password: "secret")

        /// Starts a proxy, and passes it to `body` with a function that makes options from the credential in the
        /// proxy's URL.
        private func serving(
            credential: (user: String, password: String)? = nil, tunnelPort: Int? = nil,
            _ body: (TinyproxyServer, (String) throws -> TransferOptions) async throws -> Void
        ) async throws {
            let proxy = try await TinyproxyServer.start(credential: credential, tunnelPort: tunnelPort)
            do {
                try await body(proxy) { userInfo in
                    try TransferOptions.trustingTestAuthority.through("http://\(userInfo)127.0.0.1:\(proxy.port)")
                }
            } catch {
                await proxy.stop()
                throw error
            }
            await proxy.stop()
        }

        /// Starts an origin, plain or over TLS, that answers with the request's body.
        private func servingOrigin(
            tls: TestCertificate?, _ body: (TestServer) async throws -> Void
        ) async throws {
            var options = TestServer.Options()
            options.certificate = tls
            try await TestServer.serving(options, script: { .response(body: "got \($0.bodyText)") }, body)
        }

        @Test(arguments: [nil, TestCertificate.localhost])
        func requestPassesWithoutTheProxyCredential(tls: TestCertificate?) async throws {
            try await servingOrigin(tls: tls) { origin in
                try await serving(credential: Self.credential) { proxy, options in
                    let request = URLRequest(
                        "POST", origin.url("/path"), headers: ["Authorization": "Bearer token"], body: "payload")
                    let operation = await perform(request, try options("user:secret@"))
                    #expect(operation.error == nil)
                    #expect(operation.responseString == "got payload")
                    let received = try #require(origin.requests.first)
                    #expect(origin.requests.count == 1)
                    #expect(received.headers["Authorization"] == "Bearer token")
                    #expect(received.headers["Proxy-Authorization"] == nil)
                    #expect(proxy.log.contains(tls == nil ? "POST http://127.0.0.1:\(origin.port)/path" : "CONNECT "))
                }
            }
        }

        @Test(arguments: [nil, TestCertificate.localhost], ["", "user:wrong@", "nobody:secret@", "user@"])
        func requestWithoutTheRightCredentialDoesNotReachTheOrigin(tls: TestCertificate?, userInfo: String) async throws
        {
            try await servingOrigin(tls: tls) { origin in
                try await serving(credential: Self.credential) { _, options in
                    let request = URLRequest(url: origin.url())
                    let operation = HTTPRequestOperation(request: request, options: try options(userInfo))
                    #expect(await operation.run().error != nil)
                    // tinyproxy answers 407 to a missing credential, and 401 to a wrong credential.
                    let isAsked = userInfo.isEmpty
                    if isAsked { #expect(operation.code == .authenticationRequired) }
                    #expect(origin.connectionCount == 0)
                }
            }
        }

        @Test func operationCredentialIsSentOnlyToTheOrigin() async throws {
            let script: TestServer.Script = { request in
                request.headers["Authorization"] == nil
                    ? .response(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"origin\""])
                    : .response(body: "come in")
            }
            // tinyproxy only examines the first request of a connection and asks the origin to close the connection,
            // as an honest origin does. Later bytes would pass through unchanged.
            var serverOptions = TestServer.Options()
            serverOptions.requestsPerConnection = 1
            try await TestServer.serving(serverOptions, script: script) { origin in
                try await serving(credential: Self.credential) { _, options in
                    var options = try options("user:secret@")
                    options.credential = URLCredential(user: "other", password: "word", persistence: .none)
                    let operation = await get(origin.url(), options)
                    #expect(operation.responseString == "come in")
                    // "other:word" in Base64.
                    #expect(origin.requests.map { $0.headers["Authorization"] } == [nil, "Basic b3RoZXI6d29yZA=="])
                    #expect(origin.requests.allSatisfy { $0.headers["Proxy-Authorization"] == nil })
                }
            }
        }

        @Test func refusedTunnelIsAConnectError() async throws {
            try await servingOrigin(tls: .localhost) { origin in
                try await serving(tunnelPort: 1) { _, options in
                    let options = try options("")
                    #expect(await get(origin.url(), options).code == .cannotConnect)
                    #expect(origin.connectionCount == 0)
                }
            }
        }

        @Test func proxyReportsAnUnreachableOrigin() async throws {
            try await serving { _, options in
                let port = try LoopbackPort.unused()
                let plain = try #require(URL(string: "http://127.0.0.1:\(port)/"))
                let operation = HTTPRequestOperation(request: URLRequest(url: plain), options: try options(""))
                #expect(await operation.run().code == .unacceptableStatus)
                let secure = try #require(URL(string: "https://127.0.0.1:\(port)/"))
                #expect(await get(secure, try options("")).code == .cannotConnect)
            }
        }

        @Test func redirectsAlsoGoThroughTheProxy() async throws {
            try await servingOrigin(tls: .localhost) { target in
                let location = target.url("/end").absoluteString
                try await TestServer.answering(.redirect(to: location)) { origin in
                    try await serving(credential: Self.credential) { proxy, options in
                        let operation = await get(origin.url("/start"), try options("user:secret@"))
                        #expect(operation.error == nil)
                        #expect(operation.summary.redirectCount == 1)
                        #expect(target.requests.first?.headers["Proxy-Authorization"] == nil)
                        #expect(proxy.log.contains("GET http://127.0.0.1:\(origin.port)/start"))
                        #expect(proxy.log.contains("CONNECT 127.0.0.1:\(target.port)"))
                    }
                }
            }
        }

        @Test func unreachableProxyIsAConnectError() async throws {
            let options = try TransferOptions().through("http://127.0.0.1:\(try LoopbackPort.unused())")
            try await TestServer.answering(.response()) { origin in
                #expect(await get(origin.url(), options).code == .cannotConnect)
                #expect(origin.connectionCount == 0)
            }
        }
    }

    /// A third-party SOCKS proxy.
    @Suite(.enabled(if: SOCKSServer.isAvailable)) struct SOCKSProxyServerTests {
        private func serving(_ body: (SOCKSServer, TransferOptions) async throws -> Void) async throws {
            let proxy = try await SOCKSServer.start()
            do {
                let options = try TransferOptions.trustingTestAuthority.through("socks5h://127.0.0.1:\(proxy.port)")
                try await body(proxy, options)
            } catch {
                await proxy.stop()
                throw error
            }
            await proxy.stop()
        }

        @Test(arguments: [nil, TestCertificate.localhost], ["127.0.0.1", "localhost"])
        func requestGoesThroughTheProxy(tls: TestCertificate?, host: String) async throws {
            var serverOptions = TestServer.Options()
            serverOptions.certificate = tls
            let body = Data.patterned(byteCount: 300_000)
            try await TestServer.answering(.response(body: body), serverOptions) { origin in
                try await serving { proxy, options in
                    let operation = await get(origin.url("/path", host: host), options)
                    #expect(operation.error == nil)
                    #expect(operation.responseData == body)
                    #expect(origin.requests.map(\.target) == ["/path"])
                    #expect(proxy.hasConnected(toPort: origin.port))
                }
            }
        }

        @Test func targetRefusedByTheProxyCannotBeConnected() async throws {
            try await serving { _, options in
                // Refused by a rule, by the target, and because the name does not exist. The proxy resolves the name,
                // not the client.
                let texts = [
                    "http://127.0.0.1:9/", "http://127.0.0.1:\(try LoopbackPort.unused())/",
                    "http://nowhere.bluebonnet.invalid/",
                ]
                for text in texts {
                    let url = try #require(URL(string: text))
                    #expect(await get(url, options).code == .cannotConnect, "\(text)")
                }
            }
        }

        /// SOCKS has one byte for a name's length. A longer name must neither be cut nor resolved locally.
        @Test(arguments: [250, 253, 255, 256, 257, 300, 1000, 65_536])
        func longNameIsRefusedAndLaterRequestsSucceed(byteCount: Int) async throws {
            try await TestServer.answering(.response(body: "answer")) { origin in
                try await serving { _, options in
                    let labels = String(repeating: String(repeating: "a", count: 49) + ".", count: byteCount / 50 + 1)
                    let host = labels.prefix(byteCount - 1) + "z"
                    let url = try #require(URL(string: "http://\(host):\(origin.port)/"))
                    let error = await get(url, options).error
                    #expect(error != nil)
                    #expect(error?.code != .timedOut)
                    #expect(origin.connectionCount == 0)
                    #expect(await get(origin.url(), options).responseString == "answer")
                }
            }
        }
    }
}
