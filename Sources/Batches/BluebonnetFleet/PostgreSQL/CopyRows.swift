// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Encodes rows for `COPY … FROM STDIN (FORMAT binary)`. A value type.
struct CopyRows {
    private(set) var bytes: [UInt8]

    /// - Parameter isFirst: whether the rows begin with the header of the format.
    init(isFirst: Bool) {
        // The signature, no flags, no header extension.
        bytes = isFirst ? Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8) : []
    }

    /// Begins a row with a number of columns.
    mutating func begin(columns: Int) { bytes.append(bigEndian: Int16(columns)) }

    /// Appends a `smallint`.
    mutating func small(_ number: Int) {
        bytes.append(bigEndian: Int32(2))
        bytes.append(bigEndian: Int16(number))
    }

    /// Appends an `integer`.
    mutating func integer(_ number: Int) {
        bytes.append(bigEndian: Int32(4))
        bytes.append(bigEndian: Int32(number))
    }

    /// Appends a `bigint`.
    mutating func big(_ number: Int) {
        bytes.append(bigEndian: Int32(8))
        bytes.append(bigEndian: Int64(number))
    }

    mutating func bool(_ value: Bool) {
        bytes.append(bigEndian: Int32(1))
        bytes.append(value ? 1 : 0)
    }

    mutating func text(_ text: String) {
        bytes.append(bigEndian: Int32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends an `integer[]`, or null if there are no elements.
    mutating func integers(_ numbers: [Int]) {
        guard !numbers.isEmpty else { return bytes.append(bigEndian: Int32(-1)) }
        bytes.append(bigEndian: Int32(20 + 8 * numbers.count))
        for word in [1, 0, 23, Int32(numbers.count), 1] as [Int32] { bytes.append(bigEndian: word) }
        for number in numbers {
            bytes.append(bigEndian: Int32(4))
            bytes.append(bigEndian: Int32(number))
        }
    }

    /// Ends the data.
    mutating func end() { bytes.append(bigEndian: Int16(-1)) }
}
