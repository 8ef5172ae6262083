// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import BluebonnetLocks
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetJournal

/// An in-memory store that waits for a gate and fails on request.
final class ScriptedStore: JournalStore {
    private struct State {
        var groups: [[JournalRecord]] = []
        var failure: JournalError?
        var isClosed = false
    }

    private let state = Mutex(State())
    /// `record` waits for this gate before it begins.
    let gate = Gate()
    static let full = JournalError(.diskFull, "the disk is full")

    var groups: [[JournalRecord]] { state.withLock { $0.groups } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func fail() { state.withLock { $0.failure = Self.full } }

    func open(_ batch: JournalBatch, isRestarted: Bool) throws(JournalError) -> JournalBatch { batch }

    func records(from position: Int, limit: Int) throws(JournalError) -> [JournalRecord] { [] }

    func hasRecord(of fingerprint: String, after position: Int) throws(JournalError) -> Bool { false }

    func partRecord(of id: String) throws(JournalError) -> JournalRecord? { nil }

    func hasRecords() throws(JournalError) -> Bool { false }

    func hasFailure() throws(JournalError) -> Bool { false }

    func record(_ records: [JournalRecord]) throws(JournalError) {
        gate.waitBlocking()
        let failure = state.withLock { state in
            if state.failure == nil { state.groups.append(records) }
            return state.failure
        }
        if let failure { throw failure }
    }

    func close() throws(JournalError) { state.withLock { $0.isClosed = true } }
}

@Suite(.timeLimit(.minutes(1))) struct JournalWriterTests {
    private static func entry(_ position: Int, _ told: Observed<[String]>) -> JournalWriter.Entry {
        let record = JournalFolder.record(position)
        return JournalWriter.Entry(record: record, file: nil, byteCount: 10) { isDurable in
            told.append("\(position) \(isDurable)")
        }
    }

    @Test func entriesDuringAWriteFormTheNextGroup() async throws {
        let (store, told) = (ScriptedStore(), Observed<[String]>([]))
        let writer = JournalWriter(store)
        writer.append(Self.entry(0, told), isUrgent: true)
        // The first round may include some of the others. None is lost, and the order stays.
        for position in 1..<100 { writer.append(Self.entry(position, told), isUrgent: position % 2 == 0) }
        #expect(told.value.isEmpty)
        store.gate.open()
        try writer.finish()
        #expect(told.value == (0..<100).map { "\($0) true" })
        #expect(store.groups.flatMap(\.self).map(\.position) == Array(0..<100))
        #expect(store.groups.count <= 4)
        #expect(store.isClosed)
    }

    @Test func earlierRoundIsNotDueAfterItsEntriesAreTaken() {
        var rounds = WriterRounds()
        let first = [false, false, true, true].map { rounds.add(isUrgent: $0) }
        #expect(first == [.later(number: 0), .none, .now, .none])
        rounds.recordRound()
        let second = rounds.add(isUrgent: false)
        #expect(second == .later(number: 1) && !rounds.isDue(0) && rounds.isDue(1))
        rounds.recordRound()
        let third = rounds.add(isUrgent: false)
        #expect(third == .later(number: 2) && !rounds.isDue(1))
    }

    @Test func nonUrgentRecordIsWritten() async throws {
        let (store, told) = (ScriptedStore(), Observed<[String]>([]))
        store.gate.open()
        let writer = JournalWriter(store)
        writer.append(Self.entry(7, told), isUrgent: false)
        await told.becomes(["7 true"])
        #expect(store.groups == [[JournalFolder.record(7)]])
        try writer.finish()
    }

    @Test func failureIsReportedOnceAndStopsWriting() async throws {
        let (store, told) = (ScriptedStore(), Observed<[String]>([]))
        store.gate.open()
        let writer = JournalWriter(store)
        writer.setFailureHandler { told.append($0.code.rawValue) }
        writer.append(Self.entry(0, told), isUrgent: true)
        await told.becomes(["0 true"])
        store.fail()
        writer.append(Self.entry(1, told), isUrgent: true)
        await told.becomes(["0 true", "diskFull", "1 false"])
        writer.append(Self.entry(2, told), isUrgent: true)
        let error = #expect(throws: JournalError.self) { try writer.finish() }
        #expect(error == ScriptedStore.full)
        #expect(told.value == ["0 true", "diskFull", "1 false", "2 false"])
        #expect(store.groups.count == 1)
        #expect(store.isClosed)
    }

    @Test func entryWithoutARecordKeepsItsPlaceInTheOrder() async throws {
        let (store, told) = (ScriptedStore(), Observed<[String]>([]))
        store.gate.open()
        let writer = JournalWriter(store)
        writer.append(Self.entry(0, told), isUrgent: false)
        writer.append(.init(record: nil, file: nil, byteCount: 0) { _ in told.append("between") }, isUrgent: false)
        writer.append(Self.entry(1, told), isUrgent: false)
        try writer.finish()
        #expect(told.value == ["0 true", "between", "1 true"])
    }

    @Test func blockedDeliveryDoesNotDelayMarks() async throws {
        let (store, told, reader) = (ScriptedStore(), Observed<[String]>([]), Gate())
        store.gate.open()
        let writer = JournalWriter(store)
        let slow = JournalWriter.Entry(record: JournalFolder.record(0), file: nil, byteCount: 1) { _ in
            reader.waitBlocking()
            told.append("delivered")
        }
        writer.append(slow, isUrgent: true)
        let mark = JournalWriter.Entry(record: JournalFolder.record(1), file: nil, byteCount: 0, isMark: true) { _ in
            told.append("marked")
        }
        writer.append(mark, isUrgent: true)
        await told.becomes(["marked"])
        reader.open()
        try writer.finish()
        #expect(told.value == ["marked", "delivered"])
    }

    @Test func missingOutputFolderIsIgnoredAndUnopenableOneFails() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let loop = place.folder.path("loop")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        try Data().write(to: URL(fileURLWithPath: place.path))
        let outputs = OutputSync()
        try outputs.sync([
            .folder(place.folder.path("gone/")), .folder(place.path + "/"), .folder(place.folder.url.path),
        ])
        let error = #expect(throws: JournalError.self) { try outputs.sync([.folder(loop + "/")]) }
        #expect(error?.code == .unavailable)
    }

    @Test func pageOfLargeRecordsIsShortAndCursorReadsAll() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        let body = Data(count: 3 << 20)
        try journal.record((0..<4).map { JournalFolder.record($0, JournalFolder.ended(.success, body: body)) })
        #expect(try journal.records(from: 0, limit: 10).map(\.position) == [0, 1])
        var cursor = RecordCursor(journal, isEmpty: false)
        for position in 0..<4 { #expect(try cursor.record(at: position)?.position == position) }
        #expect(try cursor.record(at: 4) == nil)
        try journal.close()
    }

    @Test func cursorReadsRequestedRecordsAndSkipsOthers() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        let positions = (0..<3_000).filter { $0 % 3 != 1 }
        try journal.record(positions.map { JournalFolder.record($0) })
        var cursor = RecordCursor(journal, isEmpty: false)
        for position in stride(from: 0, to: 3_100, by: 2) {
            let expected = position < 3_000 && position % 3 != 1 ? position : nil
            #expect(try cursor.record(at: position)?.position == expected)
        }
        var empty = RecordCursor(journal, isEmpty: true)
        #expect(try empty.record(at: 0) == nil)
        try journal.close()
    }
}
