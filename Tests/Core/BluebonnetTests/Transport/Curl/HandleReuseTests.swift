// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Receives the metrics of one transfer. Network thread only.
final class EndTaker: TransferDelegate {
    private let ended: (TransferMetrics) -> Void

    init(ended: @escaping (TransferMetrics) -> Void) { self.ended = ended }

    func transferDidSend(bodyByteCount: Int) {}
    func transferDidStartAgain() {}
    func transferDidReceive(head: ResponseHead) {}
    func transferDidReceive(bytes: UnsafeRawBufferPointer, mustTake: Bool) -> BodyIntake { .taken }
    func transferDidEnd(error: NetworkingError?, metrics: TransferMetrics) { ended(metrics) }
}

extension NetworkTests {
    /// An easy handle is set up once for requests of the same kind. Nothing of one request may reach the next.
    @Suite struct HandleReuseTests {
        private struct Sent: Equatable {
            let method: String
            let target: String
            let mark: String?
            let agent: String?
            let body: String
        }

        private static func request(_ method: String, _ url: URL, mark: String? = nil, body: String? = nil)
            -> URLRequest
        {
            var request = URLRequest(method, url, body: body)
            if let mark { request.setValue(mark, forHTTPHeaderField: "X-Mark") }
            return request
        }

        @Test func requestIsUnaffectedByEarlierRequests() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                let rows: [(method: String, mark: String?, body: String?)] = [
                    ("GET", nil, nil), ("GET", "one", nil), ("GET", nil, nil), ("POST", "two", "payload"),
                    ("GET", nil, nil), ("HEAD", nil, nil), ("GET", "three", nil), ("GET", "three", nil),
                    ("DELETE", nil, nil), ("PUT", nil, "more"), ("GET", nil, nil),
                ]
                for (number, row) in rows.enumerated() {
                    let url = server.url("/\(number)")
                    let operation = await perform(Self.request(row.method, url, mark: row.mark, body: row.body))
                    #expect(operation.error == nil)
                    #expect(operation.responseString ?? "" == (row.method == "HEAD" ? "" : "answer"))
                }
                let sent = server.requests.map {
                    Sent(
                        method: $0.method, target: $0.target, mark: $0.headers["X-Mark"],
                        agent: $0.headers["User-Agent"], body: String(decoding: $0.body, as: UTF8.self))
                }
                let agent = DefaultHeaders.ofThisProcess["User-Agent"]
                #expect(
                    sent
                        == rows.enumerated().map { number, row in
                            Sent(
                                method: row.method, target: "/\(number)", mark: row.mark, agent: agent,
                                body: row.body ?? "")
                        })
                #expect(server.connectionCount == 1)
            }
        }

        @Test func bodyIsUnaffectedByEarlierRequests() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                let large = String(repeating: "large ", count: 20_000)
                let rows: [(method: String, type: String?, body: String?)] = [
                    ("POST", nil, "a"), ("POST", nil, "longer than it"), ("POST", nil, "b"),
                    ("POST", "text/plain", "b"),
                    ("POST", nil, "c"), ("POST", nil, nil), ("POST", nil, "d"), ("PUT", nil, "d"), ("POST", nil, large),
                    ("POST", nil, "e"), ("DELETE", nil, nil), ("DELETE", nil, "f"), ("GET", nil, nil),
                    ("POST", nil, nil),
                    ("GET", nil, "g"), ("GET", nil, nil), ("HEAD", nil, nil), ("POST", nil, "a\0b"),
                    ("PATCH", nil, large),
                ]
                for row in rows {
                    var request = Self.request(row.method, server.url(), body: row.body)
                    if let type = row.type { request.setValue(type, forHTTPHeaderField: "Content-Type") }
                    #expect(await perform(request).error == nil)
                }
                #expect(server.requests.map(\.method) == rows.map(\.method))
                #expect(server.requests.map(\.bodyText) == rows.map { $0.body ?? "" })
                #expect(server.requests.map { $0.headers["Content-Type"] } == rows.map(\.type))
                let methodsWithBody = ["POST", "PUT", "PATCH"]
                #expect(
                    server.requests.map { $0.headers.values(named: "Content-Length") }
                        == rows.map { row in
                            if row.body == nil && !methodsWithBody.contains(row.method) { return [] }
                            return ["\(row.body?.utf8.count ?? 0)"]
                        })
                #expect(server.requests.allSatisfy { $0.headers["Expect"] == nil })
                #expect(server.connectionCount == 1)
            }
        }

        /// libcurl gets a URL in the plainest form in parts, and any other URL unchanged. The order does not matter.
        @Test func targetIsUnaffectedByTheFormOfEarlierURLs() async throws {
            try await TestServer.answering(.response()) { server in
                let plain = "http://127.0.0.1:\(server.port)"
                let named = "http://LOCALHOST:\(server.port)"
                let options = TransferOptions { $0.keepsDotSegments = true }
                let rows = [
                    (plain, "/a"), (plain, "/a"), (plain, "/a/../b/./c?d=e?f"), (plain, "/%E2%82%ac/%aa?x=%C3&y=%c3"),
                    (named, "/a"), (plain, "/a"), (named, "/a"), (named, "/a?"), (plain, "/a?"), (plain, "//a//"),
                ]
                for (base, target) in rows {
                    let url = try #require(URL(string: base + target))
                    #expect(await get(url, options).error == nil)
                }
                #expect(server.requests.map(\.target) == rows.map(\.1))
                let hosts = ["127.0.0.1:\(server.port)", "localhost:\(server.port)"]
                #expect(
                    server.requests.map { $0.headers["Host"]?.lowercased() }
                        == rows.map { $0.0 == plain ? hosts[0] : hosts[1] })
            }
        }

        @Test func originIsUnaffectedByEarlierRequests() async throws {
            try await TestServer.answering(.response(body: "one")) { one in
                try await TestServer.answering(.response(body: "two")) { two in
                    let rows = [
                        (one, "/a?b=c"), (two, "/a?b=c"), (two, ""), (one, ""), (one, "/%41"), (two, "/b"),
                        (one, "/b?"),
                        (two, "/"),
                    ]
                    for (server, target) in rows {
                        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(target)"))
                        #expect(await get(url).responseString == (server === one ? "one" : "two"))
                    }
                    for server in [one, two] {
                        let targets = rows.filter { $0.0 === server }.map { $0.1.isEmpty ? "/" : $0.1 }
                        #expect(server.requests.map(\.target) == targets)
                        let host = "127.0.0.1:\(server.port)"
                        #expect(server.requests.allSatisfy { $0.headers["Host"] == host })
                    }
                }
            }
        }

        @Test func targetResentAfterDeadConnectionCanBeRequestedAgain() async throws {
            let script: TestServer.Script = {
                $0.connection == 1 && $0.numberOnConnection == 2 ? .close : .response(body: "answer")
            }
            try await TestServer.serving(script: script) { server in
                let targets = ["/first", "/again", "/again", "/other", "/again"]
                for target in targets { #expect(await get(server.url(target)).responseString == "answer") }
                #expect(server.requests.map(\.target) == ["/first", "/again"] + targets[1...])
            }
        }

        /// libcurl retries five times in the life of a handle that is not reset.
        @Test func handleResendsMoreThanFiveTimes() async throws {
            let script: TestServer.Script = { $0.numberOnConnection == 2 ? .close : .response(body: "answer") }
            try await TestServer.serving(script: script) { server in
                for number in 0..<20 {
                    let operation = await get(server.url("/\(number)"))
                    #expect(operation.responseString == "answer")
                }
                #expect(server.requests.count == 39)
                #expect(server.connectionCount == 20)
            }
        }

        /// Until libcurl has begun the next transfer, it reports the times of the previous transfer.
        @Test func transferThatNeverBeganHasNoMetrics() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                let request = try Self.plainRequest(server.url())
                let partition = try await onNetworkThread {
                    NetworkBound(
                        try #require(
                            CurlPartition(loop: NetworkThread.shared.eventLoop, register: ConnectionRegister())))
                }
                let first = await withCheckedContinuation { waiter in
                    NetworkThread.shared.submit {
                        _ = partition.value.begin(request, delegate: EndTaker { waiter.resume(returning: $0) })
                    }
                }
                #expect(first.connect > 0 && first.firstByte > 0)
                let second = try await onNetworkThread {
                    defer { partition.value.close() }
                    return partition.value.begin(request, delegate: EndTaker { _ in }).abort()
                }
                #expect(second == TransferMetrics())
                #expect(server.requests.count == 1)
            }
        }

        private static func plainRequest(_ url: URL) throws -> TransferRequest {
            TransferRequest(url: url, origin: try #require(Origin(url)), method: "GET", headers: [])
        }

        @Test func cancelledTransferDoesNotAffectTheNext() async throws {
            let script: TestServer.Script = { $0.target == "/slow" ? Reply([.stall]) : .response(body: "answer") }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url("/first")).responseString == "answer")
                let slow = RequestOperation(request: URLRequest(url: server.url("/slow")))
                slow.start()
                await server.waitForRequests(count: 2)
                slow.cancel()
                try await slow.waitUntilEnded()
                #expect(slow.error?.code == .cancelled)
                for number in 0..<3 {
                    #expect(await get(server.url("/\(number)")).responseString == "answer")
                }
            }
        }

        @Test func callerHostFieldAppliesOnlyToItsRequest() async throws {
            try await TestServer.answering(.response()) { server in
                var named = URLRequest(url: server.url("/named"))
                named.setValue("other.example", forHTTPHeaderField: "Host")
                await get(server.url("/plain"))
                await perform(named)
                await get(server.url("/plain"))
                let own = "127.0.0.1:\(server.port)"
                #expect(server.requests.map { $0.headers["Host"] } == [own, "other.example", own])
            }
        }

        @Test func moreTransfersThanOnePoolAreAllAnswered() async throws {
            let count = 300
            let script: TestServer.Script = { .response(body: $0.target) }
            try await TestServer.serving(script: script) { server in
                var configuration = RequestOperationManager.Configuration()
                configuration.maximumConcurrentTransferCount = count
                configuration.maximumConcurrentTransferCountPerOrigin = count
                let manager = RequestOperationManager(configuration: configuration)
                manager.responseSerializer = HTTPResponseSerializer()
                for _ in 0..<2 {
                    let operations = (0..<count).map { manager.operation(with: URLRequest(url: server.url("/\($0)"))) }
                    manager.operationQueue.addOperations(operations)
                    for operation in operations { try await operation.waitUntilEnded() }
                    #expect(operations.map { $0.responseString } == (0..<count).map { "/\($0)" })
                }
                await closeIdleConnections()
                await server.waitForConnectionsToClose()
            }
        }
    }
}
