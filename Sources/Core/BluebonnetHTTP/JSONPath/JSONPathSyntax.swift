// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// The syntax tree of a path.

/// One step of a path: it selects children, or descendants, of each value so far.
struct JSONPathSegment: Sendable {
    /// Whether the segment begins with two dots: the selectors apply to the value and to all its descendants.
    let isDescendant: Bool
    let selectors: [JSONPathSelector]

    /// Whether the segment selects at most one child of a value.
    var isSingular: Bool {
        guard !isDescendant, selectors.count == 1 else { return false }
        return switch selectors[0] {
        case .name, .index: true
        case .wildcard, .slice, .filter: false
        }
    }
}

/// A part of a segment: it selects children of one value.
enum JSONPathSelector: Sendable {
    case name(ByteString)
    case wildcard
    /// An element of an array. A negative index counts from the end.
    case index(Int)
    case slice(JSONPathSlice)
    case filter(JSONPathCondition)
}

/// A range of elements: `start:end:step`.
struct JSONPathSlice: Sendable {
    let start: Int?
    let end: Int?
    let step: Int

    /// Returns the indices of the selected elements (RFC 9535, 2.3.4.2.2).
    func indices(count: Int) -> StrideTo<Int> {
        // No index is below zero and no count beyond memory, so the sums cannot overflow.
        let normalized = { (index: Int) in index >= 0 ? index : count + index }
        guard step != 0 else { return stride(from: 0, to: 0, by: 1) }
        if step > 0 {
            let lower = min(max(normalized(start ?? 0), 0), count)
            return stride(from: lower, to: min(max(normalized(end ?? count), 0), count), by: step)
        }
        let upper = min(max(normalized(start ?? count - 1), -1), count - 1)
        let lower = end.map { min(max(normalized($0), -1), count - 1) } ?? -1
        return stride(from: upper, to: lower, by: step)
    }
}

/// A query in a filter.
struct JSONPathQuery: Sendable {
    /// Whether the query begins at the current value (`@`), not at the root (`$`).
    let isRelative: Bool
    let segments: [JSONPathSegment]
    let isSingular: Bool
}

/// The condition of a filter.
indirect enum JSONPathCondition: Sendable {
    case any([JSONPathCondition])
    case all([JSONPathCondition])
    case not(JSONPathCondition)
    case exists(JSONPathQuery)
    case comparison(JSONPathOperand, JSONPathComparison, JSONPathOperand)
    /// `match()`, or `search()` if the match may be a part of the text.
    case matches(text: JSONPathOperand, pattern: JSONPathPatternSource, isPartial: Bool)
}

/// One side of a comparison, or an argument: a value or nothing.
indirect enum JSONPathOperand: Sendable {
    case literal(JSONValue)
    case single(JSONPathQuery)
    case length(JSONPathOperand)
    case count(JSONPathQuery)
    case value(JSONPathQuery)
}

/// The pattern of `match()` or `search()`.
enum JSONPathPatternSource: Sendable {
    /// A pattern that is in the path. Nil if the text is not a pattern.
    case literal(JSONPathPattern?)
    case operand(JSONPathOperand)
}

// MARK: - Use of the root

extension JSONPathSegment {
    /// Whether a filter of the segment looks up values from the root.
    var usesRoot: Bool {
        selectors.contains { if case .filter(let condition) = $0 { condition.usesRoot } else { false } }
    }
}

extension JSONPathQuery {
    var usesRoot: Bool { !isRelative || segments.contains(where: \.usesRoot) }
}

extension JSONPathCondition {
    var usesRoot: Bool {
        switch self {
        case .any(let conditions), .all(let conditions): conditions.contains(where: \.usesRoot)
        case .not(let condition): condition.usesRoot
        case .exists(let query): query.usesRoot
        case .comparison(let first, _, let second): first.usesRoot || second.usesRoot
        case .matches(let text, .literal, _): text.usesRoot
        case .matches(let text, .operand(let pattern), _): text.usesRoot || pattern.usesRoot
        }
    }
}

extension JSONPathOperand {
    var usesRoot: Bool {
        switch self {
        case .literal: false
        case .single(let query), .count(let query), .value(let query): query.usesRoot
        case .length(let operand): operand.usesRoot
        }
    }
}
