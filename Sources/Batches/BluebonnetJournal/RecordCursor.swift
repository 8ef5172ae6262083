// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Reads the records of a journal in the order of their positions, a page at a time, to save memory.
struct RecordCursor {
    private static let pageCount = 512

    private let store: any JournalStore
    private var page: ArraySlice<JournalRecord> = []
    private var isAtEnd: Bool
    private var nextPosition = 0

    /// - Parameter isEmpty: whether there are no records to read.
    init(_ store: any JournalStore, isEmpty: Bool) { (self.store, isAtEnd) = (store, isEmpty) }

    /// Returns the next record; nil after the last record.
    mutating func next() throws(JournalError) -> JournalRecord? {
        if page.isEmpty, !isAtEnd {
            page = try store.records(from: nextPosition, limit: Self.pageCount)[...]
            isAtEnd = page.isEmpty
        }
        guard let record = page.popFirst() else { return nil }
        nextPosition = record.position + 1
        return record
    }

    /// Returns the record of a position; nil without a record. Each call must ask for a higher position than the
    /// previous call.
    mutating func record(at position: Int) throws(JournalError) -> JournalRecord? {
        while let first = page.first, first.position < position { page.removeFirst() }
        if page.isEmpty, !isAtEnd {
            page = try store.records(from: position, limit: Self.pageCount)[...]
            isAtEnd = page.isEmpty  // a page may be shorter than asked for
        }
        guard page.first?.position == position else { return nil }
        return page.removeFirst()
    }
}
