// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A text that is compared and ordered by its bytes in UTF-8.
///
/// Swift compares strings by canonical equivalence: "é" as one scalar equals "e" with a combining accent, and U+212A
/// KELVIN SIGN equals "K". Servers, files and stores compare bytes, so identifiers, names of JSON members and paths are
/// looked up by this type.
package struct ByteString: Sendable {
    /// The text.
    package let string: String

    /// Makes a key from a text.
    package init(_ string: String) { self.string = string }
}

extension ByteString: Hashable, Comparable {
    package static func == (first: Self, second: Self) -> Bool {
        FieldSyntax.isSameText(first.string, second.string)
    }

    package static func < (first: Self, second: Self) -> Bool {
        first.string.utf8.lexicographicallyPrecedes(second.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension ByteString: CustomStringConvertible {
    package var description: String { string }
}

extension Sequence where Element == String {
    /// The texts in order, without later duplicates.
    package var uniqueTexts: [String] {
        var seen: Set<ByteString> = []
        return filter { seen.insert(ByteString($0)).inserted }
    }
}
