// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import BluebonnetBatch

/// Keeps the records of one batch, so that they outlive the process and, as far as the disk tells the truth, the
/// machine's power.
///
/// `SQLiteJournal` keeps them in a file. A store has one run at a time. Its calls may block, and may come from several
/// threads: records are read while others are written.
public protocol JournalStore: Sendable {
    /// The paths of the files that the journal consists of: no line of its batch may write them. Default none.
    var paths: [String] { get }

    /// Opens the journal for a batch, and begins it when there is none.
    ///
    /// - Parameters:
    ///   - batch: the batch. A journal that is there must be of the same digest.
    ///   - isRestarted: whether what is known of the batch, or of another one, is thrown away.
    /// - Returns: the batch as the journal has it: its seed and its time are those of its beginning.
    /// - Throws: `anotherBatch`, `inUse`, or why the journal cannot be opened. The journal is unchanged then.
    func open(_ batch: JournalBatch, isRestarted: Bool) throws(JournalError) -> JournalBatch

    /// Reads records in the order of their positions: none only when there are none from the first position on. A store
    /// may give fewer than the limit, so that large result lines do not fill the memory.
    ///
    /// - Parameters:
    ///   - position: the first position.
    ///   - limit: the most records.
    func records(from position: Int, limit: Int) throws(JournalError) -> [JournalRecord]

    /// Whether a record after a position has the fingerprint.
    func hasRecord(of fingerprint: String, after position: Int) throws(JournalError) -> Bool

    /// Whether a record has the outcome `failure`.
    func hasFailure() throws(JournalError) -> Bool

    /// Takes records in, all or none: each replaces the one of its position. They are durable when this returns.
    func record(_ records: [JournalRecord]) throws(JournalError)

    /// Lets go of the journal, which another run may open then. To be called once, also after an error.
    func close() throws(JournalError)
}

extension JournalStore {
    public var paths: [String] { [] }

    /// Files that no line may write.
    package var reservedPaths: [ReservedPath] { paths.map { ReservedPath($0, "the journal is in this file") } }
}
