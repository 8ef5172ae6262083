// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct RedirectTests {
        /// A request that is redirected once, and how the target's server must see it.
        struct Hop: Sendable, CustomTestStringConvertible {
            let status: Int
            let method: String
            let arrivesAs: String
            var testDescription: String { "\(method) \(status)" }
            var keepsBody: Bool { hasBody && arrivesAs == method }
            var hasBody: Bool { ["POST", "PUT"].contains(method) }

            static let all: [Hop] = [
                ("GET", [301: "GET", 302: "GET", 303: "GET", 307: "GET", 308: "GET"]),
                ("HEAD", [301: "HEAD", 302: "HEAD", 303: "HEAD", 307: "HEAD", 308: "HEAD"]),
                ("POST", [301: "GET", 302: "GET", 303: "GET", 307: "POST", 308: "POST"]),
                ("PUT", [301: "PUT", 302: "PUT", 303: "GET", 307: "PUT", 308: "PUT"]),
            ].flatMap { method, outcomes in
                outcomes.sorted { $0.key < $1.key }.map { Hop(status: $0.key, method: method, arrivesAs: $0.value) }
            }
        }

        @Test(arguments: Hop.all)
        func methodAndBodyFollowTheStatus(hop: Hop) async throws {
            let script: TestServer.Script = {
                $0.path == "/start" ? .redirect(to: "/end", status: hop.status) : .response(body: "there")
            }
            try await TestServer.serving(script: script) { server in
                let request = URLRequest(
                    hop.method, server.url("/start"), headers: hop.hasBody ? ["Content-Type": "text/x-test"] : [:],
                    body: hop.hasBody ? "payload" : nil)
                let operation = await perform(request)
                #expect(operation.error == nil)
                #expect(operation.statusCode == 200)
                #expect(operation.response?.url == server.url("/end"))
                #expect(operation.summary.redirectCount == 1)
                #expect(operation.summary.transferCount == 2)
                #expect(server.requests.map(\.target) == ["/start", "/end"])
                let last = try #require(server.requests.last)
                #expect(last.method == hop.arrivesAs)
                #expect(last.bodyText == (hop.keepsBody ? "payload" : ""))
                #expect(last.headers["Content-Type"] == (hop.keepsBody ? "text/x-test" : nil))
            }
        }

        @Test func fileBodyIsSentAgainFromItsStart() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let body = Data.patterned(byteCount: 300_000)
            let path = try folder.write("body", body)
            let script: TestServer.Script = {
                $0.path == "/start" ? .redirect(to: "/end", status: 307) : .response()
            }
            try await TestServer.serving(script: script) { server in
                let operation = RequestOperation(request: URLRequest("POST", server.url("/start")))
                operation.uploadFile = URL(fileURLWithPath: path)
                #expect(await operation.run().error == nil)
                #expect(server.requests.map(\.body) == [body, body])
            }
        }

        /// Redirects from `/n` to `/n-1`, until `/0` answers.
        static let countdown: TestServer.Script = { request in
            let left = Int(request.path.dropFirst()) ?? 0
            return left == 0 ? .response(body: "there") : .redirect(to: "/\(left - 1)")
        }

        @Test func twentyRedirectsAreFollowed() async throws {
            try await TestServer.serving(script: Self.countdown) { server in
                let operation = await get(server.url("/20"))
                #expect(operation.error == nil)
                #expect(operation.responseString == "there")
                #expect(operation.summary.redirectCount == 20)
            }
        }

        @Test func twentyFirstRedirectIsRefused() async throws {
            try await TestServer.serving(script: Self.countdown) { server in
                let operation = await get(server.url("/21"))
                #expect(operation.code == .tooManyRedirects)
                #expect(operation.statusCode == 302)
                #expect(server.requests.count == 21)
            }
        }

        @Test func limitOfOneIsKept() async throws {
            try await TestServer.serving(script: Self.countdown) { server in
                let options = TransferOptions { $0.maximumRedirectCount = 1 }
                #expect(await get(server.url("/1"), options).error == nil)
                #expect(await get(server.url("/2"), options).code == .tooManyRedirects)
            }
        }

        @Test func redirectIsDeliveredIfNoneMayBeFollowed() async throws {
            let script: TestServer.Script = { _ in .redirect(to: "/elsewhere", status: 301) }
            try await TestServer.serving(script: script) { server in
                let operation = await get(server.url(), TransferOptions { $0.maximumRedirectCount = 0 })
                #expect(operation.error == nil)
                #expect(operation.statusCode == 301)
                #expect(operation.response?.value(forHTTPHeaderField: "Location") == "/elsewhere")
                #expect(server.requests.count == 1)
            }
        }

        @Test(arguments: [["/a": "/a"], ["/a": "/b", "/b": "/a"], ["/a": "/b", "/b": "/c", "/c": "/b"]])
        func cycleIsDetectedInItsFirstRound(places: [String: String]) async throws {
            let script: TestServer.Script = { .redirect(to: places[$0.path] ?? "/lost") }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url("/a")).code == .tooManyRedirects)
                #expect(server.requests.count == places.count)
            }
        }

        @Test func endlessRedirectBodyIsNotReadToItsEnd() async throws {
            let script: TestServer.Script = { request in
                guard request.path == "/start" else { return .response(body: "there") }
                let head = "HTTP/1.1 302 Found\r\nLocation: /end\r\n\r\n"
                return Reply([.bytes(Data(head.utf8)), .endless(chunk: Data(count: 65_536))])
            }
            try await TestServer.serving(script: script) { server in
                let operation = await get(server.url("/start"))
                #expect(operation.error == nil)
                #expect(operation.responseString == "there")
            }
        }
    }
}
