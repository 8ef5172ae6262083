// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetFleet
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

// The page about fleets in production.
extension PageTests {
    @Test(.enabled(if: PostgreSQLServer.isAvailable)) func monitoringReportsUnfinishedBatches() async throws {
        let server = try await PostgreSQLServer.shared()
        let storeURL = server.unixURL(database: try await server.createDatabase())
        try await Fleet(store: storeURL).submit([RequestLine(id: "a", url: "http://h/")], named: "nightly")
        try await Fleet(store: storeURL).submit([RequestLine(id: "a", url: "http://h/")], named: "ended")
        try await Fleet(store: storeURL).cancel("ended")
        printed.update { $0 = [] }
        // BLOCK FleetInProduction.md
        // where storeURL is "postgresql://viewer@db.example.com/fleet"
        let fleet = Fleet(store: storeURL)
        for worker in try await fleet.members() where worker.secondsSilent > 60 {
            print("the worker", worker.name, "is silent")
        }
        for batch in try await fleet.batches() where !batch.isComplete {
            print(batch.name, batch.endedCount, "of", batch.lineCount)
        }
        // END
        #expect(printed.value == ["nightly 0 of 1"])
    }
}
