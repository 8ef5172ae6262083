// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

extension RulesTests {
    /// Which servers receive a credential of an operation, a netrc file or a proxy.
    @Suite struct CredentialClaimTests {
        private let challenge: WireFields = ["WWW-Authenticate": "Basic realm=\"test\""]
        private static let established = Reply.raw("HTTP/1.1 200 Connection established\r\n\r\n")
        /// `user:secret` in Base64.
        private let answer = "Basic dXNlcjpzZWNyZXQ="

        @Test func proxyAnsweringConnectWith401GetsNoCredential() async throws {
            try await TestServer.answering(.response(), tls: .localhost) { origin in
                try await TestServer.answering(.response(status: 401, headers: challenge)) { proxy in
                    var options = try TransferOptions.trustingTestAuthority
                    options.proxy = try Proxy("http://127.0.0.1:\(proxy.port)")
                    options.credential = URLCredential(user: "user", password: "secret", persistence: .none)
                    options.netrc = try Netrc(text: "default login user password secret")
                    let operation = await get(origin.url(), options)
                    #expect(operation.error != nil)
                    #expect(operation.statusCode == nil)
                    #expect(proxy.requests.map(\.method) == ["CONNECT"])
                    #expect(proxy.sent("Authorization") + proxy.sent("Proxy-Authorization") == [])
                    #expect(origin.connectionCount == 0)
                }
            }
        }

        @Test(arguments: ["", "other:word@"])
        func proxyAfterRedirectGetsOnlyItsOwnCredential(credential: String) async throws {
            try await TestServer.answering(.response(body: "end"), tls: .localhost) { target in
                let tunnel = Self.established.then(.tunnel(toPort: target.port))
                try await TestServer.answering(tunnel) { second in
                    try await TestServer.answering(.redirect(to: target.url("/end").absoluteString)) { first in
                        var options = try TransferOptions.trustingTestAuthority
                        options.proxyConfiguration = ProxyConfiguration(
                            http: try Proxy("http://user:secret@127.0.0.1:\(first.port)"),
                            https: try Proxy("http://\(credential)127.0.0.1:\(second.port)"))
                        let start = try #require(URL(string: "http://nowhere.invalid/start"))
                        #expect(await get(start, options).end == "end")
                        #expect(first.sent("Proxy-Authorization") == [answer])
                        let own = credential.isEmpty ? [] : ["Basic b3RoZXI6d29yZA=="]
                        #expect(second.sent("Proxy-Authorization") == own)
                        #expect(second.sent("Authorization") == [])
                        #expect(target.sent("Proxy-Authorization") == [])
                    }
                }
            }
        }

        /// The netrc file has a password for the host, but for another user.
        @Test(arguments: ["bob@", "bob:@", "bob:wrong@", "user@"])
        func urlUserGetsNoPasswordFromNetrc(user: String) async throws {
            try await TestServer.answering(.response(status: 401, headers: challenge)) { server in
                let options = try TransferOptions {
                    $0.netrc = try Netrc(text: "machine 127.0.0.1 login user password secret")
                }
                let url = try #require(URL(string: "http://\(user)127.0.0.1:\(server.port)/"))
                #expect(await get(url, options).statusCode == 401)
                let shown = server.sent("Authorization").map { String($0.dropFirst(6)) }
                let texts = shown.map { String(decoding: Data(base64Encoded: $0) ?? Data(), as: UTF8.self) }
                #expect(!texts.contains { $0.contains("secret") }, "\(texts)")
            }
        }

        @Test func proxyGetsNoNetrcCredential() async throws {
            try await TestServer.answering(
                .response(status: 407, headers: ["Proxy-Authenticate": "Basic realm=\"proxy\""])
            ) { proxy in
                var options = TransferOptions()
                options.netrc = try Netrc(text: "machine 127.0.0.1 login user password secret")
                options.proxy = try Proxy("http://127.0.0.1:\(proxy.port)")
                let url = try #require(URL(string: "http://nowhere.invalid/"))
                #expect(await get(url, options).statusCode == 407)
                #expect(proxy.sent("Proxy-Authorization") + proxy.sent("Authorization") == [])
            }
        }

        @Test func netrcPasswordReachesHostThroughProxyButNotRedirectTarget() async throws {
            let script: TestServer.Script = { [challenge, answer] request in
                guard request.target.hasPrefix("http://one.invalid/") else {
                    return .response(status: 401, headers: challenge)
                }
                return request.headers["Authorization"] == answer
                    ? .redirect(to: "http://two.invalid/") : .response(status: 401, headers: challenge)
            }
            try await TestServer.scripted(script) { proxy in
                let options = try TransferOptions {
                    $0.netrc = try Netrc(
                        text: "machine one.invalid login user password secret\n"
                            + "machine two.invalid login user password other")
                    $0.proxy = try Proxy("http://127.0.0.1:\(proxy.port)")
                }
                let url = try #require(URL(string: "http://one.invalid/"))
                #expect(await get(url, options).statusCode == 401)
                #expect(
                    proxy.requests.map { [$0.target, $0.headers["Authorization"] ?? ""] } == [
                        ["http://one.invalid/", ""], ["http://one.invalid/", answer], ["http://two.invalid/", ""],
                    ])
                #expect(proxy.sent("Proxy-Authorization") == [])
            }
        }

        @Test(arguments: [301, 302, 303, 307, 308])
        func redirectSendsNoReferer(status: Int) async throws {
            let script: TestServer.Script = {
                $0.path == "/start" ? .redirect(to: "/end", status: status) : .response(body: "end")
            }
            try await TestServer.scripted(script) { server in
                let start = try #require(URL(string: "http://user:secret@127.0.0.1:\(server.port)/start?token=1"))
                #expect(await get(start).end == "end")
                #expect(server.requests.count == 2)
                #expect(server.sent("Referer") == [])
            }
        }

        /// A `Referer` field that the program sets goes to the request's origin only.
        @Test func callersRefererIsDroppedAcrossOrigins() async throws {
            try await TestServer.answering(.response()) { target in
                try await TestServer.answering(.redirect(to: target.url().absoluteString)) { origin in
                    await perform(URLRequest("GET", origin.url(), headers: ["Referer": "http://secret.example/"]))
                    #expect(origin.sent("Referer") == ["http://secret.example/"])
                    #expect(target.requests.count == 1)
                    #expect(target.sent("Referer") == [])
                }
            }
        }

        @Test func proxyTunnelIsNotReusedForDirectRequests() async throws {
            try await TestServer.answering(.response(body: "origin"), tls: .localhost) { origin in
                try await TestServer.answering(Self.established.then(.tunnel(toPort: origin.port))) { proxy in
                    let direct = try TransferOptions.trustingTestAuthority
                    var through = direct
                    through.proxy = try Proxy("http://127.0.0.1:\(proxy.port)")
                    for options in [through, direct, through, direct] {
                        #expect(await get(origin.url(), options).end == "origin")
                    }
                    let connections = origin.requests.map(\.connection)
                    try #require(connections.count == 4)
                    #expect(Set([connections[0], connections[2]]).isDisjoint(with: [connections[1], connections[3]]))
                    #expect(proxy.requests.allSatisfy { $0.method == "CONNECT" })
                }
            }
        }
    }
}
