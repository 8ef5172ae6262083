// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct RedirectTargetTests {
        /// The error code of a GET that is redirected to `location`. No other request may be sent.
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
        func schemeOtherThanHTTPIsRefused(location: String) async throws {
            #expect(try await code(redirectedTo: location) == .redirectRefused)
        }

        @Test(arguments: [
            "http:///path", "http://", "//", "http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://a\\@127.0.0.1/",
            "http://[::1/", "\\\\127.0.0.1\\x",
        ])
        func unusableLocationIsABadResponse(location: String) async throws {
            #expect(try await code(redirectedTo: location) == .badServerResponse)
        }

        @Test(arguments: [301, 302, 303, 307, 308])
        func redirectWithoutALocationIsABadResponse(status: Int) async throws {
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
        func relativeLocationIsResolvedAgainstItsRequest(start: String, location: String, target: String) async throws {
            let script: TestServer.Script = { $0.target == start ? .redirect(to: location) : .response() }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url(start)).error == nil)
                #expect(server.requests.map(\.target) == [start, target])
            }
        }

        @Test func locationMayNameAnotherHostWithoutAScheme() async throws {
            try await TestServer.answering(.response(body: "there")) { target in
                let location = "//127.0.0.1:\(target.port)/end"
                try await TestServer.answering(.redirect(to: location)) { server in
                    #expect(await get(server.url()).responseString == "there")
                }
            }
        }
    }

    @Suite struct OddRedirectTargetTests {
        /// Runs a GET that is redirected to a location given in bytes. Returns the operation and the targets that the
        /// server saw.
        private func targets(redirectedTo location: Data) async throws -> (operation: RequestOperation, seen: [String])
        {
            let head =
                Data("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8) + location + Data("\r\n\r\n".utf8)
            let script: TestServer.Script = { $0.path == "/start" ? Reply([.bytes(head)]) : .response(body: "there") }
            return try await TestServer.serving(script: script) { server in
                let operation = await get(server.url("/start"))
                return (operation, server.requests.map(\.target))
            }
        }

        @Test func locationOf64KBIsFollowedWhole() async throws {
            let place = "/" + String(repeating: "a", count: 65_536)
            let (operation, seen) = try await targets(redirectedTo: Data(place.utf8))
            #expect(operation.error == nil)
            #expect(seen.last == place)
        }

        @Test func locationOverTheHeaderLimitIsTooLarge() async throws {
            let (operation, seen) = try await targets(redirectedTo: Data(repeating: UInt8(ascii: "a"), count: 300_000))
            #expect(operation.code == .headersTooLarge)
            #expect(seen.count == 1)
        }

        /// Bytes that are not UTF-8 are escaped, never sent as they are (RFC 3986, 2.1).
        @Test(arguments: [[0xE9], [0xFF, 0xFE], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
        func nonUTF8LocationIsEscaped(bytes: [UInt8]) async throws {
            let (operation, seen) = try await targets(redirectedTo: Data("/caf".utf8) + bytes)
            #expect(operation.error == nil)
            #expect(seen.count == 2)
            #expect(seen.last?.hasPrefix("/caf%") == true)
            #expect(seen.last?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } == true)
        }

        @Test(arguments: ["/a\rX-Evil: 1", "/a\u{0}b", "/a\u{1}", "/a\u{7F}", "/a\tb"])
        func locationWithAControlCharacterIsRefused(location: String) async throws {
            let (operation, seen) = try await targets(redirectedTo: Data(location.utf8))
            #expect(operation.code == .badServerResponse)
            #expect(seen.count == 1)
        }

        /// A field after the Location is a separate field, not a part of the Location.
        @Test func locationEndsWithItsLine() async throws {
            let (operation, seen) = try await targets(redirectedTo: Data("/end\r\nX-Evil: 1".utf8))
            #expect(operation.error == nil)
            #expect(seen == ["/start", "/end"])
        }
    }

    @Suite struct InsecureRedirectTests {
        /// Follows a redirect from TLS to plain HTTP. Returns the operation and the requests that the plain server
        /// saw.
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

        @Test func redirectFromHTTPSToHTTPIsRefused() async throws {
            let (operation, requests) = try await follow { _ in }
            #expect(operation.code == .redirectRefused)
            #expect(requests.isEmpty)
        }

        @Test func redirectFromHTTPSToHTTPIsFollowedWhenAllowed() async throws {
            let (operation, requests) = try await follow { $0.allowsInsecureRedirects = true }
            #expect(operation.responseString == "there")
            #expect(requests.count == 1)
        }

        @Test func redirectFromHTTPToHTTPSIsFollowed() async throws {
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
