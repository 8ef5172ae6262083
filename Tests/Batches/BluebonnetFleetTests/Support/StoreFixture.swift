// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import BluebonnetFleet

/// Tests that need PostgreSQL. They run one at a time, so that each has the machine to itself.
@Suite(.serialized, .enabled(if: PostgreSQLServer.isAvailable), .timeLimit(.minutes(2))) enum StoreTests {}

/// A separate database for one test, on a server that the tests share.
struct StoreFixture: Sendable {
    let server: PostgreSQLServer
    let database: String

    init(on server: PostgreSQLServer? = nil, encoding: String = "UTF8") async throws {
        if let server { self.server = server } else { self.server = try await .shared() }
        database = try await self.server.createDatabase(encoding: encoding)
    }

    var url: String { server.unixURL(database: database) }
    var fleet: Fleet { Fleet(store: url) }

    func connect() throws -> PostgreSQLConnection { try PostgreSQLConnection(url, name: "test") }

    /// A worker with its own connection.
    func worker(_ name: String = "worker") throws -> WorkerStore {
        try WorkerStore.register(connect(), name: name, slots: 4, lease: 30)
    }

    /// The rows that a statement returns, each as the texts of its columns.
    func rows(_ sql: String) async throws -> [[String]] { try await server.query(sql, database: database) }

    func number(_ sql: String) async throws -> Int { try #require(Int(try await rows(sql).first?.first ?? "")) }

    /// The outcomes of a batch, by id.
    func outcomes(_ name: String) async throws -> [String: String] {
        let rows = try await rows(
            """
            SELECT l.id, r.outcome FROM bluebonnet.results r JOIN bluebonnet.lines l USING (batch, position)
            JOIN bluebonnet.batches b ON b.number = r.batch WHERE b.name = '\(name)'
            """)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
    }

    /// The ids of the lines in a table, `ready` or `blocked`.
    func ids(in table: String) async throws -> Set<String> {
        let rows = try await rows(
            "SELECT l.id FROM bluebonnet.\(table) JOIN bluebonnet.lines l USING (batch, position)")
        return Set(rows.map { $0[0] })
    }

    /// Fails the test unless each line is in exactly one place and the tallies match the results.
    func expectOrder(at location: SourceLocation = #_sourceLocation) async throws {
        let places = try await number(
            """
            SELECT count(*) FROM bluebonnet.lines l WHERE 1 <> (
                SELECT count(*) FROM (
                    SELECT batch, position FROM bluebonnet.ready UNION ALL
                    SELECT batch, position FROM bluebonnet.blocked UNION ALL
                    SELECT batch, position FROM bluebonnet.results UNION ALL
                    SELECT batch, unnest(positions) FROM bluebonnet.claims
                ) p WHERE p.batch = l.batch AND p.position = l.position)
            """)
        #expect(places == 0, "lines are in no place or in several", sourceLocation: location)
        let tallies = try await number(
            """
            SELECT count(*) FROM (
                SELECT batch, outcome, sum(count) AS count FROM bluebonnet.tallies WHERE outcome <> 'added' GROUP BY 1, 2
                HAVING sum(count) <> 0
            ) t FULL JOIN (
                SELECT batch, outcome, count(*) AS count FROM bluebonnet.results GROUP BY 1, 2
            ) r USING (batch, outcome) WHERE t.count IS DISTINCT FROM r.count
            """)
        #expect(tallies == 0, "tallies are not what the results are", sourceLocation: location)
    }

    // MARK: Lines

    static func get(_ id: String, _ url: String = "http://a/", after: [String] = []) -> RequestLine {
        var line = RequestLine(id: id, url: url)
        line.after = after
        return line
    }

    static func post(_ id: String, _ url: String = "http://a/", after: [String] = []) -> RequestLine {
        var line = RequestLine(id: id, method: "POST", url: url, body: .text("x"))
        line.after = after
        return line
    }
}

extension WorkerStore {
    /// The batches whose lines could be claimed.
    func openBatches(known: [Int: OpenBatch]) throws -> [OpenBatch] { try unfinishedBatches(known: known).open }

    /// The only batch with waiting lines.
    func openBatch() throws -> OpenBatch { try #require(try openBatches(known: [:]).first) }

    /// Claims lines of a batch without a limit per lane.
    func claim(_ batch: OpenBatch, _ count: Int) throws -> [ClaimedLine] {
        try claim(batch, ClaimLimits(count: count, countPerLane: count, laneCounts: [:]), firstLane: 0)
    }

    /// Records lines with one outcome.
    func record(_ lines: [ClaimedLine], _ outcome: ResultLine.Outcome = .success, hasEdges: Bool = false) throws {
        try record(
            lines.map { Sample.ending($0, outcome) }, edgeBatches: hasEdges ? Set(lines.map(\.batch)) : [])
    }
}

/// Runs `work` on several threads at once and returns the result of each.
func onThreads<Value: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) throws -> Value
) async throws -> [Value] {
    let results = Observed<[Int: Result<Value, any Error>]>([:])
    for index in 0..<count {
        Thread.detachNewThread {
            let result = Result { try work(index) }
            results.update { $0[index] = result }
        }
    }
    await results.becomes(within: .seconds(90)) { $0.count == count }
    return try (0..<count).map { try #require(results.value[$0]).get() }
}
