// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// Options set on an easy handle for one request are undone or set again for the next request, for every pair of
    /// kinds.
    @Suite struct HandleSetupTests {
        /// A kind of request that needs specific options.
        private struct Kind: Sendable {
            let name: String
            var method = "GET"
            var headers: [HeaderFields.Field] = []
            var body: @Sendable () -> TransferBody = { .none }
            var limits = TransferRequest.Limits(httpVersion: .http1)
            var jar: CookieJar?

            func request(_ url: URL) throws -> TransferRequest {
                TransferRequest(
                    url: url, origin: try #require(Origin(url)), method: method, headers: headers, body: body(),
                    limits: limits, cookieJar: jar)
            }
        }

        private static func field(_ name: String, _ value: String) -> [HeaderFields.Field] {
            [HeaderFields.Field(name: name, value: value)]
        }

        private static func stream(declared byteCount: Int64? = nil) -> TransferBody {
            .stream(BodyFeed(declaredByteCount: byteCount) { InputStream(data: Data("streamed".utf8)) })
        }

        private static func kinds() async throws -> [Kind] {
            let jar = CookieJar()
            try await jar.set(Cookie(name: "name", value: "value", domain: "127.0.0.1"))
            let long = String(repeating: "v", count: 20_000)
            return [
                Kind(name: "GET"), Kind(name: "field", headers: field("X-Mark", "1")),
                Kind(name: "empty field", headers: field("Accept", "")), Kind(name: "HEAD", method: "HEAD"),
                Kind(name: "own Host", headers: field("Host", "other.example")),
                Kind(name: "long head", headers: field("X-Mark", long)),
                Kind(name: "OPTIONS", method: "OPTIONS"), Kind(name: "empty POST", method: "POST"),
                Kind(name: "POST", method: "POST", body: { .data(Data("body".utf8)) }),
                Kind(name: "POST with a type", method: "POST", headers: field("Content-Type", "text/plain")) {
                    .data(Data("body".utf8))
                },
                Kind(name: "PUT", method: "PUT", body: { .data(Data("longer body".utf8)) }),
                Kind(name: "GET with a body", body: { .data(Data("body".utf8)) }),
                Kind(name: "large POST", method: "POST", body: { .data(Data(count: 70_000)) }),
                Kind(name: "stream", method: "POST", body: { stream() }),
                Kind(name: "stream behind a long head", method: "PUT", headers: field("X-Mark", long)) { stream() },
                Kind(name: "declared stream", method: "POST", body: { stream(declared: 8) }),
                Kind(name: "expectation", method: "POST", headers: field("Expect", "100-continue")) {
                    .data(Data("body".utf8))
                },
                Kind(name: "jar", jar: jar), Kind(name: "jar and cookie", headers: field("Cookie", "own=1"), jar: jar),
                Kind(name: "cookie", headers: field("Cookie", "own=1")),
                Kind(name: "upgrade", limits: TransferRequest.Limits(httpVersion: .http2)),
                Kind(name: "large buffer", limits: TransferRequest.Limits(httpVersion: .http1, expectsLargeBody: true)),
            ]
        }

        /// The parts of a request that a server receives.
        private struct Sent: Equatable {
            let head: String
            let body: Data
            init(_ request: ReceivedRequest) { (head, body) = (request.headText, Data(request.body)) }
        }

        /// Sends requests in sequence on one handle.
        private func send(_ kinds: [Kind], to server: TestServer) async throws -> [Sent] {
            let before = server.requests.count
            let requests = try kinds.map { try $0.request(server.url()) }
            let partition = try await onNetworkThread {
                NetworkBound(
                    try #require(CurlPartition(loop: NetworkThread.shared.eventLoop, register: ConnectionRegister())))
            }
            for request in requests {
                let hasEnded = Gate()
                NetworkThread.shared.submit {
                    _ = partition.value.begin(request, delegate: EndTaker { _ in hasEnded.open() })
                }
                await hasEnded.wait()
            }
            try await onNetworkThread { partition.value.close() }
            return server.requests.dropFirst(before).map(Sent.init)
        }

        @Test func requestIsTheSameOnUsedAndNewHandles() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                let kinds = try await Self.kinds()
                var alone: [Sent] = []
                for kind in kinds {
                    let sent = try await send([kind], to: server)
                    try #require(sent.count == 1, "\(kind.name)")
                    alone += sent
                }
                #expect(Set(alone.map(\.head)).count > kinds.count / 2)
                for (first, expectedFirst) in zip(kinds, alone) {
                    for (second, expectedSecond) in zip(kinds, alone) {
                        let sent = try await send([first, second], to: server)
                        #expect(sent == [expectedFirst, expectedSecond], "\(first.name), \(second.name)")
                    }
                }
            }
        }
    }
}
