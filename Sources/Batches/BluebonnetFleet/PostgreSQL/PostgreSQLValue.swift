// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A parameter value of a statement, in PostgreSQL's binary format.
enum PostgreSQLValue {
    case null
    case bool(Bool)
    case integer(Int)
    case double(Double)
    case text(String)
    case bytes(Data)
    case integers([Int])
    case texts([String])
    /// Texts as UTF-8 bytes.
    case lines([Data])
    case optionalBytes([Data?])

    /// The object identifiers of types (pg_type.dat). Integers are sent as `bigint`.
    private enum ObjectID {
        static let bool: UInt32 = 16
        static let bytea: UInt32 = 17
        static let int8: UInt32 = 20
        static let text: UInt32 = 25
        static let float8: UInt32 = 701
        static let byteaArray: UInt32 = 1001
        static let textArray: UInt32 = 1009
        static let int8Array: UInt32 = 1016
    }

    /// The type of the value; zero lets the server choose the type.
    var objectID: UInt32 {
        switch self {
        case .null: 0
        case .bool: ObjectID.bool
        case .integer: ObjectID.int8
        case .double: ObjectID.float8
        case .text: ObjectID.text
        case .bytes: ObjectID.bytea
        case .integers: ObjectID.int8Array
        case .texts, .lines: ObjectID.textArray
        case .optionalBytes: ObjectID.byteaArray
        }
    }

    /// Appends the value in binary format. Returns false for null.
    func write(to bytes: inout [UInt8]) -> Bool {
        switch self {
        case .null: return false
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .integer(let value): bytes.append(bigEndian: Int64(value))
        case .double(let value): bytes.append(bigEndian: value.bitPattern)
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .bytes(let value): bytes.append(contentsOf: value)
        case .integers(let values):
            bytes.appendArray(of: ObjectID.int8, values.count) { bytes, index in
                bytes.append(bigEndian: Int32(8))
                bytes.append(bigEndian: Int64(values[index]))
            }
        case .texts(let values):
            bytes.appendArray(of: ObjectID.text, values.count) { bytes, index in
                let text = values[index].utf8
                bytes.append(bigEndian: Int32(text.count))
                bytes.append(contentsOf: text)
            }
        case .lines(let values):
            bytes.appendArray(of: ObjectID.text, values.count) { bytes, index in
                bytes.append(bigEndian: Int32(values[index].count))
                bytes.append(contentsOf: values[index])
            }
        case .optionalBytes(let values):
            bytes.appendArray(of: ObjectID.bytea, values.count) { bytes, index in
                guard let value = values[index] else { return bytes.append(bigEndian: Int32(-1)) }
                bytes.append(bigEndian: Int32(value.count))
                bytes.append(contentsOf: value)
            }
        }
        return true
    }
}

extension [UInt8] {
    mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a one-dimensional array in PostgreSQL's format (array_send): the number of dimensions, whether there
    /// may be nulls, the element type, the length and the first index, then the length and the bytes of each element.
    fileprivate mutating func appendArray(
        of objectID: UInt32, _ count: Int, _ element: (inout [UInt8], Int) -> Void
    ) {
        append(bigEndian: Int32(count == 0 ? 0 : 1))
        append(bigEndian: Int32(1))
        append(bigEndian: objectID)
        guard count > 0 else { return }
        append(bigEndian: Int32(count))
        append(bigEndian: Int32(1))
        for index in 0..<count { element(&self, index) }
    }
}
