// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetJournal

/// A test store that does something before, or instead of, writing records. It forwards all other calls to another
/// store.
protocol ForwardingStore: JournalStore {
    var store: SQLiteJournal { get }
}

extension ForwardingStore {
    func open(_ batch: JournalBatch, isRestarted: Bool) throws(JournalError) -> JournalBatch {
        try store.open(batch, isRestarted: isRestarted)
    }

    func records(from position: Int, limit: Int) throws(JournalError) -> [JournalRecord] {
        try store.records(from: position, limit: limit)
    }

    func hasRecord(of fingerprint: String, after position: Int) throws(JournalError) -> Bool {
        try store.hasRecord(of: fingerprint, after: position)
    }

    func partRecord(of id: String) throws(JournalError) -> JournalRecord? { try store.partRecord(of: id) }

    func hasRecords() throws(JournalError) -> Bool { try store.hasRecords() }

    func hasFailure() throws(JournalError) -> Bool { try store.hasFailure() }

    func close() throws(JournalError) { try store.close() }
}
