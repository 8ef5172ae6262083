// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestServer
import Testing

@testable import Bluebonnet

@Suite struct RequestHeadBoundTests {
    private func bound(
        url: String = "http://h/", _ headers: [HTTPHeaders.Field] = [], proxyCredential: Int = 0, usesJar: Bool = false
    ) -> RequestHeadBound {
        RequestHeadBound(
            method: "GET", url: url, host: "h", headers: headers, proxyCredentialByteCount: proxyCredential,
            usesJar: usesJar)
    }

    @Test func boundCountsAllThatGoesOut() {
        let least = bound().byteCount
        let path = String(repeating: "p", count: 2000)
        #expect(bound(url: "http://h/" + path + path).byteCount >= bound(url: "http://h/" + path).byteCount + 2000)
        #expect(bound([HTTPHeaders.Field(name: "name", value: "välue")]).byteCount >= least + 4 + 6 + 4)
        #expect(bound(proxyCredential: 3000).byteCount >= least + 4000)
        #expect(bound(usesJar: true).byteCount >= least + 8190)
        let userInfo = String(repeating: "u", count: 30_000)
        #expect(bound(url: "http://\(userInfo)@h/").byteCount >= least + 40_000)
    }

    @Test func aSmallRequestHasTheSmallestBuffer() throws {
        #expect(try request(fieldByteCount: 0).sendingBufferByteCount == 16 * 1024)
        #expect(try request(fieldByteCount: 14_000).sendingBufferByteCount == 16 * 1024)
        #expect(try request(fieldByteCount: 0, .data(Data(count: 8192))).sendingBufferByteCount == 16 * 1024)
    }

    @Test(arguments: [10, 16, 20, 50, 64, 100, 200, 256, 300, 600, 900, 1023])
    func aHeadThatMustLeaveWholeHasABufferForIt(kibibytes: Int) throws {
        let stream = TransferBody.stream(BodyFeed(declaredByteCount: nil) { InputStream(data: Data()) })
        for body in [TransferBody.none, stream] {
            let request = try request(fieldByteCount: kibibytes * 1024, body)
            #expect(request.sendingBufferByteCount >= kibibytes * 1024)
            #expect(request.sendingBufferByteCount >= min(request.headBound.byteCount, 1 << 20))
        }
    }

    @Test func requestsWithHeadsOfDifferentSizesHaveDifferentSetups() throws {
        let small = try #require(HandleSetup(request(fieldByteCount: 100)))
        #expect(try HandleSetup(request(fieldByteCount: 200)) == small)
        #expect(try HandleSetup(request(fieldByteCount: 20_000)) != small)
    }

    @Test func versionChangesForAHeadThatHTTP2CannotCarryOnly() throws {
        for version in [HTTPVersion.negotiated, .http1, .http2, .http2PriorKnowledge] {
            #expect(try request(fieldByteCount: 60_000, version: version).httpVersion == version)
            let sent = try request(fieldByteCount: 65_536, version: version).httpVersion
            #expect(sent == (version == .http2PriorKnowledge ? version : .http1))
        }
    }

    @Test(arguments: [(false, 64_000, 65_536), (true, 55_000, 57_000)])
    func aJarsCookiesHaveRoomInTheHead(usesJar: Bool, byHTTP2: Int, byHTTP1: Int) throws {
        let jar = usesJar ? CookieJar() : nil
        #expect(try request(fieldByteCount: byHTTP2, jar: jar).httpVersion == .negotiated)
        #expect(try request(fieldByteCount: byHTTP1, jar: jar).httpVersion == .http1)
    }

    private func request(
        fieldByteCount: Int, _ body: TransferBody = .none, version: HTTPVersion = .negotiated, jar: CookieJar? = nil
    ) throws -> TransferRequest {
        let url = try #require(URL(string: "https://h/"))
        let field = HTTPHeaders.Field(name: "X-Fill", value: String(repeating: "x", count: fieldByteCount))
        return TransferRequest(
            url: url, origin: try #require(Origin(url)), method: "POST", headers: [field], body: body,
            limits: TransferRequest.Limits(httpVersion: version), cookieJar: jar)
    }
}

extension NetworkTests {
    /// The bound beside what libcurl really sends.
    @Suite struct SentHeadTests {
        /// Runs one request through a partition of its own.
        private func send(_ request: TransferRequest) async throws {
            let partition = try await onNetworkThread {
                NetworkBound(CurlPartition(loop: NetworkThread.shared.eventLoop))
            }
            let hasEnded = Gate()
            NetworkThread.shared.submit {
                _ = partition.value.begin(request, delegate: EndTaker { _ in hasEnded.open() })
            }
            await hasEnded.wait()
            try await onNetworkThread { partition.value.close() }
        }

        private func request(
            _ method: String, _ url: URL, _ headers: [HTTPHeaders.Field] = [], body: TransferBody = .none,
            with options: TransferOptions = TransferOptions(), jar: CookieJar? = nil
        ) throws -> TransferRequest {
            TransferRequest(
                url: url, origin: try #require(Origin(url)), method: method, headers: headers, body: body,
                identity: SharedIdentity(options.identity),
                limits: TransferRequest.Limits(httpVersion: options.httpVersion), cookieJar: jar)
        }

        /// Nothing that libcurl adds is forgotten, and what is added for safety is little.
        @Test func headIsNeverLongerThanItsBound() async throws {
            try await TestServer.answering(.response()) { server in
                let field = HTTPHeaders.Field(name: "X-Name", value: "value")
                let userInfo = "user:" + String(repeating: "%40", count: 200) + "@"
                let named = try #require(URL(string: "http://\(userInfo)127.0.0.1:\(server.port)/path?a=%20b"))
                let proxy = try TransferOptions().through(
                    "http://\(String(repeating: "u", count: 300)):pass@127.0.0.1:\(server.port)")
                let upgrade = TransferOptions { $0.httpVersion = .http2 }
                let data = TransferBody.data(Data("body".utf8))
                let requests = [
                    try request("GET", server.url()),
                    try request("OPTIONS", server.url("/" + String(repeating: "p", count: 3000)), [field, field]),
                    try request("POST", server.url()), try request("POST", server.url(), [field], body: data),
                    try request("PUT", server.url(), body: .data(Data(count: 70_000))),
                    try request("GET", named), try request("GET", server.url(), with: upgrade),
                    try request("POST", server.url(), body: data, with: upgrade),
                    try request("GET", try #require(URL(string: "http://origin.example/path")), with: proxy),
                    try request("GET", server.url(), (0..<500).map { .init(name: "n\($0)", value: "") }),
                ]
                for request in requests {
                    try await send(request)
                    let sent = try #require(server.requests.last).rawHead.count
                    #expect(sent <= request.headBound.byteCount)
                    let perField = 12 * request.headers.count
                    #expect(request.headBound.byteCount <= 4 * sent + 1500 + perField)
                }
                #expect(server.requests.count == requests.count)
            }
        }

        @Test func aFullJarIsWithinTheBound() async throws {
            try await TestServer.answering(.response()) { server in
                let jar = CookieJar()
                let value = String(repeating: "v", count: 400)
                for number in 0..<50 {
                    try await jar.set(Cookie(name: "name\(number)", value: value, domain: "127.0.0.1"))
                }
                let request = try request("GET", server.url(), jar: jar)
                try await send(request)
                let sent = try #require(server.requests.last).rawHead.count
                #expect(sent > 7000)
                #expect(sent <= request.headBound.byteCount)
            }
        }
    }
}
