// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import BluebonnetJournal
import Foundation

extension FuzzTarget {
    /// A journal file with changed bytes. For each change, three bytes give the offset and one byte the value.
    static let journals = FuzzTarget("journals") { input in
        var (input, bytes) = (input, JournalFile.valid)
        while !input.isEmpty {
            let place = (0..<3).reduce(0) { place, _ in place << 8 | Int(input.byte()) }
            bytes[place % bytes.count] = input.byte()
        }
        let file = JournalFile(bytes)
        defer { file.remove() }
        do throws(JournalError) {
            try file.readAll()
        } catch {
            try hold(!error.message.isEmpty, "an error says what happened")
        }
    }
}

/// A journal file in its own folder.
private struct JournalFile {
    private static let batch = JournalBatch(
        digest: "00", lineCount: 8, keySeed: "seed", created: Date(timeIntervalSince1970: 1_800_000_000))
    private let folder: URL
    private var path: String { folder.appendingPathComponent("journal").path }

    init(_ bytes: [UInt8]) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-\(getpid())-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        if !bytes.isEmpty { _ = FileManager.default.createFile(atPath: path, contents: Data(bytes)) }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Reads everything that a resumed run reads.
    func readAll() throws(JournalError) {
        let journal = SQLiteJournal(path: path)
        _ = try? journal.summary()
        _ = try journal.open(Self.batch, isRestarted: false)
        defer { try? journal.close() }
        for record in try journal.records(from: 0, limit: 100) {
            if case .ended(let ending) = record.state { _ = try? ending.result() }
        }
        _ = try journal.hasFailure()
        _ = try journal.hasRecord(of: "mark", after: 0)
        try journal.record([JournalRecord(position: 1, id: "b", state: .mayHaveBeenSent)])
    }

    /// The bytes of a journal that a run closed properly.
    static let valid: [UInt8] = {
        let file = JournalFile([])
        defer { file.remove() }
        let journal = SQLiteJournal(path: file.path)
        do {
            _ = try journal.open(batch, isRestarted: false)
            let line = ResultLine(id: "a", outcome: .success).encodedLine()
            let ending = JournalRecord.Ending(
                outcome: .success, byteCount: 3, line: line, referencedBody: Data("{}".utf8))
            try journal.record([
                JournalRecord(position: 0, id: "a", state: .ended(ending)),
                JournalRecord(position: 1, id: "b", state: .mayHaveBeenSent, fingerprint: "mark"),
                JournalRecord(
                    position: 2, id: "c", state: .ended(.init(outcome: .failure, byteCount: 0, line: line)),
                    fingerprint: "other"),
            ])
            try journal.close()
            return Array(try Data(contentsOf: URL(fileURLWithPath: file.path)))
        } catch {
            fatalError("there is no journal to begin with: \(error)")
        }
    }()
}
