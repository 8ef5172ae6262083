// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CPostgreSQL
internal import Foundation

/// The rows of a statement, in PostgreSQL's binary format. Confined to one thread.
///
/// A column must be read as the type that the statement gives it. Reading a null as a value, or a column of another
/// size as an integer, traps.
final class PostgreSQLResult {
    private let result: OpaquePointer

    /// Takes ownership of the result.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// The number of rows.
    var count: Int { Int(PQntuples(result)) }

    /// The number of rows that the statement changed.
    var changedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

    /// Returns a `smallint`, `integer` or `bigint`.
    func integer(_ row: Int, _ column: Int) -> Int { field(row, column) { Self.integer($0) } }

    /// Returns a `double precision`.
    func double(_ row: Int, _ column: Int) -> Double {
        field(row, column) { Double(bitPattern: UInt64(bitPattern: Int64(Self.integer($0)))) }
    }

    func optionalDouble(_ row: Int, _ column: Int) -> Double? { isNull(row, column) ? nil : double(row, column) }

    func bool(_ row: Int, _ column: Int) -> Bool { field(row, column) { $0.first == 1 } }

    func text(_ row: Int, _ column: Int) -> String { field(row, column) { String(decoding: $0, as: UTF8.self) } }

    func optionalText(_ row: Int, _ column: Int) -> String? { isNull(row, column) ? nil : text(row, column) }

    /// Returns the bytes of a `bytea` or a text.
    func bytes(_ row: Int, _ column: Int) -> Data { field(row, column) { Data($0) } }

    func optionalBytes(_ row: Int, _ column: Int) -> Data? { isNull(row, column) ? nil : bytes(row, column) }

    /// Returns a one-dimensional array of integers without nulls; empty for null.
    func integers(_ row: Int, _ column: Int) -> [Int] {
        guard !isNull(row, column) else { return [] }
        return field(row, column) { bytes in
            guard bytes.count >= 20 else { return [] }  // an array without elements has no dimension
            var values: [Int] = []
            var offset = 20
            while offset + 4 <= bytes.count {
                let length = Self.integer(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 4]))
                let end = offset + 4 + length
                values.append(Self.integer(UnsafeRawBufferPointer(rebasing: bytes[offset + 4..<end])))
                offset = end
            }
            return values
        }
    }

    private func field<Value>(_ row: Int, _ column: Int, _ read: (UnsafeRawBufferPointer) -> Value) -> Value {
        precondition(!isNull(row, column), "a null column was read as a value")
        let length = Int(PQgetlength(result, Int32(row), Int32(column)))
        return read(UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: length))
    }

    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch bytes.count {
        case 2: Int(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 4: Int(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 8: Int(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
        default: preconditionFailure("a column of \(bytes.count) bytes is not an integer")
        }
    }
}

@available(*, unavailable)
extension PostgreSQLResult: Sendable {}
