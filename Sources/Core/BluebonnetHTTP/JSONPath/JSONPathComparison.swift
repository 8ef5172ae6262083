// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// An operator between two operands, and its meaning (RFC 9535, 2.3.5.2.2).
enum JSONPathComparison: String, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case less = "<"
    case greater = ">"
}

extension JSONValue {
    /// Returns whether two values are equal as a path compares them: numbers by their values, so that `2` equals `2.0`.
    /// False for values so large that no path would compare them.
    package func hasSameValue(as other: JSONValue) -> Bool {
        var budget = JSONPathBudget(stepLimit: JSONPath.defaultStepLimit)
        return (try? JSONPathComparison.equal.holds(self, other, &budget)) ?? false
    }
}

// MARK: - Meaning

extension JSONPathComparison {
    /// Returns whether the comparison is true. Nil is the RFC's Nothing.
    func holds(
        _ first: JSONValue?, _ second: JSONValue?, _ budget: inout JSONPathBudget
    ) throws(JSONPathLimitError) -> Bool {
        switch self {
        case .equal: try isEqual(first, second, &budget)
        case .notEqual: try !isEqual(first, second, &budget)
        case .less: try isLess(first, second, &budget)
        case .greater: try isLess(second, first, &budget)
        case .lessOrEqual: try isLess(first, second, &budget) ? true : isEqual(first, second, &budget)
        case .greaterOrEqual: try isLess(second, first, &budget) ? true : isEqual(first, second, &budget)
        }
    }

    private func isEqual(
        _ first: JSONValue?, _ second: JSONValue?, _ budget: inout JSONPathBudget
    ) throws(JSONPathLimitError) -> Bool {
        guard let first, let second else {
            if case (.none, .none) = (first, second) { return true }
            return false
        }
        var pending = [(first, second)]
        while let (first, second) = pending.popLast() {
            try budget.spend()
            switch (first, second) {
            case (.array(let first), .array(let second)):
                guard first.count == second.count else { return false }
                try budget.spend(first.count)
                pending += zip(first, second).reversed()
            case (.object(let first), .object(let second)):
                guard first.count == second.count else { return false }
                try budget.spend(first.count)
                for (name, value) in first {
                    guard let other = second[name] else { return false }
                    pending.append((value, other))
                }
            default: guard try isEqualScalar(first, second, &budget) else { return false }
            }
        }
        return true
    }

    /// Compares values of which at most one is an array or an object.
    private func isEqualScalar(
        _ first: JSONValue, _ second: JSONValue, _ budget: inout JSONPathBudget
    ) throws(JSONPathLimitError) -> Bool {
        switch (first, second) {
        case (.string(let one), .string(let other)):
            try budget.spend(byteCount: min(one.utf8.count, other.utf8.count))
            return first == second
        case (.integer, .number), (.number, .integer), (.number, .number):
            guard let (first, second) = try numbers(first, second, &budget) else { return false }
            return first == second
        default: return first == second
        }
    }

    private func isLess(
        _ first: JSONValue?, _ second: JSONValue?, _ budget: inout JSONPathBudget
    ) throws(JSONPathLimitError) -> Bool {
        switch (first, second) {
        case (.integer(let first), .integer(let second)): return first < second
        case (.string(let first), .string(let second)):
            try budget.spend(byteCount: min(first.utf8.count, second.utf8.count))
            return ByteString(first) < ByteString(second)
        default:
            guard let first, let second, let (first, second) = try numbers(first, second, &budget) else { return false }
            return first < second
        }
    }

    /// The values as numbers; nil if one of them is not a number.
    private func numbers(
        _ first: JSONValue, _ second: JSONValue, _ budget: inout JSONPathBudget
    ) throws(JSONPathLimitError) -> (JSONNumber, JSONNumber)? {
        guard let first = first.exactNumber, let second = second.exactNumber else { return nil }
        try budget.spend(byteCount: first.text.utf8.count + second.text.utf8.count)
        return (first, second)
    }
}
