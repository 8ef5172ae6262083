// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct EarlyEndTests {
    private static let start: UInt64 = 1_000_000_000

    private func isDue(_ end: inout EarlyEnd, _ now: UInt64, isComplete: Bool = true, sent: Int64 = 0) -> Bool {
        end.checkDue(now: now, isComplete: isComplete, sentByteCount: sent)
    }

    @Test func closedStreamEndsAtOnce() {
        var end = EarlyEnd()
        end.streamHasEnded()
        end.streamWasClosed()
        let isDue = isDue(&end, Self.start)
        #expect(isDue)
        #expect(end.isStreamClosed)
    }

    @Test func streamClosedBeforeItsEndIsNotComplete() {
        var end = EarlyEnd()
        end.streamWasClosed()
        #expect(end.nextLook == .max && !end.isStreamClosed)
        let isDue = isDue(&end, Self.start)
        #expect(!isDue)
    }

    @Test func undeliveredResponseDelaysTheEnd() {
        var end = EarlyEnd()
        end.streamHasEnded()
        end.streamWasClosed()
        let isEarly = isDue(&end, Self.start, isComplete: false)
        #expect(!isEarly)
        #expect(end.nextLook == Self.start + EarlyEnd.patience)
        end.lookSoon()
        let isDue = isDue(&end, Self.start + 1)
        #expect(isDue)
    }

    @Test func uploadProgressDelaysTheEnd() {
        var end = EarlyEnd()
        end.streamHasEnded()
        var now = Self.start
        for sent: Int64 in 0..<10 {
            let isDue = isDue(&end, now, sent: sent)
            #expect(!isDue)
            #expect(end.nextLook == now + EarlyEnd.patience)
            now = end.nextLook
        }
        let isEarly = isDue(&end, now - 1, sent: 9)
        #expect(!isEarly)
        let isDue = isDue(&end, now, sent: 9)
        #expect(isDue)
    }
}

extension NetworkTests {
    /// A server answers while its window blocks the rest of the body (RFC 9113, 8.1). These requests have no time
    /// limit: only the response ends them.
    @Suite(.enabled(if: HTTP2WireServer.isAvailable)) struct BlockedUploadTests {
        private typealias Frame = HTTP2WireServer.Frame

        private static let head = Frame.head([(":status", "200"), ("server", "early")])
        private static let answers: [(frames: [Frame], body: String)] = [
            ([head, .data("answer", ends: true)], "answer"),
            ([.head([(":status", "200"), ("content-length", "6")]), .data("answer", ends: true)], "answer"),
            ([.head([(":status", "200")], ends: true)], ""),
            ([head, .data("answer"), .head([("trailer", "1")], ends: true)], "answer"),
        ]

        private func upload(_ frames: [Frame], byteCount: Int) async throws -> RequestOperation {
            try await HTTP2WireServer.serving(opening: [.settings([(4, 1000)])]) { server in
                var options = try TransferOptions.trustingTestAuthority
                options.timeouts.idle = .zero
                let body = String(repeating: "x", count: byteCount)
                let operation = await perform(
                    URLRequest("POST", server.url(frames, isEarly: true), body: body), options)
                #expect(await get(server.url(path: "/next"), options).responseString == "ok")
                return operation
            }
        }

        @Test(arguments: answers.indices, [nil, 0, 8] as [UInt8?])
        func completeResponseEndsTheBlockedUpload(answer: Int, resetCode: UInt8?) async throws {
            let (frames, body) = Self.answers[answer]
            for byteCount in [2000, 3_000_000] {
                let operation = try await upload(frames + (resetCode.map { [.reset($0)] } ?? []), byteCount: byteCount)
                #expect(operation.error == nil, "\(operation.error?.message ?? "")")
                #expect(operation.statusCode == 200)
                #expect(operation.responseString == body)
            }
        }

        @Test func resetBeforeTheEndOfTheResponseIsAnError() async throws {
            let operation = try await upload([Self.head, .data("answer"), .reset(0)], byteCount: 2000)
            #expect(operation.code == .badServerResponse)
        }
    }
}
