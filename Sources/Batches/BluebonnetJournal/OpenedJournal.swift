// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A journal that was opened for a run of its batch.
package struct OpenedJournal: Sendable {
    /// How the run takes what is there.
    package struct Options: Sendable {
        /// Whether what is known is thrown away, and the batch begins anew.
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
    /// Whether anything is known of the batch.
    let hasRecords: Bool

    /// Opens a journal.
    ///
    /// - Parameters:
    ///   - digest: that of the batch.
    ///   - lineCount: nil when the lines come later.
    package init(
        _ store: any JournalStore, digest: String, lineCount: Int?, options: Options
    ) throws(JournalError) {
        batch = try store.open(JournalBatch(digest: digest, lineCount: lineCount), isRestarted: options.isRestarted)
        (self.store, self.options) = (store, options)
        do throws(JournalError) {
            hasRecords = try !store.records(from: 0, limit: 1).isEmpty
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Lets go of the journal without a run.
    package func close() { try? store.close() }
}
