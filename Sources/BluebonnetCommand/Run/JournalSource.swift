// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetJournal
import Foundation
import Glibc

/// The journal that the options name, to be opened for the lines of an input.
struct JournalSource {
    let path: String
    let options: OpenedJournal.Options
    private let digest: String

    /// Makes a source; nil for options that name no journal. The text of a file is read here, so that it need not be
    /// kept.
    init?(_ options: RunOptions.Journal, _ settings: RequestLineRunner.Settings, input: InputSource) {
        guard let path = options.journal else { return nil }
        self.path = path
        self.options = OpenedJournal.Options(isRestarted: options.restart, resendsUnsafe: options.resendUnsafe)
        switch input {
        case .file(let data): digest = BatchDigest.ofFile(data, settings)
        case .stream: digest = BatchDigest.ofStream(settings)
        }
    }

    /// Opens the journal.
    ///
    /// - Throws: that the journal is of another batch or in use, or why it cannot be opened.
    func open(_ input: RunInput) throws(CommandError) -> OpenedJournal {
        var lineCount: Int?
        if case .batch(let batch) = input { lineCount = batch.nodes.count }
        do throws(JournalError) {
            return try OpenedJournal(SQLiteJournal(path: path), digest: digest, lineCount: lineCount, options: options)
        } catch {
            throw CommandError(error)
        }
    }

    /// What the kernel knows of the journal's files, once it was opened: SQLite has its own two beside the journal.
    var statuses: [stat] {
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return [real, real + "-wal", real + "-shm"].compactMap { path in
            var status = stat()
            return stat(path, &status) == 0 ? status : nil
        }
    }
}
