// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Evaluates queries on a document, and counts the steps. It does not know the syntax of paths.
struct JSONPathEvaluator {
    /// The document; nil if no query uses it.
    private let root: JSONValue?
    var budget: JSONPathBudget
    /// The last pattern that was compiled for a filter, with its text.
    private var lastPattern: (text: String, pattern: JSONPathPattern?)?

    init(root: JSONValue?, stepLimit: Int) {
        self.root = root
        budget = JSONPathBudget(stepLimit: stepLimit)
    }

    /// Returns the values that the segments select from a value.
    mutating func select<Node: JSONPathVisited>(
        _ segments: ArraySlice<JSONPathSegment>, from node: Node
    ) throws(JSONPathLimitError) -> [Node] {
        var nodes = [node]
        for segment in segments {
            var selected: [Node] = []
            for node in nodes {
                if segment.isDescendant {
                    try appendDescendants(segment, of: node, to: &selected)
                } else {
                    try append(segment, of: node, to: &selected)
                }
            }
            nodes = selected
            if nodes.isEmpty { break }
        }
        return nodes
    }

    private mutating func append<Node: JSONPathVisited>(
        _ segment: JSONPathSegment, of node: Node, to selected: inout [Node]
    ) throws(JSONPathLimitError) {
        for selector in segment.selectors { try append(selector, of: node, to: &selected) }
    }

    /// Applies the selectors to the value, then to its descendants in order. The stack of pending values is memory, so
    /// deep values do not overflow the thread's stack.
    private mutating func appendDescendants<Node: JSONPathVisited>(
        _ segment: JSONPathSegment, of node: Node, to selected: inout [Node]
    ) throws(JSONPathLimitError) {
        var pending = [node]
        while let node = pending.popLast() {
            try append(segment, of: node, to: &selected)
            pending += try children(of: node).reversed()
        }
    }

    private mutating func append<Node: JSONPathVisited>(
        _ selector: JSONPathSelector, of node: Node, to selected: inout [Node]
    ) throws(JSONPathLimitError) {
        try budget.spend()
        switch selector {
        case .name(let name):
            if let value = node.value[name.string] { selected.append(node.child(value, named: name.string)) }
        case .wildcard: selected += try children(of: node)
        case .index(let index):
            guard case .array(let elements) = node.value else { return }
            let index = index >= 0 ? index : elements.count + index
            if elements.indices.contains(index) { selected.append(node.child(elements[index], at: index)) }
        case .slice(let slice):
            guard case .array(let elements) = node.value else { return }
            for index in slice.indices(count: elements.count) {
                try budget.spend()
                selected.append(node.child(elements[index], at: index))
            }
        case .filter(let condition):
            for child in try children(of: node) where try evaluate(condition, for: child.value) {
                selected.append(child)
            }
        }
    }

    /// The elements of an array, or the members of an object sorted by name.
    private mutating func children<Node: JSONPathVisited>(of node: Node) throws(JSONPathLimitError) -> [Node] {
        switch node.value {
        case .array(let elements):
            try budget.spend(elements.count)
            return elements.enumerated().map { node.child($0.element, at: $0.offset) }
        case .object(let members):
            try budget.spend(members.count)
            return members.sorted.map { node.child($0.value, named: $0.key) }
        case .null, .bool, .integer, .number, .string: return []
        }
    }
}

// MARK: - Conditions

extension JSONPathEvaluator {
    /// Returns whether the condition of a filter is true for a value.
    mutating func evaluate(_ condition: JSONPathCondition, for current: JSONValue) throws(JSONPathLimitError) -> Bool {
        try budget.spend()
        switch condition {
        case .any(let conditions):
            for condition in conditions where try evaluate(condition, for: current) { return true }
            return false
        case .all(let conditions):
            for condition in conditions where try !evaluate(condition, for: current) { return false }
            return true
        case .not(let condition): return try !evaluate(condition, for: current)
        case .exists(let query):
            return query.isSingular ? try single(query, current) != nil : try !nodes(query, current).isEmpty
        case .comparison(let first, let comparison, let second):
            let (first, second) = (try value(of: first, current), try value(of: second, current))
            return try comparison.holds(first, second, &budget)
        case .matches(let text, let source, let isPartial):
            guard case .string(let text)? = try value(of: text, current), let pattern = try pattern(source, current)
            else { return false }
            return try pattern.matches(text, isPartial: isPartial, &budget)
        }
    }

    private mutating func pattern(
        _ source: JSONPathPatternSource, _ current: JSONValue
    ) throws(JSONPathLimitError) -> JSONPathPattern? {
        switch source {
        case .literal(let pattern): return pattern
        case .operand(let operand):
            guard case .string(let text)? = try value(of: operand, current) else { return nil }
            try budget.spend(byteCount: text.utf8.count)
            if let lastPattern, FieldSyntax.isSameText(lastPattern.text, text) { return lastPattern.pattern }
            try budget.spend(text.utf8.count)
            let pattern = try JSONPathPattern(text)
            try budget.spend(pattern?.stateCount ?? 1_000)
            lastPattern = (text, pattern)
            return pattern
        }
    }

    /// Returns the value of an operand; nil for the RFC's Nothing.
    private mutating func value(
        of operand: JSONPathOperand, _ current: JSONValue
    ) throws(JSONPathLimitError) -> JSONValue? {
        switch operand {
        case .literal(let value): return value
        case .single(let query): return try single(query, current)
        case .count(let query): return .integer(Int64(try nodes(query, current).count))
        case .value(let query):
            if query.isSingular { return try single(query, current) }
            let nodes = try nodes(query, current)
            // In a conditional operator, nil would be the JSON null.
            guard nodes.count == 1 else { return .none }
            return nodes[0]
        case .length(let operand): return try length(of: value(of: operand, current)).map { .integer(Int64($0)) }
        }
    }

    private mutating func length(of value: JSONValue?) throws(JSONPathLimitError) -> Int? {
        switch value {
        case .string(let text):
            try budget.spend(byteCount: text.utf8.count)
            return text.unicodeScalars.count
        case .array(let elements): return elements.count
        case .object(let members): return members.count
        case .null, .bool, .integer, .number, nil: return nil
        }
    }

    private func start(of query: JSONPathQuery, _ current: JSONValue) -> JSONValue {
        guard !query.isRelative else { return current }
        guard let root else { preconditionFailure("a query from the root is evaluated without the root") }
        return root
    }

    private mutating func nodes(
        _ query: JSONPathQuery, _ current: JSONValue
    ) throws(JSONPathLimitError) -> [JSONValue] {
        try self.select(query.segments[...], from: start(of: query, current))
    }

    /// Evaluates a query that has only names and indices.
    private mutating func single(
        _ query: JSONPathQuery, _ current: JSONValue
    ) throws(JSONPathLimitError) -> JSONValue? {
        var value = start(of: query, current)
        for segment in query.segments {
            try budget.spend()
            guard let child = child(segment.selectors[0], of: value) else { return nil }
            value = child
        }
        return value
    }

    private func child(_ selector: JSONPathSelector, of value: JSONValue) -> JSONValue? {
        switch selector {
        case .name(let name): return value[name.string]
        case .index(let index):
            guard case .array(let elements) = value else { return nil }
            let index = index >= 0 ? index : elements.count + index
            guard elements.indices.contains(index) else { return .none }
            return elements[index]
        case .wildcard, .slice, .filter: preconditionFailure("a query for one value has only names and indices")
        }
    }
}
