// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Glibc

/// A set of texts with numbers, which are assigned in the order of insertion.
///
/// The bytes of all texts are in one array. A text takes its bytes and about 20 more, and no object.
struct TextTable: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// A hash table with linear probing: the number of a text plus 1; 0 marks a free slot.
    private var slots: [UInt32] = []

    /// The number of texts.
    var count: Int { ends.count }

    /// The text with a number.
    subscript(number: Int) -> String {
        String(decoding: bytes[range(number)], as: UTF8.self)
    }

    /// Returns the number of a text; nil if the text is not in the table.
    func number(of text: String) -> Int? {
        guard !slots.isEmpty else { return nil }
        return Self.withBytes(of: text) { text in
            let found = slots[slot(of: text)]
            return found == 0 ? nil : Int(found) - 1
        }
    }

    /// Returns the number of a text, after adding the text if it is new.
    mutating func insert(_ text: String) -> Int {
        if (count + 1) * 2 > slots.count { grow() }
        return Self.withBytes(of: text) { text in
            let slot = slot(of: text)
            if slots[slot] > 0 { return Int(slots[slot]) - 1 }
            bytes.append(contentsOf: text)
            ends.append(bytes.count)
            slots[slot] = UInt32(ends.count)
            return ends.count - 1
        }
    }

    private func range(_ number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

    /// Returns the slot of a text, or the free slot where it belongs.
    private func slot(of text: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: text)
        let mask = slots.count - 1
        var slot = hasher.finalize() & mask
        while slots[slot] > 0, !isText(Int(slots[slot]) - 1, text) { slot = (slot + 1) & mask }
        return slot
    }

    private func isText(_ number: Int, _ text: UnsafeRawBufferPointer) -> Bool {
        let range = range(number)
        guard range.count == text.count else { return false }
        if range.isEmpty { return true }
        return bytes.withUnsafeBytes { memcmp($0.baseAddress! + range.lowerBound, text.baseAddress!, range.count) == 0 }
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: max(64, slots.count * 2))
        for number in ends.indices {
            let range = range(number)
            let slot = bytes.withUnsafeBytes { bytes in self.slot(of: UnsafeRawBufferPointer(rebasing: bytes[range])) }
            slots[slot] = UInt32(number + 1)
        }
    }

    private static func withBytes<Result>(of text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
