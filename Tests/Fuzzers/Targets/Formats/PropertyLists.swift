// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// Property lists, binary or XML.
    static let propertyLists = FuzzTarget("property-lists") { input in
        let data = Data(input.rest)
        guard let value = try? PropertyListValue(parsing: data) else { return }
        if data.starts(with: Array("bplist00".utf8)) {
            try hold(count(of: value) <= data.count + 1, "a binary list has no more values than bytes")
        }
        let bytes = try PropertyListSerialization.data(
            fromPropertyList: value.foundationObject, format: .binary, options: 0)
        let again: PropertyListValue
        do {
            again = try PropertyListValue(parsing: bytes)
        } catch {
            throw FuzzFinding("what Foundation wrote of \(value) is refused: \(error)")
        }
        try hold(isSame(again, value), "\(value) becomes \(again) when Foundation writes it")
    }

    private static func count(of value: PropertyListValue) -> Int {
        switch value {
        case .array(let elements): 1 + elements.reduce(0) { $0 + count(of: $1) }
        case .dictionary(let members): 1 + members.values.reduce(0) { $0 + count(of: $1) }
        case .bool, .integer, .real, .string, .date, .data: 1
        }
    }

    /// Compares two values. NaN equals NaN here.
    private static func isSame(_ one: PropertyListValue, _ other: PropertyListValue) -> Bool {
        switch (one, other) {
        case (.real(let one), .real(let other)): one == other || one.isNaN && other.isNaN
        case (.date(let one), .date(let other)):
            one == other
                || one.timeIntervalSinceReferenceDate.isNaN && other.timeIntervalSinceReferenceDate.isNaN
        case (.array(let one), .array(let other)): one.count == other.count && zip(one, other).allSatisfy(isSame)
        case (.dictionary(let one), .dictionary(let other)):
            one.count == other.count
                && one.allSatisfy { name, member in other[name].map { isSame($0, member) } ?? false }
        default: one == other
        }
    }
}
