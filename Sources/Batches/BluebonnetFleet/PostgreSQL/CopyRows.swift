// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Writes rows for `COPY … FROM STDIN (FORMAT binary)`. A value.
struct CopyRows {
    private(set) var bytes: [UInt8]

    /// - Parameter isFirst: whether the header of the format comes first.
    init(isFirst: Bool) {
        // The signature, no flags, no extension.
        bytes = isFirst ? Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8) : []
    }

    /// Begins a row of so many columns.
    mutating func begin(columns: Int) { bytes.append(bigEndian: Int16(columns)) }

    /// A `smallint`.
    mutating func small(_ number: Int) {
        bytes.append(bigEndian: Int32(2))
        bytes.append(bigEndian: Int16(number))
    }

    /// An `integer`.
    mutating func integer(_ number: Int) {
        bytes.append(bigEndian: Int32(4))
        bytes.append(bigEndian: Int32(number))
    }

    /// A `bigint`.
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

    /// An `integer[]`; null when there is no element.
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
