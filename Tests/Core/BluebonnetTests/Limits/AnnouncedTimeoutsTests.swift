// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct AnnouncedTimeoutsTests {
    private static let second: UInt64 = 1_000_000_000

    /// One second before the server closes the connection, or after half of a short time.
    @Test(arguments: [(0, 0), (1, 500), (2, 1_000), (3, 2_000), (60, 59_000)])
    func connectionIsUsedUntilShortlyBeforeItsEnd(seconds: Int, milliseconds: UInt64) {
        let end = 100 * Self.second + milliseconds * 1_000_000
        for (now, isLate) in [(end, true), (end + Self.second, true)]
            + (end > 100 * Self.second ? [(end - 1, false)] : [])
        {
            var timeouts = AnnouncedTimeouts()
            timeouts.set(5, seconds: seconds, now: 100 * Self.second)
            let isOtherLate = timeouts.consumeTimeout(of: 6, now: now)
            #expect(!isOtherLate)
            let isSeenLate = timeouts.consumeTimeout(of: 5, now: now)
            #expect(isSeenLate == isLate)
        }
    }

    @Test func requestRemovesTheAnnouncedTimeout() {
        var timeouts = AnnouncedTimeouts()
        timeouts.set(5, seconds: 1, now: 0)
        let isLate = timeouts.consumeTimeout(of: 5, now: 1)
        #expect(!isLate)
        #expect(timeouts.isEmpty)
    }

    @Test func closedSocketIsForgotten() {
        var timeouts = AnnouncedTimeouts()
        timeouts.set(5, seconds: 1, now: 0)
        timeouts.forget(5)
        #expect(timeouts.isEmpty)
    }
}

extension NetworkTests {
    @Suite struct KeptConnectionTimeoutTests {
        private func connections(afterField value: String?) async throws -> [Int] {
            let fields = value.map { WireFields([("Keep-Alive", $0)]) } ?? WireFields()
            let reply = Reply.response(headers: fields, body: "answer")
            return try await TestServer.answering(reply) { server in
                for _ in 1...2 { #expect(await perform(URLRequest("POST", server.url(), body: "a")).error == nil) }
                return server.requests.map(\.connection)
            }
        }

        @Test(arguments: ["timeout=0", "max=5, timeout=0", "TIMEOUT = 0"])
        func connectionPastItsAnnouncedEndIsNotUsed(value: String) async throws {
            #expect(try await connections(afterField: value) == [1, 2])
        }

        @Test(arguments: [
            nil, "timeout=60", "timeout=60, max=1", "max=0", "timeout=99999999999999999999", "timeout=-1",
        ])
        func connectionBeforeItsAnnouncedEndIsUsed(value: String?) async throws {
            #expect(try await connections(afterField: value) == [1, 1])
        }
    }
}
