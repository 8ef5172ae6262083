// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

// Searches that run for nearly every text. They use the C library, which examines many bytes at once.
extension String {
    /// The text with its ASCII letters in lower case. Swift's `lowercased()` also converts other characters to letters:
    /// U+212A KELVIN SIGN to "k".
    package var lowercasedASCII: String { String(decoding: utf8.map(FieldSyntax.lowercase), as: UTF8.self) }

    /// Returns whether the text contains this byte in its UTF-8.
    package func hasByte(_ byte: UInt8) -> Bool {
        utf8.withContiguousStorageIfAvailable { Self.hasByte(byte, in: $0) } ?? utf8.contains(byte)
    }

    private static func hasByte(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        return memchr(start, CInt(byte), bytes.count) != nil
    }
}
