// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import GRDB
import Testing

@testable import BluebonnetCommand

@Suite struct RowSinkTests {
    private static let rows = [
        ValueRow(id: "a", values: ["n": 1, "t": "x"]), ValueRow(id: "b", values: ["n": nil, "t": [true]]),
    ]

    private func write(_ sink: some RowSink, _ parts: [[ValueRow]]) throws {
        var sink = sink
        try sink.begin()
        for part in parts { try sink.append(part) }
        try sink.finish()
    }

    private func file(_ path: String) throws -> EventFile {
        try EventFile(option: "--into", path: path, others: [])
    }

    @Test func contentIsReplacedFromTheStart() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("a.csv", String(repeating: "old,", count: 1_000))
        try write(TextRows.csv(file(path), ["n", "t"]), Self.rows.map { [$0] })
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "id,n,t\r\na,1,x\r\nb,,[true]\r\n")
        try write(TextRows.ndjson(file(path)), [Self.rows])
        let lines = [#"{"id":"a","n":1,"t":"x"}"#, #"{"id":"b","n":null,"t":[true]}"#]
        #expect(try String(contentsOfFile: path, encoding: .utf8) == lines.map { $0 + "\n" }.joined())
    }

    @Test func headerOfAStreamHasTheNamesOfAllRows() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("a.csv")
        let late = ValueRow(id: "c\nd", values: ["é": "1\n2"])
        try write(SpooledRows(file(path)), [Self.rows, [late]])
        let text = "id,n,t,é\r\na,1,x,\r\nb,,[true],\r\n\"c\nd\",,,\"1\n2\"\r\n"
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func streamWithoutRowsHasAHeader() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try write(SpooledRows(file(folder.path("a.csv"))), [])
        #expect(try String(contentsOfFile: folder.path("a.csv"), encoding: .utf8) == "id\r\n")
    }

    @Test func fullDeviceIsReported() throws {
        var sink = try TextRows.csv(file("/dev/full"), ["n"])
        sink.begin()
        #expect(throws: CommandError.unusable("cannot write to /dev/full for --into: No space left on device")) {
            try sink.append(Self.rows)
        }
    }
}

// MARK: - SQLite

extension RowSinkTests {
    private func read<Value>(_ path: String, _ body: (Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read(body)
    }

    @Test func valuesHaveTheTypesOfSQLite() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("a.sqlite", "not a database")
        let values: [(JSONValue, String)] = [
            (nil, "null"), (true, "integer 1"), (false, "integer 0"), (-7, "integer -7"), (1.5, "real 1.5"),
            (.number(JSONNumber(checked: "1e999")), "text 1e999"), ("é", "text é"), ("", "text "),
            ([1, "a"], "text [1,\"a\"]"), (["b": nil], "text {\"b\":null}"),
        ]
        let rows = values.map { ValueRow(id: "i", values: ["n": $0.0]) }
        try write(SQLiteRows(file(path), path: path, ["n"]), [rows])
        let found = try read(path) { database in
            try String.fetchAll(
                database,
                sql: "SELECT CASE WHEN n IS NULL THEN 'null' ELSE typeof(n) || ' ' || n END FROM rows ORDER BY rowid")
        }
        #expect(found == values.map(\.1))
    }

    @Test(arguments: [
        ("9007199254740993", "integer 9007199254740993"), ("-9223372036854775808", "integer -9223372036854775808"),
        ("9007199254740993.0", "integer 9007199254740993"), ("9223372036854775807.0", "integer 9223372036854775807"),
        ("12345678901234567890", "text 12345678901234567890"), ("1e400", "text 1e400"), ("1.0", "real 1.0"),
        ("1e3", "real 1000.0"), ("0.1", "real 0.1"),
    ])
    func digitsOfWholeNumbersAreKept(_ number: String, _ stored: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("a.sqlite")
        let value = try JSONValue(parsing: Data(number.utf8))
        try write(SQLiteRows(file(path), path: path, ["n"]), [[ValueRow(id: "i", values: ["n": value])]])
        #expect(try read(path) { try String.fetchAll($0, sql: "SELECT typeof(n) || ' ' || n FROM rows") } == [stored])
    }

    @Test func textWithANULKeepsItsBytes() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("a.sqlite")
        try write(SQLiteRows(file(path), path: path, ["n"]), [[ValueRow(id: "i", values: ["n": "a\0b"])]])
        #expect(try read(path) { try Data.fetchAll($0, sql: "SELECT n FROM rows") } == [Data("a\0b".utf8)])
    }

    @Test func rowsOfSeveralTransactionsAreAllThere() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("a.sqlite")
        let parts = (0..<7).map { part in (0..<1_500).map { ValueRow(id: "\(part)/\($0)", values: ["n": 1]) } }
        try write(SQLiteRows(file(path), path: path, ["n"]), parts)
        let counts = try read(path) { database in
            try Int.fetchOne(database, sql: "SELECT count(DISTINCT id) FROM rows")
        }
        #expect(counts == 10_500)
        #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
    }

    @Test func columnsOfAStreamAreAddedAsTheyCome() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("a.sqlite")
        let late = ValueRow(id: "c", values: ["say \"x\"": 3, "order": 4])
        try write(SQLiteRows(file(path), path: path, []), [Self.rows, [late]])
        let names = try read(path) { try $0.columns(in: "rows").map(\.name) }
        #expect(names == ["id", "n", "t", "order", "say \"x\""])
        let found = try read(path) { try Row.fetchAll($0, sql: "SELECT * FROM rows").map { $0["order"] as Int? } }
        #expect(found == [nil, nil, 4])
    }

    @Test func namesThatAreOneColumnAreRefused() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("a.sqlite")
        var sink = SQLiteRows(try file(path), path: path, ["Name", "name"])
        let message = "cannot write to \(path) for --into: duplicate column name: name"
        #expect(throws: CommandError.unusable(message)) { try sink.begin() }
    }
}
