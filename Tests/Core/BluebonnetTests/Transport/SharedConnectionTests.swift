// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Receives the body of one transfer. Network thread only.
private final class BodyTaker: TransferDelegate {
    private var body = Data()
    private let ended: (Result<String, NetworkingError>) -> Void

    init(ended: @escaping (Result<String, NetworkingError>) -> Void) { self.ended = ended }

    func transferDidSend(bodyByteCount: Int) {}
    func transferDidStartAgain() {}
    func transferDidReceive(head: ResponseHead) {}
    func transferDidReceive(bytes: UnsafeRawBufferPointer, mustTake: Bool) -> BodyIntake {
        body.append(contentsOf: bytes)
        return .taken
    }
    func transferDidEnd(error: NetworkingError?, metrics: TransferMetrics) {
        ended(error.map { .failure($0) } ?? .success(String(decoding: body, as: UTF8.self)))
    }
}

extension NetworkTests {
    /// Requests that begin together on one HTTP/2 connection.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct SharedConnectionTests {
        private static let count = 64

        private struct Fixture {
            let server: HTTP2Fixture
            let partition: NetworkBound<CurlPartition>
            let poolKey: PoolKeyBox

            func transfer(_ method: String, _ path: String, body: TransferBody) throws -> TransferRequest {
                let url = server.url(path)
                return TransferRequest(
                    url: url, origin: try #require(Origin(url)), method: method, headers: [], body: body,
                    poolKey: poolKey)
            }

            /// Begins all requests at once, and returns the received bodies in the requests' order.
            ///
            /// - Parameter written: called on the network thread after libcurl has written what it can, and before it
            ///   has read anything.
            func perform(
                _ requests: [TransferRequest], written: @escaping @Sendable (CurlPartition) throws -> Void = { _ in }
            ) async throws -> [String] {
                let (ends, ended) = AsyncStream.makeStream(of: (Int, Result<String, NetworkingError>).self)
                let partition = partition
                try await onNetworkThread {
                    for (number, request) in requests.enumerated() {
                        let taker = BodyTaker { ended.yield((number, $0)) }
                        _ = partition.value.begin(request, delegate: taker)
                    }
                    partition.value.deadlineHasPassed()
                    try written(partition.value)
                }
                var bodies = [String?](repeating: nil, count: requests.count)
                for await (number, result) in ends.prefix(requests.count) { bodies[number] = try result.get() }
                return try bodies.map { try #require($0) }
            }

            /// The kernel's information about the only connection.
            func information() async throws -> TCPInformation {
                let partition = partition
                return try await onNetworkThread { try SharedConnectionTests.information(of: partition.value) }
            }
        }

        private static func information(of partition: CurlPartition) throws -> TCPInformation {
            let sockets = Array(partition.connections.descriptors)
            try #require(sockets.count == 1)
            return try TCPInformation(of: sockets[0])
        }

        private static func with(
            script: @escaping TestServer.Script, _ body: (Fixture) async throws -> Void
        ) async throws {
            try await HTTP2Fixture.with(script: script) { server in
                let setup = try TLSSetup(TLSSetupSource(.default, server.options.securityPolicy))
                let poolKey = ConnectionPoolKey(securityPolicy: server.options.securityPolicy, setup: setup)
                let partition = try await onNetworkThread {
                    NetworkBound(
                        try #require(
                            CurlPartition(loop: NetworkThread.shared.eventLoop, register: ConnectionRegister())))
                }
                let fixture = Fixture(server: server, partition: partition, poolKey: PoolKeyBox(poolKey))
                let first = try await fixture.perform([fixture.transfer("GET", "/first", body: .none)])
                #expect(first.count == 1)
                try await body(fixture)
                try await onNetworkThread { partition.value.close() }
            }
        }

        @Test func requestsLeaveInFewSegmentsWithoutDelay() async throws {
            let script: TestServer.Script = { .response(body: $0.target) }
            try await Self.with(script: script) { fixture in
                for round in 0..<3 {
                    let before = try await fixture.information().sentSegmentCount
                    let paths = (0..<Self.count).map { "/\(round)/\($0)" }
                    let requests = try paths.map { try fixture.transfer("GET", $0, body: .none) }
                    let bodies = try await fixture.perform(requests) { partition in
                        let after = try Self.information(of: partition)
                        #expect((1..<Self.count / 4).contains(after.sentSegmentCount - before))
                        #expect(!after.isCorked)
                    }
                    #expect(bodies == paths)
                }
            }
        }

        @Test func requestBodiesArriveWhole() async throws {
            let script: TestServer.Script = { .response(body: "\($0.target) \($0.body.count)") }
            try await Self.with(script: script) { fixture in
                let sizes = (0..<Self.count).map { $0 % 4 == 3 ? 300_000 + $0 : $0 }
                let bodies = try await fixture.perform(
                    sizes.map { size in
                        try fixture.transfer("POST", "/\(size)", body: .data(Data.patterned(byteCount: size)))
                    })
                #expect(bodies == sizes.map { "/\($0) \($0)" })
                #expect(try await !fixture.information().isCorked)
            }
        }
    }
}
