// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Counts the bytes that all bodies together receive in each round of the event loop. Network thread only.
private final class RoundSum {
    private var round: UInt64 = 0
    private var byteCount = 0
    private(set) var largestByteCount = 0

    func add(_ count: Int) {
        let loop = NetworkThread.shared.eventLoop
        if round != loop.roundNumber { (round, byteCount) = (loop.roundNumber, 0) }
        byteCount += count
        largestByteCount = max(largestByteCount, byteCount)
    }
}

/// Receives one body. Network thread only.
private final class BodyTaker: TransferDelegate {
    private let sum: RoundSum
    private let ended: (NetworkingError?, Data) -> Void
    private var body = Data()

    init(_ sum: RoundSum, ended: @escaping (NetworkingError?, Data) -> Void) {
        self.sum = sum
        self.ended = ended
    }

    func transferDidSend(bodyByteCount: Int) {}
    func transferDidStartAgain() {}
    func transferDidReceive(head: ResponseHead) {}

    func transferDidReceive(bytes: UnsafeRawBufferPointer, mustTake: Bool) -> BodyIntake {
        sum.add(bytes.count)
        body.append(contentsOf: bytes)
        return .taken
    }

    func transferDidEnd(error: NetworkingError?, metrics: TransferMetrics) { ended(error, body) }
}

extension NetworkTests {
    /// A small response is pending while large bodies arrive as fast as they can.
    @Suite struct ReadQuotaTests {
        private static let large = Data.patterned(byteCount: 16 << 20)
        private static let largeCount = 3
        /// The bytes that a round reads of all large bodies together, plus the bytes that libcurl may have read at
        /// once when a share is used up: 64 KiB. Over TLS these bytes come in records that cannot be distinguished.
        private static let limit = (256 << 10) + 2 * largeCount * (64 << 10)

        struct Kind: Sendable, CustomTestStringConvertible {
            var isSecure = false
            var isChunked = false
            var expectsLargeBody = false

            var testDescription: String {
                "secure: \(isSecure), chunked: \(isChunked), large buffer: \(expectsLargeBody)"
            }
        }

