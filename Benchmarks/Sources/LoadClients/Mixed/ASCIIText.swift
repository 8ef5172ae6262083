// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Writes a short text into one allocation, as `snprintf` does. Interpolation would allocate several times.
struct ASCIIText {
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private var count = 0

    private init(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Makes a text.
    ///
    /// - Parameter capacity: the maximum length of the text. A longer one traps.
    static func text(capacity: Int, _ write: (inout ASCIIText) -> Void) -> String {
        String(unsafeUninitializedCapacity: capacity) { buffer in
            // The buffer may be larger than requested.
            var text = ASCIIText(UnsafeMutableBufferPointer(rebasing: buffer[..<capacity]))
            write(&text)
            return text.count
        }
    }

    mutating func write(_ string: String) {
        for byte in string.utf8 { append(byte) }
    }

    /// Writes a non-negative number without leading zeros.
    mutating func write(decimal number: Int) {
        if number > 9 { write(decimal: number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// Writes a word as 16 digits.
    mutating func write(hexadecimal word: UInt64) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(word >> UInt64(shift) & 15)
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    private mutating func append(_ byte: UInt8) {
        precondition(count < bytes.count, "the text is longer than its capacity")
        bytes[count] = byte
        count += 1
    }
}
