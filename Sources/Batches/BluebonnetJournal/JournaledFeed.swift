// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import BluebonnetBatch
internal import BluebonnetHTTP

/// Adds the lines of a stream to a run, in their order, with their records from the journal. Confined to one thread.
package struct JournaledFeed {
    private let run: JournaledRun
    private let journal: OpenedJournal
    private var cursor: RecordCursor
    private var position = 0

    init(run: JournaledRun, journal: OpenedJournal) {
        (self.run, self.journal) = (run, journal)
        cursor = RecordCursor(journal.store, isEmpty: !journal.hasRecords)
    }

    /// Adds a line.
    ///
    /// - Throws: `anotherBatch` if the journal has another line at this position.
    package mutating func add(_ added: StreamedLines.Added) throws(JournalError) {
        defer { position += 1 }
        let line = added.node.line.line
        let fingerprint = BatchDigest.fingerprint(of: line)
        let record = record()
        if let record, record.id != added.node.line.id || record.fingerprint != fingerprint {
            throw anotherLine(added.node)
        }
        if record == nil, !line.isSafe, isKnown(fingerprint) { throw anotherLine(added.node) }
        run.add(added, position, fingerprint, record)
    }

    /// Returns the record of this position. A journal that cannot be read ends the run, and the line is cancelled with
    /// the run.
    private mutating func record() -> JournalRecord? {
        do throws(JournalError) {
            return try cursor.record(at: position)
        } catch {
            run.fail(error)
            cursor = RecordCursor(journal.store, isEmpty: true)
            return nil
        }
    }

    /// Whether the journal has the line at a later position. If it has, the lines of the stream have changed their
    /// order, and the line may have been sent at that position.
    private func isKnown(_ fingerprint: String) -> Bool {
        guard journal.hasRecords else { return false }
        do throws(JournalError) {
            return try journal.store.hasRecord(of: fingerprint, after: position)
        } catch {
            run.fail(error)
            return false
        }
    }

    private func anotherLine(_ node: RequestLineGraph.Node) -> JournalError {
        JournalError(
            .anotherBatch, "the journal is of another batch: its line \(node.line.number) is different")
    }
}

@available(*, unavailable)
extension JournaledFeed: Sendable {}
