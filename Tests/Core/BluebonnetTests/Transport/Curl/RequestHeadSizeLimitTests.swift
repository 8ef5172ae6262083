// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct RequestHeadSizeLimitTests {
        /// How the bytes of a head are distributed.
        enum Place: String, CaseIterable, Sendable {
            case fewHeaders, manyHeaders, url

            /// A request whose head has about `byteCount` bytes.
            func request(_ url: URL, byteCount: Int) throws -> URLRequest {
                switch self {
                case .fewHeaders: return URLRequest("GET", url, headers: SentBody.fields(byteCount: byteCount))
                case .manyHeaders:
                    let count = byteCount / 1000
                    let fields = (0..<count).map { number in
                        let rest = number == 0 ? byteCount % count : 0
                        return ("X-\(1000 + number)", Self.text(byteCount / count + rest - 10))
                    }
                    return URLRequest("GET", url, headers: Dictionary(uniqueKeysWithValues: fields))
                case .url: return URLRequest(url: try #require(URL(string: "\(url)?\(Self.text(byteCount))")))
                }
            }

            private static func text(_ byteCount: Int) -> String { String(repeating: "a", count: byteCount) }
        }

        /// Whether the request arrives. Otherwise it must be refused for its size.
        private func arrives(_ operation: RequestOperation, limit: String) -> Bool {
            if operation.error == nil { return operation.statusCode == 200 }
            #expect(operation.code == .invalidRequest, "\(operation.error?.message.prefix(300) ?? "")")
            #expect(operation.error?.message.hasPrefix("the request's head is too large") == true)
            #expect(operation.error?.message.hasSuffix("the limit is \(limit) bytes") == true)
            #expect(operation.statusCode == nil)
            return false
        }

        @Test(arguments: Place.allCases)
        func oversizedHeadIsRefusedBeforeConnecting(place: Place) async throws {
            let limit = 1_048_575
            var refused: [Int] = []
            for byteCount in [900_000, limit - 400, limit - 200, limit] {
                try await TestServer.answering(.response()) { server in
                    let operation = await perform(try place.request(server.url(), byteCount: byteCount))
                    let hasArrived = arrives(operation, limit: "1048575")
                    #expect(server.requests.count == (hasArrived ? 1 : 0))
                    #expect(server.connectionCount == (hasArrived ? 1 : 0))
                    if !hasArrived { refused.append(byteCount) }
                }
            }
            let least = try #require(refused.min())
            #expect(least > 900_000 && refused.contains(limit))
        }

        @Test(arguments: [
            (Place.fewHeaders, "300000 of them in the header X-Fill"), (.url, " of them in the URL;"),
        ])
        func errorNamesTheLargestPartOfTheHead(place: Place, text: String) async throws {
            let url = try #require(URL(string: "http://127.0.0.1:9/"))
            let message = await perform(try place.request(url, byteCount: 1_100_000)).error?.message ?? ""
            #expect(message.contains(text))
            #expect(message.utf8.count < 300)
        }

        /// libcurl has one buffer for a head and a small body. A large head leaves no space for the body.
        @Test(arguments: [30_000, 65_535, 65_536])
        func smallBodyIsSentSeparatelyAfterALargeHead(bodyByteCount: Int) async throws {
            for byteCount in [500_000, 530_000, 1_010_000, 1_047_000] {
                try await TestServer.answering(.response()) { server in
                    var request = try Place.fewHeaders.request(server.url(), byteCount: byteCount)
                    request.httpMethod = "POST"
                    request.httpBody = Data(repeating: 65, count: bodyByteCount)
                    #expect(arrives(await perform(request), limit: "1048575"))
                    #expect(server.requests.map(\.body.count) == [bodyByteCount])
                }
            }
        }

        @Test func jarCookiesCountTowardsTheHead() async throws {
            let script: TestServer.Script = { request in
                guard request.target == "/set" else { return .response() }
                let cookies = ["a", "b"].map { ("Set-Cookie", "\($0)=" + String(repeating: "c", count: 3900)) }
                return .response(headers: WireFields(cookies))
            }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions { $0.cookieJar = CookieJar() }
                await get(server.url("/set"), options)
                let large = try Place.fewHeaders.request(server.url("/large"), byteCount: 1_045_000)
                #expect(!arrives(await perform(large, options), limit: "1048575"))
                #expect(arrives(await perform(large), limit: "1048575"))
                #expect(server.requests.map(\.target) == ["/set", "/large"])
            }
        }

        @Test func oversizedHeadForCleartextHTTP2IsRefusedBeforeConnecting() async throws {
            try await TestServer.answering(.response()) { server in
                let options = TransferOptions { $0.httpVersion = .http2PriorKnowledge }
                let request = try Place.fewHeaders.request(server.url(), byteCount: 66_000)
                #expect(!arrives(await perform(request, options), limit: "65536"))
                #expect(server.connectionCount == 0)
                #expect(arrives(await perform(request), limit: "1048575"))
            }
        }

        @Test func redirectThatOversizesTheHeadIsRefused() async throws {
            let target = "/" + String(repeating: "b", count: 80_000)
            try await TestServer.answering(.redirect(to: target)) { server in
                let request = try Place.fewHeaders.request(server.url("/start"), byteCount: 1_000_000)
                #expect(!arrives(await perform(request), limit: "1048575"))
                #expect(server.requests.map(\.target) == ["/start"])
            }
        }
    }

    @Suite(.enabled(if: NginxServer.isAvailable)) struct HTTP2HeadSizeLimitTests {
        private func serving(_ body: (HTTP2Fixture, TransferOptions) async throws -> Void) async throws {
            try await HTTP2Fixture.with(directives: "large_client_header_buffers 64 2m;") { fixture in
                try await body(fixture, fixture.options)
            }
        }

        @Test(arguments: RequestHeadSizeLimitTests.Place.allCases, ["GET", "POST", "PUT"])
        func headSizeDeterminesTheProtocolVersion(
            place: RequestHeadSizeLimitTests.Place, method: String
        ) async throws {
            try await serving { fixture, options in
                let limit = 65_536
                let url = fixture.nginx.tlsURL("/tiny")
                for byteCount in [20_000, 60_000] + Array(stride(from: limit - 2000, through: limit + 100, by: 100)) {
                    var request = try place.request(url, byteCount: byteCount)
                    if method != "GET" { (request.httpMethod, request.httpBody) = (method, Data("body".utf8)) }
                    let operation = await perform(request, options)
                    #expect(operation.error == nil)
                    #expect(operation.statusCode == 200 || method != "GET" && operation.statusCode == 405)
                    let version = operation.summary.tlsInformation?.applicationProtocol
                    if byteCount <= 60_000 { #expect(version == "h2") }
                    if byteCount >= limit { #expect(version == "http/1.1") }
                }
            }
        }

        @Test func largeHeadDoesNotDisturbTheConnection() async throws {
            try await serving { fixture, options in
                let url = fixture.nginx.tlsURL("/tiny")
                #expect(await get(url, options).error == nil)
                let large = try RequestHeadSizeLimitTests.Place.fewHeaders.request(url, byteCount: 70_000)
                #expect(await perform(large, options).error == nil)
                let after = await get(url, options)
                #expect(after.error == nil)
                #expect(after.summary.isReused)
            }
        }

        @Test(arguments: ["GET", "POST"])
        func jarCookiesCountTowardsTheHead(method: String) async throws {
            try await serving { fixture, options in
                var options = options
                let jar = CookieJar()
                options.cookieJar = jar
                for name in ["a", "b"] {
                    try await jar.set(
                        Cookie(name: name, value: String(repeating: "c", count: 3900), domain: "127.0.0.1"))
                }
                var request = try RequestHeadSizeLimitTests.Place.fewHeaders.request(
                    fixture.nginx.tlsURL("/tiny"), byteCount: 60_000)
                request.httpMethod = method
                let operation = await perform(request, options)
                #expect(operation.error == nil)
                #expect(operation.summary.tlsInformation?.applicationProtocol == "http/1.1")
            }
        }
    }
}
