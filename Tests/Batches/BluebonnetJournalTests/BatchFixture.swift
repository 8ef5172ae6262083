// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetJournal
import BluebonnetLocks
import BluebonnetTestServer
import Foundation
import Testing

/// A journal that loses its disk at a record. Earlier records stay, as if the process died there.
final class DyingStore: ForwardingStore {
    let store: SQLiteJournal
    private let isLast: @Sendable (JournalRecord) -> Bool
    private let isDead = Mutex(false)

    init(_ store: SQLiteJournal, at isLast: @escaping @Sendable (JournalRecord) -> Bool) {
        (self.store, self.isLast) = (store, isLast)
    }

    /// Dies when the line with this id ends.
    convenience init(_ store: SQLiteJournal, atEndOf id: String) {
        self.init(store) { record in
            if case .ended = record.state { record.id == id } else { false }
        }
    }

    func record(_ records: [JournalRecord]) throws(JournalError) {
        let count = isDead.withLock { isDead in
            let count = isDead ? 0 : records.firstIndex(where: isLast) ?? records.count
            isDead = count < records.count
            return count
        }
        if count > 0 { try store.record(Array(records[..<count])) }
        if count < records.count { throw JournalError(.diskFull, "the disk is full") }
    }
}

/// A journal that waits for a gate before it writes records.
final class WaitingStore: ForwardingStore {
    let store: SQLiteJournal
    let gate = Gate()
    /// Whether a mark waits for the gate, or has passed it.
    let hasMark = Observed(false)

    init(_ store: SQLiteJournal) { self.store = store }

    func record(_ records: [JournalRecord]) throws(JournalError) {
        if records.contains(where: { $0.state == .mayHaveBeenSent }) { hasMark.update { $0 = true } }
        gate.waitBlocking()
        try store.record(records)
    }
}

/// A server and a journal, shared by the runs of one batch.
struct BatchFixture: Sendable {
    let server: TestServer
    let place: JournalFolder
    var settings = RequestLineRunner.Settings()

    static func with(
        _ script: @escaping TestServer.Script, _ body: (BatchFixture) async throws -> Void
    ) async throws {
        let place = try JournalFolder()
        defer { place.remove() }
        try await TestServer.serving(script: script) { server in
            var fixture = BatchFixture(server: server, place: place)
            fixture.settings.baseURL = server.url("/")
            try await body(fixture)
        }
    }

    func batch(
        _ lines: [RequestLine], in store: (any JournalStore)? = nil, options: DurableBatch.Options = .init()
    ) throws -> DurableBatch {
        try DurableBatch(of: lines, journal: store ?? place.journal, settings: settings, options: options)
    }

    /// Runs a batch to its end and returns its results by id.
    func results(
        _ lines: [RequestLine], in store: (any JournalStore)? = nil, options: DurableBatch.Options = .init()
    ) async throws -> [String: ResultLine] {
        let all = Observed<[ResultLine]>([])
        do {
            _ = try await batch(lines, in: store, options: options).run { all.append($0) }
        } catch let error as JournalError where error.code == .diskFull {}
        return Dictionary(uniqueKeysWithValues: all.value.map { ($0.id, $0) })
    }

    /// The requests to a path that arrived.
    func requests(to path: String) -> [ReceivedRequest] { server.requests.filter { $0.path == path } }

    static func post(_ id: String, after: [String] = []) -> RequestLine {
        var line = RequestLine(id: id, method: "POST", url: id, body: .text("x"))
        line.after = after
        return line
    }

    static func get(_ id: String, after: [String] = []) -> RequestLine {
        var line = RequestLine(id: id, url: id)
        line.after = after
        return line
    }
}
