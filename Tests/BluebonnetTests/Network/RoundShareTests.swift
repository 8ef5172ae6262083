// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import TestServer
import Testing

@testable import Bluebonnet

/// Notes how much arrives in each round of the event loop. Network thread only.
private final class RoundWitness: TransferDelegate {
    private let loop: EventLoop
    private let ended: (NetworkingError?, RoundWitness) -> Void
    private var round: UInt64 = 0
    private var roundByteCount = 0
    private(set) var largestRoundByteCount = 0
    private(set) var body = Data()

    init(_ loop: EventLoop, ended: @escaping (NetworkingError?, RoundWitness) -> Void) {
        self.loop = loop
        self.ended = ended
    }

    func transferDidSend(bodyByteCount: Int) {}
    func transferDidStartAgain() {}
    func transferDidReceive(head: ResponseHead) {}

    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> BodyIntake {
        if round != loop.roundNumber {
            round = loop.roundNumber
            roundByteCount = 0
        }
        roundByteCount += bytes.count
        largestRoundByteCount = max(largestRoundByteCount, roundByteCount)
        body.append(contentsOf: bytes)
        return .taken
    }

    func transferDidEnd(error: NetworkingError?, metrics: TransferMetrics) { ended(error, self) }
}

extension NetworkTests {
    /// A small answer is waited for while large bodies come in as fast as they can.
    @Suite struct RoundShareTests {
        private static let large = Data.patterned(byteCount: 32 << 20)

        @Test(arguments: [false, true]) func noRoundReadsMoreOfALargeBodyThanItsShare(expectsLargeBody: Bool)
            async throws
        {
            let gate = Gate()
            let script: TestServer.Script = { request in
                guard request.path == "/small" else { return .response(body: Self.large) }
                return Reply([.wait(until: gate)] + Reply.response(body: "small").steps)
            }
            try await TestServer.serving(script: script) { server in
                async let small = Self.transfer(server.url("/small"), false)
                await server.waitForRequests(count: 1)
                let ends = await withTaskGroup(of: End.self) { group in
                    for _ in 0..<3 { group.addTask { await Self.transfer(server.url("/large"), expectsLargeBody) } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                gate.open()
                #expect(await small.error == nil)
                for end in ends {
                    #expect(end.error == nil)
                    #expect(end.body == Self.large)
                    // What all of them get together, and what libcurl reads at once.
                    #expect(end.largestRoundByteCount <= 320 << 10)
                }
            }
        }

        private struct End: Sendable {
            let error: NetworkingError?
            let body: Data
            let largestRoundByteCount: Int
        }

        private static func transfer(_ url: URL, _ expectsLargeBody: Bool) async -> End {
            await withCheckedContinuation { waiter in
                NetworkThread.shared.perform { _ in
                    guard let origin = Origin(url) else { preconditionFailure("\(url) has no origin") }
                    var request = TransferRequest(url: url, origin: origin, method: "GET", headers: [])
                    request.expectsLargeBody = expectsLargeBody
                    let delegate = RoundWitness(NetworkThread.shared.eventLoop) { error, witness in
                        waiter.resume(
                            returning: End(
                                error: error, body: witness.body,
                                largestRoundByteCount: witness.largestRoundByteCount))
                    }
                    _ = NetworkServices.default.transport.begin(request, delegate: delegate)
                }
            }
        }
    }
}
