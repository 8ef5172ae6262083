// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Comparisons of filters (RFC 9535, 2.3.5.2.2).
extension JSONPathEvaluator {
    /// Returns whether the comparison is true. Nil is the RFC's Nothing.
    mutating func holds(
        _ first: JSONValue?, _ comparison: JSONPathComparison, _ second: JSONValue?
    ) throws(JSONPathLimitError) -> Bool {
        switch comparison {
        case .equal: try isEqual(first, second)
        case .notEqual: try !isEqual(first, second)
        case .less: try isLess(first, second)
        case .greater: try isLess(second, first)
        case .lessOrEqual: try isLess(first, second) ? true : isEqual(first, second)
        case .greaterOrEqual: try isLess(second, first) ? true : isEqual(first, second)
        }
    }

    private mutating func isEqual(_ first: JSONValue?, _ second: JSONValue?) throws(JSONPathLimitError) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        var pending = [(first, second)]
        while let (first, second) = pending.popLast() {
            try spend()
            switch (first, second) {
            case (.array(let first), .array(let second)):
                guard first.count == second.count else { return false }
                try spend(first.count)
                pending += zip(first, second).reversed()
            case (.object(let first), .object(let second)):
                guard first.count == second.count else { return false }
                try spend(first.count)
                for (name, value) in first {
                    guard let other = second[name] else { return false }
                    pending.append((value, other))
                }
            default: guard try isEqualScalar(first, second) else { return false }
            }
        }
        return true
    }

    /// Compares values of which at most one is an array or an object.
    private mutating func isEqualScalar(_ first: JSONValue, _ second: JSONValue) throws(JSONPathLimitError) -> Bool {
        switch (first, second) {
        case (.string(let one), .string(let other)):
            try spend(min(one.utf8.count, other.utf8.count) / Self.bytesPerStep)
            return first == second
        case (.integer, .number), (.number, .integer), (.number, .number):
            guard let (first, second) = try numbers(first, second) else { return false }
            return first == second
        default: return first == second
        }
    }

    private mutating func isLess(_ first: JSONValue?, _ second: JSONValue?) throws(JSONPathLimitError) -> Bool {
        switch (first, second) {
        case (.integer(let first), .integer(let second)): return first < second
        case (.string(let first), .string(let second)):
            try spend(min(first.utf8.count, second.utf8.count) / Self.bytesPerStep)
            return ByteString(first) < ByteString(second)
        default:
            guard let first, let second, let (first, second) = try numbers(first, second) else { return false }
            return first < second
        }
    }

    /// The values as numbers; nil if one of them is no number.
    private mutating func numbers(
        _ first: JSONValue, _ second: JSONValue
    ) throws(JSONPathLimitError) -> (JSONNumber, JSONNumber)? {
        guard let first = number(first), let second = number(second) else { return nil }
        try spend((first.text.utf8.count + second.text.utf8.count) / Self.bytesPerStep)
        return (first, second)
    }

    private func number(_ value: JSONValue) -> JSONNumber? {
        switch value {
        case .integer(let number): JSONNumber(integerLiteral: number)
        case .number(let number): number
        case .null, .bool, .string, .array, .object: nil
        }
    }
}
