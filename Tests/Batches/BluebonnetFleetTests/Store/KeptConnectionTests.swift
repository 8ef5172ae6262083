// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import RealServers
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Connections that are reused from one piece of work to the next.
    @Suite struct KeptConnectionTests {
        private static func process(_ kept: KeptConnection) async throws -> Int {
            try await kept.run { connection throws(FleetError) in
                try connection.query("SELECT pg_backend_pid() + $1", [.integer(0)]).integer(0, 0)
            }
        }

        @Test func connectionIsReusedUntilWorkFails() async throws {
            let kept = KeptConnection(try await StoreFixture().url)
            let first = try await Self.process(kept)
            #expect(try await Self.process(kept) == first)
            await #expect(throws: FleetError.self) {
                try await kept.run { connection throws(FleetError) in _ = try connection.query("SELECT nothing") }
            }
            #expect(try await Self.process(kept) != first)
        }

        @Test func waitingWorkDoesNotBlockOtherWork() async throws {
            let kept = KeptConnection(try await StoreFixture().url)
            let (isThere, mayEnd) = (Gate(), Gate())
            async let slow: Void = kept.run { connection throws(FleetError) in
                try connection.query("SELECT 1")
                isThere.open()
                mayEnd.waitBlocking()
            }
            await isThere.wait()
            _ = try await Self.process(kept)  // uses its own connection
            mayEnd.open()
            try await slow
        }
    }
}
