// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct RedirectOriginTests {
        static let secrets = [
            "Authorization": "Bearer secret", "Cookie": "session=secret", "X-Api-Key": "secret", "X-Anything": "secret",
        ]
        static let harmless = [
            "Accept": "text/plain", "Accept-Language": "eo", "User-Agent": "Test/1", "Range": "bytes=0-4",
            "If-None-Match": "\"1\"",
        ]

        private func request(_ url: URL, _ method: String = "GET", body: String? = nil) -> URLRequest {
            var headers = Self.secrets.merging(Self.harmless) { first, _ in first }
            if body != nil { headers["Content-Type"] = "text/x-test" }
            return URLRequest(method, url, headers: headers, body: body)
        }

        private func expect(_ fields: [String: String], in request: ReceivedRequest?, isThere: Bool) throws {
            let request = try #require(request)
            for (name, value) in fields { #expect(request.headers[name] == (isThere ? value : nil), "\(name)") }
        }

        @Test func allHeadersFollowWithinAnOrigin() async throws {
            let script: TestServer.Script = { $0.path == "/start" ? .redirect(to: "/end") : .response() }
            try await TestServer.serving(script: script) { server in
                #expect(await perform(request(server.url("/start"))).error == nil)
                try expect(Self.secrets, in: server.requests.last, isThere: true)
                try expect(Self.harmless, in: server.requests.last, isThere: true)
            }
        }

        @Test func anotherPortGetsOnlyHarmlessHeaders() async throws {
            try await TestServer.answering(.response()) { other in
                let location = other.url("/end").absoluteString
                try await TestServer.answering(.redirect(to: location)) { server in
                    #expect(await perform(request(server.url())).error == nil)
                    try expect(Self.secrets, in: server.requests.last, isThere: true)
                    try expect(Self.secrets, in: other.requests.last, isThere: false)
                    try expect(Self.harmless, in: other.requests.last, isThere: true)
                }
            }
        }

        @Test func anotherNameOfTheSameAddressIsAnotherOrigin() async throws {
            let options = TransferOptions { $0.addressOverrides = ["other.example": "127.0.0.1"] }
            let script: TestServer.Script = { request in
                let port = request.headers["Host"]?.split(separator: ":").last ?? ""
                return request.path == "/start" ? .redirect(to: "http://other.example:\(port)/end") : .response()
            }
            try await TestServer.serving(script: script) { server in
                #expect(await perform(request(server.url("/start")), options).error == nil)
                #expect(server.requests.last?.headers["Host"] == "other.example:\(server.port)")
                try expect(Self.secrets, in: server.requests.last, isThere: false)
            }
        }

        @Test func anotherSchemeIsAnotherOrigin() async throws {
            let secure = try await TestServer.start(tls: .localhost) { _ in .response() }
            let location = secure.url("/end").absoluteString
            try await TestServer.answering(.redirect(to: location)) { plain in
                let operation = await perform(request(plain.url()), try .trustingTestAuthority)
                #expect(operation.error == nil)
                try expect(Self.secrets, in: secure.requests.last, isThere: false)
            }
            await secure.stop()
        }

        @Test func droppedFieldsDoNotReturnToTheFirstOrigin() async throws {
            let second = try await TestServer.start { request in
                .redirect(to: "http://127.0.0.1:\(request.query ?? "")/third")
            }
            let away = "http://127.0.0.1:\(second.port)/second"
            let first = try await TestServer.start { request in
                let port = request.headers["Host"]?.split(separator: ":").last ?? ""
                let next = ["/first": "\(away)?\(port)", "/third": "/fourth"][request.path]
                return next.map { .redirect(to: $0) } ?? .response()
            }
            #expect(await perform(request(first.url("/first"))).error == nil)
            #expect(first.requests.map(\.target) == ["/first", "/third", "/fourth"])
            for received in first.requests.dropFirst() {
                try expect(Self.secrets, in: received, isThere: false)
                try expect(Self.harmless, in: received, isThere: true)
            }
            await first.stop()
            await second.stop()
        }

        @Test func anotherOriginGetsTheBodyWithItsContentType() async throws {
            try await TestServer.answering(.response()) { other in
                let location = other.url("/end").absoluteString
                try await TestServer.answering(.redirect(to: location, status: 307)) { server in
                    #expect(await perform(request(server.url(), "POST", body: "payload")).error == nil)
                    #expect(other.requests.last?.method == "POST")
                    #expect(other.requests.last?.bodyText == "payload")
                    try expect(["Content-Type": "text/x-test"], in: other.requests.last, isThere: true)
                    try expect(Self.secrets, in: other.requests.last, isThere: false)
                }
            }
        }

        @Test func userInformationStaysWithItsOrigin() async throws {
            try await TestServer.answering(.response()) { other in
                let location = "http://127.0.0.1:\(other.port)/end"
                try await TestServer.answering(.redirect(to: location)) { server in
                    let url = try #require(URL(string: "http://user:secret@127.0.0.1:\(server.port)/"))
                    #expect(await get(url).error == nil)
                    #expect(other.requests.last?.headers["Authorization"] == nil)
                }
            }
        }
    }
}