        @Test(arguments: [
            Kind(), Kind(expectsLargeBody: true), Kind(isChunked: true, expectsLargeBody: true), Kind(isSecure: true),
            Kind(isSecure: true, expectsLargeBody: true),
        ])
        func roundReadsLargeBodiesWithinTheirShares(kind: Kind) async throws {
            let gate = Gate()
            let body: Reply = kind.isChunked ? .chunked(chunks: [Self.large]) : .response(body: Self.large)
            let sum = NetworkBound(RoundSum())
            let poolKey = try Self.poolKey(kind)
            try await Self.serving(body, beside: gate, isSecure: kind.isSecure) { server in
                async let small = Self.transfer(server.url("/small"), kind, poolKey, sum)
                await server.waitForRequests(count: 1)
                let ends = await withTaskGroup(of: End.self) { group in
                    for _ in 0..<Self.largeCount {
                        group.addTask { await Self.transfer(server.url("/large"), kind, poolKey, sum) }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                let largest = try await onNetworkThread { sum.value.largestByteCount }
                gate.open()
                #expect(await small.error == nil)
                #expect(ends.allSatisfy { $0.error == nil && $0.body == Self.large })
                #expect(largest <= Self.limit)
                #expect(try await onNetworkThread { NetworkThread.shared.eventLoop.smallResponseCount } == 0)
            }
        }

        @Test func largestBufferIsForTransfersThatBeginAlone() async throws {
            let url = try #require(URL(string: "http://127.0.0.1:9/"))
            let sizes = try await onNetworkThread {
                let partition = try #require(
                    CurlPartition(loop: NetworkThread.shared.eventLoop, register: ConnectionRegister()))
                let taker = BodyTaker(RoundSum()) { _, _ in }
                let transfers = [true, true, false].map {
                    partition.begin(Self.request(url, .plain, expectsLargeBody: $0), delegate: taker)
                }
                for transfer in transfers { _ = transfer.abort() }
                partition.close()
                return transfers.map(\.readQuota.bufferByteCount)
            }
            #expect(sizes == [256 << 10, 64 << 10, 16 << 10])
        }

        @Test func reusedHandleGetsANewReadQuota() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                let url = server.url("/")
                let partition = try await onNetworkThread {
                    NetworkBound(
                        try #require(
                            CurlPartition(loop: NetworkThread.shared.eventLoop, register: ConnectionRegister())))
                }
                let sum = try await onNetworkThread { NetworkBound(RoundSum()) }
                let hasEnded = Gate()
                NetworkThread.shared.submit {
                    let taker = BodyTaker(sum.value) { _, _ in hasEnded.open() }
                    _ = partition.value.begin(Self.request(url, .plain, expectsLargeBody: true), delegate: taker)
                }
                await hasEnded.wait()
                let sizes = try await onNetworkThread {
                    let taker = BodyTaker(sum.value) { _, _ in }
                    let transfers = (0..<2).map { _ in
                        partition.value.begin(Self.request(url, .plain, expectsLargeBody: true), delegate: taker)
                    }
                    for transfer in transfers { _ = transfer.abort() }
                    partition.value.close()
                    return transfers.map(\.readQuota.bufferByteCount)
                }
                #expect(sizes == [256 << 10, 64 << 10])
            }
        }

        /// Starts a server with the large body, and with a small response that waits for the gate.
        private static func serving(
            _ body: Reply, beside gate: Gate, isSecure: Bool, _ run: (TestServer) async throws -> Void
        ) async throws {
            var options = TestServer.Options()
            options.certificate = isSecure ? .localhost : nil
            let script: TestServer.Script = { request in
                guard request.path == "/small" else { return body }
                return Reply([.wait(until: gate)] + Reply.response(body: "small").steps)
            }
            try await TestServer.serving(options, script: script, run)
        }

        /// A pause of a POST pauses its connection, in every state of its transfer.
        @Test(arguments: [false, true]) func repeatedPausesDoNotChangeTheBody(isSecure: Bool)
            async throws
        {
            let gate = Gate()
            let options = try TransferOptions.trustingTestAuthority
            try await Self.serving(.response(body: Self.large), beside: gate, isSecure: isSecure) { server in
                async let small = get(server.url("/small"), options)
                await server.waitForRequests(count: 1)
                let operations = (0..<4).map { _ in
                    RequestOperation(request: URLRequest("POST", server.url("/large"), body: "body"), options: options)
                }
                await withTaskGroup(of: Void.self) { group in
                    for operation in operations { group.addTask { await Self.runWithPauses(operation) } }
                }
                gate.open()
                #expect(await small.error == nil)
                #expect(operations.map { $0.error?.message } == operations.map { _ in nil })
                #expect(operations.allSatisfy { $0.responseData == Self.large })
                #expect(server.requests.count == 1 + operations.count)
            }
        }

        private static func runWithPauses(_ operation: RequestOperation) async {
            operation.start()
            for _ in 0..<50 {
                operation.pause()
                await networkThreadAnswers()
                operation.resume()
                await networkThreadAnswers()
            }
            await operation.waitAsOwner()
        }

        private struct End: Sendable {
            let error: NetworkingError?
            let body: Data
        }

        private static func poolKey(_ kind: Kind) throws -> PoolKeyBox {
            guard kind.isSecure else { return .plain }
            let policy = try TransferOptions.trustingTestAuthority.securityPolicy
            let setup = try TLSSetup(TLSSetupSource(.default, policy))
            return PoolKeyBox(ConnectionPoolKey(securityPolicy: policy, setup: setup))
        }

        private static func transfer(
            _ url: URL, _ kind: Kind, _ poolKey: PoolKeyBox, _ sum: NetworkBound<RoundSum>
        ) async -> End {
            await withCheckedContinuation { waiter in
                NetworkThread.shared.submit {
                    let request = Self.request(url, poolKey, expectsLargeBody: kind.expectsLargeBody)
                    let taker = BodyTaker(sum.value) { waiter.resume(returning: End(error: $0, body: $1)) }
                    _ = NetworkServices.default.transport.begin(request, delegate: taker)
                }
            }
        }

        private static func request(_ url: URL, _ poolKey: PoolKeyBox, expectsLargeBody: Bool) -> TransferRequest {
            guard let origin = Origin(url) else { preconditionFailure("\(url) has no origin") }
            let limits = TransferRequest.Limits(httpVersion: .http1, expectsLargeBody: expectsLargeBody)
            return TransferRequest(
                url: url, origin: origin, method: "GET", headers: [], poolKey: poolKey, limits: limits)
        }
    }
}
