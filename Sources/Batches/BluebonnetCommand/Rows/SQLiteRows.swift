// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
internal import GRDB

/// Writes rows to the table `rows` of an SQLite file, thousands in a transaction.
struct SQLiteRows: RowSink {
    private static let transactionRowCount = 4_000

    private let path: String
    private var file: EventFile
    private var columns: [String]
    private var knownNames: Set<ByteString>
    private var queue: DatabaseQueue?
    /// The rows of the open transaction.
    private var openRowCount = 0

    /// - Parameter names: the names of the columns that are known, after the id. Others are added when a row has them.
    init(_ file: EventFile, path: String, _ names: [String]) {
        (self.file, self.path, columns) = (file, path, names)
        knownNames = Set(names.map(ByteString.init))
    }

    mutating func begin() throws(CommandError) {
        file.begin("")
        try file.finish()
        let columns = columns
        queue = try mapped {
            var configuration = Configuration()
            configuration.label = "org.bluebonnet.rows"
            configuration.allowsUnsafeTransactions = true  // one is open between the calls of `append`
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write { database in
                let list = ["\"id\" TEXT"] + columns.map(Self.quoted)
                try database.execute(sql: "CREATE TABLE rows (\(list.joined(separator: ", ")))")
            }
            return queue
        }
    }

    mutating func append(_ rows: [ValueRow]) throws(CommandError) {
        guard let queue else { return }
        for row in rows { try addColumns(of: row, queue) }
        let (columns, isOpen) = (columns, openRowCount > 0)
        openRowCount += rows.count
        let isFull = openRowCount >= Self.transactionRowCount
        try mapped {
            try queue.writeWithoutTransaction { database in
                if !isOpen, !rows.isEmpty { try database.beginTransaction() }
                for row in rows { try Self.insert(row, columns, database) }
                if isFull { try database.commit() }
            }
        }
        if isFull { openRowCount = 0 }
    }

    mutating func finish() throws(CommandError) {
        guard let queue else { return }
        let isOpen = openRowCount > 0
        try mapped {
            if isOpen { try queue.writeWithoutTransaction { try $0.commit() } }
            try queue.close()
        }
    }

    private mutating func addColumns(of row: ValueRow, _ queue: DatabaseQueue) throws(CommandError) {
        for (name, _) in row.values.sorted where knownNames.insert(ByteString(name)).inserted {
            columns.append(name)
            try mapped {
                try queue.writeWithoutTransaction { database in
                    try database.execute(sql: "ALTER TABLE rows ADD COLUMN \(Self.quoted(name))")
                }
            }
        }
    }

    private static func insert(_ row: ValueRow, _ columns: [String], _ database: Database) throws {
        let marks = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
        let names = (["id"] + columns).map(quoted).joined(separator: ", ")
        let statement = try database.cachedStatement(sql: "INSERT INTO rows (\(names)) VALUES (\(marks))")
        let values = [text(row.id)] + columns.map { row.values[$0].map(value) ?? .null }
        try statement.execute(arguments: StatementArguments(values))
    }

    private func mapped<Value>(_ work: () throws -> Value) throws(CommandError) -> Value {
        do {
            return try work()
        } catch let error as DatabaseError {
            let reason = error.resultCode == .SQLITE_FULL ? "the disk is full" : error.message ?? "\(error.resultCode)"
            throw .unusable("cannot write to \(path) for --into: \(reason)")
        } catch {
            throw .unusable("cannot write to \(path) for --into: \(error)")
        }
    }
}

// MARK: - Values

extension SQLiteRows {
    /// Quotes the name of a column. A NUL is replaced, because SQLite would end the name there.
    private static func quoted(_ name: String) -> String {
        let visible = name.replacingOccurrences(of: "\0", with: "\u{FFFD}")
        return "\"\(visible.replacingOccurrences(of: "\"", with: "\"\""))\""
    }

    /// True and false become 1 and 0, arrays and objects JSON text.
    private static func value(_ value: JSONValue) -> DatabaseValue {
        switch value {
        case .null: .null
        case .bool(let truth): (truth ? 1 : 0).databaseValue
        case .integer(let number): number.databaseValue
        case .number(let number): self.number(number)
        case .string(let string): text(string)
        case .array, .object: text(JSONText.text(of: value))
        }
    }

    /// A whole number that `Double` cannot represent is an integer, or text beyond 64 bits. Others are rounded, except
    /// beyond the range of `Double`.
    private static func number(_ number: JSONNumber) -> DatabaseValue {
        let double = number.double
        if number.isWhole, JSONNumber(double) != number { return number.wholeValue?.databaseValue ?? text(number.text) }
        return double.isFinite ? double.databaseValue : text(number.text)
    }

    /// A text with a NUL becomes a blob, because SQLite would end the text there.
    private static func text(_ text: String) -> DatabaseValue {
        text.utf8.contains(0) ? Data(text.utf8).databaseValue : text.databaseValue
    }
}
