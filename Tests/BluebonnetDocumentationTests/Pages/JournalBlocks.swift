// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetJournal
import BluebonnetTestServer
import Foundation
import Testing

// The page about durable batches, and the comments of their types.
extension PageTests {
    @Test func durableBatchBlocksRun() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await Site.serving { site in
            printed.update { $0 = [] }
            var settings = RequestLineRunner.Settings()
            settings.baseURL = site.server.url("/")
            let lines = [RequestLine(id: "a", url: "v1/users"), RequestLine(id: "b", url: "v1/users")]
            let journalPath = folder.path("batch.journal")
            for restoredCount in [0, 2] {
                // BLOCK DurableBatches.md
                // where journalPath is "batch.journal"
                let journal = SQLiteJournal(path: journalPath)
                let batch = try DurableBatch(of: lines, journal: journal, settings: settings)
                let outcome = try await batch.run { result in print(result.id, result.outcome.rawValue) }
                print(outcome.restoredCount, "of", outcome.totalCount, "had ended before")
                // END
                #expect(outcome.restoredCount == restoredCount)
                #expect(batch.progress?.finishedCount == 2)
            }
            #expect(printed.value.count == 6)
        }
    }

    @Test func commentOfDurableBatchRuns() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await Site.serving { site in
            let lines = [RequestLine(id: "a", url: site.server.url("/v1/users").absoluteString)]
            let journalPath = folder.path("batch.journal")
            // BLOCK DurableBatch.swift
            // where journalPath is "batch.journal"
            let batch = try DurableBatch(of: lines, journal: SQLiteJournal(path: journalPath))
            let outcome = try await batch.run { result in print(result.id, result.outcome) }
            // END
            #expect(outcome.totalCount == 1)
        }
    }
}
