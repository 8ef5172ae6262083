// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct RedirectTargetTests {
        /// What a GET ends with when it is sent to this place; nothing else must be asked for.
        private func code(redirectedTo location: String) async throws -> NetworkingError.Code? {
            try await TestServer.answering(.redirect(to: location)) { server in
                let operation = await get(server.url("/start"))
                #expect(server.requests.count == 1)
                return operation.code
            }
        }

        @Test(arguments: [
            "ftp://127.0.0.1/file", "file:///etc/passwd", "gopher://127.0.0.1/", "data:text/plain,hello",
            "unix:///tmp/x", "javascript:alert(1)",
        ])
        func aSchemeOtherThanHTTPIsRefused(location: String) async throws {
            #expect(try await code(redirectedTo: location) == .redirectRefused)
        }

        @Test(arguments: [
            "http:///path", "http://", "//", "http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://a\\@127.0.0.1/",
            "http://[::1/", "\\\\127.0.0.1\\x",
        ])
        func aLocationThatIsNoUsableURLIsABadResponse(location: String) async throws {
            #expect(try await code(redirectedTo: location) == .badServerResponse)
        }

        @Test(arguments: [301, 302, 303, 307, 308])
        func aRedirectWithoutALocationIsABadResponse(status: Int) async throws {
            try await TestServer.answering(.response(status: status)) { server in
                let operation = await get(server.url())
                #expect(operation.code == .badServerResponse)
                #expect(operation.statusCode == status)
            }
        }

        @Test func twoDifferentLocationsAreABadResponse() async throws {
            let script: TestServer.Script = { _ in .redirect(to: "/a", headers: ["Location": "/b"]) }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url("/start")).code == .badServerResponse)
                #expect(server.requests.count == 1)
            }
        }

        @Test(arguments: [
            ("/folder/start", "end", "/folder/end"), ("/folder/start", "../end", "/end"),
            ("/start", "?q=1", "/start?q=1"),
            ("/folder/start", "/end?x#y", "/end?x"), ("/start", "/caf\u{E9}", "/caf%C3%A9"),
            ("/start", "/a%20b", "/a%20b"),
        ])
        func aRelativeLocationGoesFromWhereItWasGiven(start: String, location: String, target: String) async throws {
            let script: TestServer.Script = { $0.target == start ? .redirect(to: location) : .response() }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url(start)).error == nil)
                #expect(server.requests.map(\.target) == [start, target])
            }
        }

        @Test func aLocationMayNameAnotherHostWithoutAScheme() async throws {
            try await TestServer.answering(.response(body: "there")) { target in
                let location = "//127.0.0.1:\(target.port)/end"
                try await TestServer.answering(.redirect(to: location)) { server in
                    #expect(await get(server.url()).responseString == "there")
                }
            }
        }
    }

    @Suite struct InsecureRedirectTests {
        /// Redirects from TLS to plain HTTP; gives the operation and what the plain server saw.
        private func follow(
            _ change: (inout TransferOptions) -> Void
        ) async throws -> (operation: RequestOperation, requests: [ReceivedRequest]) {
            var options = try TransferOptions.trustingTestAuthority
            change(&options)
            return try await TestServer.answering(.response(body: "there")) { plain in
                let location = plain.url("/end").absoluteString
                let secure = try await TestServer.start(tls: .localhost) { _ in .redirect(to: location) }
                let operation = await get(secure.url("/start"), options)
                #expect(secure.requests.count == 1)
                await secure.stop()
                return (operation, plain.requests)
            }
        }

        @Test func fromHTTPSToHTTPIsRefused() async throws {
            let (operation, requests) = try await follow { _ in }
            #expect(operation.code == .redirectRefused)
            #expect(requests.isEmpty)
        }

        @Test func fromHTTPSToHTTPIsFollowedWhenAllowed() async throws {
            let (operation, requests) = try await follow { $0.allowsInsecureRedirects = true }
            #expect(operation.responseString == "there")
            #expect(requests.count == 1)
        }

        @Test func fromHTTPToHTTPSIsFollowed() async throws {
            let secure = try await TestServer.start(tls: .localhost) { _ in .response(body: "there") }
            let location = secure.url("/end").absoluteString
            try await TestServer.answering(.redirect(to: location)) { plain in
                let operation = await get(plain.url(), try .trustingTestAuthority)
                #expect(operation.responseString == "there")
            }
            await secure.stop()
        }
    }
}
