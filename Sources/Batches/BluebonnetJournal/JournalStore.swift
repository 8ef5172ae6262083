// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import BluebonnetBatch

/// Stores the records of one batch, so that they survive the process and, if the disk reports its writes correctly, a
/// power failure.
///
/// `SQLiteJournal` stores them in a file. A store serves one run at a time. Its calls may block, and may come from
/// several threads: records are read while others are written.
public protocol JournalStore: Sendable {
    /// The paths of the journal's files. No line of its batch may write to these files. Default none.
    var paths: [String] { get }

    /// Opens the journal for a batch, and begins a new journal if there is no journal.
    ///
    /// - Parameters:
    ///   - batch: the batch. An existing journal must have the same digest.
    ///   - isRestarted: whether existing records, of this batch or of another batch, are discarded.
    /// - Returns: the batch as the journal has it, with the seed and the time of the journal's beginning.
    /// - Throws: `anotherBatch`, `inUse`, or why the journal cannot be opened. The journal is unchanged then.
    func open(_ batch: JournalBatch, isRestarted: Bool) throws(JournalError) -> JournalBatch

    /// Reads the record of a page or an element; nil without a record.
    ///
    /// - Parameter id: the id of the page or the element.
    func partRecord(of id: String) throws(JournalError) -> JournalRecord?

    /// Reads the records of lines, not of their pages and elements, in the order of their positions. The result is
    /// empty only if there are no records from the first position on. A store may return fewer records than the limit,
    /// so that large result lines do not fill the memory.
    ///
    /// - Parameters:
    ///   - position: the first position.
    ///   - limit: the maximum number of records.
    func records(from position: Int, limit: Int) throws(JournalError) -> [JournalRecord]

    /// Whether there is any record, of a line, a page or an element.
    func hasRecords() throws(JournalError) -> Bool

    /// Whether a record after a position has the fingerprint.
    func hasRecord(of fingerprint: String, after position: Int) throws(JournalError) -> Bool

    /// Whether a record has the outcome `failure`.
    func hasFailure() throws(JournalError) -> Bool

    /// Stores records, all or none. Each record replaces the record at its position; the record of a page or an element
    /// (`isPart`) replaces the one with its id. The records are durable when the
    /// call returns.
    func record(_ records: [JournalRecord]) throws(JournalError)

    /// Closes the journal, so that another run may open it. To be called once, also after an error.
    func close() throws(JournalError)
}

extension JournalStore {
    public var paths: [String] { [] }

    /// The files to which no line may write.
    package var reservedPaths: [ReservedPath] { paths.map { ReservedPath($0, "the journal is in this file") } }
}
