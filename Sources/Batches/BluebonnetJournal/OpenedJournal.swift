// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A journal that is open for a run of its batch.
package struct OpenedJournal: Sendable {
    /// How the run uses existing records.
    package struct Options: Sendable {
        /// Whether existing records are discarded, and the batch begins anew.
        package var isRestarted = false
        /// Whether unsafe lines that may have been sent are sent again.
        package var resendsUnsafe = false
        /// Whether lines that failed or were cancelled run again.
        package var retriesFailed = false

        package init(isRestarted: Bool = false, resendsUnsafe: Bool = false, retriesFailed: Bool = false) {
            self.isRestarted = isRestarted
            self.resendsUnsafe = resendsUnsafe
            self.retriesFailed = retriesFailed
        }
    }

    let store: any JournalStore
    let batch: JournalBatch
    let options: Options
    /// Whether the journal has any records, of lines or of their pages and elements.
    let hasRecords: Bool

    /// Opens a journal.
    ///
    /// - Parameters:
    ///   - digest: the digest of the batch.
    ///   - lineCount: the number of lines; nil if the lines arrive later.
    package init(
        _ store: any JournalStore, digest: String, lineCount: Int?, options: Options
    ) throws(JournalError) {
        batch = try store.open(JournalBatch(digest: digest, lineCount: lineCount), isRestarted: options.isRestarted)
        (self.store, self.options) = (store, options)
        do throws(JournalError) {
            hasRecords = try store.hasRecords()
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Closes the journal without a run.
    package func close() { try? store.close() }
}
