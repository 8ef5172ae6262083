// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import GRDB

/// Converts errors of SQLite into journal errors. No other code does.
enum SQLiteError {
    /// Runs work on the journal at a path, and converts its errors.
    static func mapped<Value>(_ path: String, _ work: () throws -> Value) throws(JournalError) -> Value {
        do {
            return try work()
        } catch let error as JournalError {
            throw error
        } catch let error as DatabaseError {
            throw JournalError(error, path)
        } catch let error as RowDecodingError {
            throw JournalError(.damaged, "the journal \(path) is damaged", underlying: String(describing: error))
        } catch {
            throw JournalError(
                .unavailable, "the journal \(path) cannot be used", underlying: String(describing: error))
        }
    }
}

extension JournalError {
    fileprivate init(_ error: DatabaseError, _ path: String) {
        let (code, message): (Code, String) =
            switch error.resultCode {
            case .SQLITE_FULL: (.diskFull, "the journal \(path) cannot be written: the disk is full")
            case .SQLITE_BUSY, .SQLITE_LOCKED: (.inUse, "the journal \(path) is in use by another process")
            case .SQLITE_NOTADB: (.notAJournal, "\(path) is not a journal")
            case .SQLITE_CORRUPT: (.damaged, "the journal \(path) is damaged")
            case .SQLITE_READONLY, .SQLITE_PERM: (.notWritable, "the journal \(path) is not writable")
            case .SQLITE_CANTOPEN: (.unavailable, "the journal \(path) cannot be opened")
            default: (.unavailable, "the journal \(path) cannot be read or written")
            }
        self.init(code, message, underlying: error.message.map { "SQLite \(error.extendedResultCode.rawValue): \($0)" })
    }
}
