// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Values that make a round trip to a real server.
    @Suite struct PostgreSQLValueTests {
        private static let numbers = [0, 1, -1, 255, 65_536, Int.max, Int.min]
        private static let texts = ["", "a", "ü€😀", "\"'\\\n\t", String(repeating: "long ", count: 300_000)]

        @Test func everyTypeSurvivesARoundTrip() async throws {
            let connection = try await StoreFixture().connect()
            let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
            for value in [true, false] {
                #expect(try connection.query("SELECT $1::boolean", [.bool(value)]).bool(0, 0) == value)
            }
            for value in Self.numbers {
                #expect(try connection.query("SELECT $1::bigint", [.integer(value)]).integer(0, 0) == value)
            }
            for value in [0, -0.5, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
                #expect(try connection.query("SELECT $1::double precision", [.double(value)]).double(0, 0) == value)
            }
            for value in Self.texts {
                #expect(try connection.query("SELECT $1::text", [.text(value)]).text(0, 0) == value)
            }
            for value in [Data(), Data([0, 255, 10, 0]), large] {
                #expect(try connection.query("SELECT $1::bytea", [.bytes(value)]).bytes(0, 0) == value)
            }
        }

        @Test func smallIntegersAreRead() async throws {
            let connection = try await StoreFixture().connect()
            let row = try connection.query(
                "SELECT $1::smallint, $1::integer, $1::bigint, NULL::bigint", [.integer(-7)])
            #expect((0..<3).map { row.integer(0, $0) } == [-7, -7, -7])
            #expect(row.isNull(0, 3) && row.optionalText(0, 3) == nil)
        }

        @Test func nullIsNull() async throws {
            let connection = try await StoreFixture().connect()
            let row = try connection.query(
                "SELECT $1::text, $2::double precision, $1::bytea, $1::integer[]", [.null, .null])
            #expect(row.optionalText(0, 0) == nil && row.optionalDouble(0, 1) == nil)
            #expect(row.optionalBytes(0, 2) == nil && row.integers(0, 3) == [])
        }

        @Test(arguments: [[], [5], numbers, Array(0..<100_000)])
        func integerArraysSurviveARoundTrip(values: [Int]) async throws {
            let connection = try await StoreFixture().connect()
            let row = try connection.query("SELECT $1, cardinality($1)", [.integers(values)])
            #expect(row.integers(0, 0) == values)
            #expect(row.integer(0, 1) == values.count)
        }

        @Test func arraysOfTextsAndBytesKeepTheirNulls() async throws {
            let connection = try await StoreFixture().connect()
            let lines = Self.texts.map { Data($0.utf8) }
            let bodies = [nil, Data(), Data([0, 1]), nil, Data(repeating: 7, count: 500_000)]
            let rows = try connection.query(
                "SELECT t, l, b FROM unnest($1, $2, $3) WITH ORDINALITY AS u (t, l, b, n) ORDER BY n",
                [.texts(Self.texts), .lines(lines), .optionalBytes(bodies)])
            #expect((0..<rows.count).map { rows.text($0, 0) } == Self.texts)
            #expect((0..<rows.count).map { rows.bytes($0, 1) } == lines)
            #expect((0..<rows.count).map { rows.optionalBytes($0, 2) } == bodies)
            let empty = try connection.query(
                "SELECT cardinality($1), cardinality($2), cardinality($3)",
                [.texts([]), .lines([]), .optionalBytes([])])
            #expect((0..<3).map { empty.integer(0, $0) } == [0, 0, 0])
        }

        @Test func rowsOfACopyArrive() async throws {
            let connection = try await StoreFixture().connect()
            try connection.query(
                "CREATE TABLE t (s smallint, i integer, b bigint, f boolean, t text, n integer[])")
            let count = 20_000
            var number = 0
            try connection.copy("COPY t FROM STDIN (FORMAT binary)") { () throws(FleetError) in
                guard number <= count else { return nil }
                var rows = CopyRows(isFirst: number == 0)
                if number == count { rows.end() } else { Self.write(number, to: &rows) }
                number += 1
                return rows.bytes
            }
            let rows = try connection.query("SELECT s, i, b, f, t, n FROM t WHERE b >= $1 ORDER BY b", [.integer(0)])
            #expect(rows.count == count)
            for row in [0, 1, 2, count - 1] {
                #expect(rows.integer(row, 0) == row % 100 && rows.integer(row, 1) == -row)
                #expect(rows.integer(row, 2) == row && rows.bool(row, 3) == (row % 2 == 0))
                #expect(rows.text(row, 4) == (row == 0 ? "" : "ü\n\(row)"))
                #expect(rows.integers(row, 5) == Array(0..<row % 3) && rows.isNull(row, 5) == (row % 3 == 0))
            }
        }

        private static func write(_ number: Int, to rows: inout CopyRows) {
            rows.begin(columns: 6)
            rows.small(number % 100)
            rows.integer(-number)
            rows.big(number)
            rows.bool(number % 2 == 0)
            rows.text(number == 0 ? "" : "ü\n\(number)")
            rows.integers(Array(0..<number % 3))
        }
    }
}
