// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetJournal
import Foundation
import Glibc

/// The journal that the options name. It is opened once the lines of the input are known.
struct JournalSource {
    let path: String
    let options: OpenedJournal.Options
    private let store: SQLiteJournal
    /// The digest that identifies the batch: of a file, to which its bytes are added, or of a stream.
    private let digest: Digest

    private enum Digest {
        case file(MessageDigest)
        case stream(String)
    }

    /// Makes a source; nil if the options name no journal.
    init?(_ options: RunOptions.Journal, _ settings: RequestLineRunner.Settings, input: InputSource) {
        guard let path = options.journal else { return nil }
        self.path = path
        store = SQLiteJournal(path: path)
        self.options = OpenedJournal.Options(
            isRestarted: options.restart, resendsUnsafe: options.resendUnsafe, retriesFailed: options.retryFailed)
        switch input {
        case .file: digest = .file(BatchDigest.ofFile(settings))
        case .stream: digest = .stream(BatchDigest.ofStream(settings))
        }
    }

    /// The journal's files.
    var reservedPaths: [ReservedPath] { store.reservedPaths }

    /// Adds the next bytes of a file to the digest that identifies its batch.
    func add(_ bytes: UnsafeRawBufferPointer) {
        if case .file(let digest) = digest { digest.update(bytes) }
    }

    /// Opens the journal. Call this once.
    ///
    /// - Throws: an error if the journal belongs to another batch, is in use, or cannot be opened.
    func open(_ input: RunInput) throws(CommandError) -> OpenedJournal {
        var (lineCount, elementFiles) = (Int?.none, [String]())
        if case .batch(let batch) = input { (lineCount, elementFiles) = (batch.file.count, batch.file.elementFiles) }
        var text =
            switch digest {
            case .file(let digest): digest.finish()
            case .stream(let text): text
            }
        text = BatchDigest.adding(elementFiles, to: text)
        do throws(JournalError) {
            return try OpenedJournal(store, digest: text, lineCount: lineCount, options: options)
        } catch {
            throw CommandError(error)
        }
    }

    /// The status of the files of an opened journal: SQLite has two files in addition to the journal.
    var statuses: [FileStatus] {
        let real = FilePath.url(path).resolvingSymlinksInPath().path
        return [real, real + "-wal", real + "-shm"].compactMap(FileStatus.init(path:))
    }
}
