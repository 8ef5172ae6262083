// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// The upper bound of a head's size, compared with the bytes that libcurl really sends.
    @Suite struct SentHeadTests {
        /// Runs one request through its own partition.
        private func send(_ request: TransferRequest) async throws {
            let partition = try await onNetworkThread {
                NetworkBound(
                    try #require(CurlPartition(loop: NetworkThread.shared.eventLoop, register: ConnectionRegister())))
            }
            let hasEnded = Gate()
            NetworkThread.shared.submit {
                _ = partition.value.begin(request, delegate: EndTaker { _ in hasEnded.open() })
            }
            await hasEnded.wait()
            try await onNetworkThread { partition.value.close() }
        }

        private func request(
            _ method: String, _ url: URL, _ headers: [HeaderFields.Field] = [], body: TransferBody = .none,
            with options: TransferOptions = TransferOptions(), jar: CookieJar? = nil
        ) throws -> TransferRequest {
            TransferRequest(
                url: url, origin: try #require(Origin(url)), method: method, headers: headers, body: body,
                poolKey: PoolKeyBox(options.poolKey),
                limits: TransferRequest.Limits(httpVersion: options.httpVersion), cookieJar: jar)
        }

        /// The bound includes everything that libcurl adds, and only a small safety margin.
        @Test func headIsNeverLongerThanItsBound() async throws {
            try await TestServer.answering(.response()) { server in
                let field = HeaderFields.Field(name: "X-Name", value: "value")
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
                    #expect(sent <= request.headSize.upperBound)
                    let perField = 12 * request.headers.count
                    #expect(request.headSize.upperBound <= 4 * sent + 1500 + perField)
                }
                #expect(server.requests.count == requests.count)
            }
        }

        @Test func cookiesOfAFullJarStayWithinTheBound() async throws {
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
                #expect(sent <= request.headSize.upperBound)
            }
        }
    }
}
