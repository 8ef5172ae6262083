// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Conditions of filters (RFC 9535, 2.3.5).
extension JSONPathParser {
    /// An operand whose type is not checked yet.
    private enum Term {
        case literal(JSONValue)
        case query(JSONPathQuery, blank: Int?)
        /// A function that returns a value, with its name.
        case value(JSONPathOperand, String)
        /// A function that returns true or false, with its name.
        case condition(JSONPathCondition, String)
    }

    /// Parses terms that are joined with `||`.
    mutating func condition() throws(JSONPathError) -> JSONPathCondition {
        try enter()
        defer { depth -= 1 }
        var conditions = [try conjunction()]
        while skipOperator("||") { conditions.append(try conjunction()) }
        return conditions.count == 1 ? conditions[0] : .any(conditions)
    }

    private mutating func enter() throws(JSONPathError) {
        guard depth < Self.maximumDepth else {
            throw scanner.error("more than \(Self.maximumDepth) nested filters, parentheses and functions")
        }
        depth += 1
    }

    private mutating func conjunction() throws(JSONPathError) -> JSONPathCondition {
        var conditions = [try basicCondition()]
        while skipOperator("&&") { conditions.append(try basicCondition()) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    /// Skips the operator with blank space around it, if it comes next.
    private mutating func skipOperator(_ token: StaticString) -> Bool {
        let end = scanner.position
        scanner.skipBlank()
        guard scanner.skip(token) else {
            scanner.position = end
            return false
        }
        scanner.skipBlank()
        return true
    }

    private mutating func basicCondition() throws(JSONPathError) -> JSONPathCondition {
        let isNegated = scanner.skip("!")
        if isNegated { scanner.skipBlank() }
        let start = scanner.position
        if scanner.next == UInt8(ascii: "(") {
            let condition = try parentheses()
            return isNegated ? .not(condition) : condition
        }
        let first = try term()
        guard let comparison = try comparison() else {
            let condition = try test(first, at: start)
            return isNegated ? .not(condition) : condition
        }
        if isNegated { throw scanner.error("a negated comparison is in parentheses: !(…)", at: start) }
        let second = scanner.position
        let operands = (try operand(first, at: start), try operand(try term(), at: second))
        return .comparison(operands.0, comparison, operands.1)
    }

    private mutating func parentheses() throws(JSONPathError) -> JSONPathCondition {
        let opening = scanner.position
        scanner.position += 1
        scanner.skipBlank()
        let condition = try condition()
        scanner.skipBlank()
        guard scanner.next != nil else { throw scanner.error("the parenthesis is not closed", at: opening) }
        guard scanner.skip(")") else { throw errorAfterCondition("&&, || or ) is expected") }
        if let operation = try comparison() {
            throw scanner.error(
                "parentheses enclose a condition, which \(operation.rawValue) cannot compare", at: opening)
        }
        return condition
    }

    /// Parses an operator with blank space around it; nil if none comes next.
    private mutating func comparison() throws(JSONPathError) -> JSONPathComparison? {
        let end = scanner.position
        scanner.skipBlank()
        guard let byte = scanner.next, "=!<>".utf8.contains(byte) else {
            scanner.position = end
            return nil
        }
        let start = scanner.position
        while let byte = scanner.next, "=!<>~".utf8.contains(byte) { scanner.position += 1 }
        let token = scanner.text(start..<scanner.position)
        guard let comparison = JSONPathComparison(rawValue: token) else {
            throw scanner.error(Self.advice(forOperator: token), at: start)
        }
        scanner.skipBlank()
        return comparison
    }

    private static func advice(forOperator token: String) -> String {
        switch token {
        case "=", "===": "values are compared with ==, not with \(token)"
        case "<>", "!==", "!": "values are compared with !=, not with \(token)"
        case "=~": "=~ is not an operator: use match() or search()"
        default: "unknown operator \(token): the operators are ==, !=, <, <=, > and >="
        }
    }

    /// Returns the error for an unexpected character after a condition.
    func errorAfterCondition(_ reason: String) -> JSONPathError {
        switch scanner.next {
        case UInt8(ascii: "&"): scanner.error("conditions are joined with &&")
        case UInt8(ascii: "|"): scanner.error("conditions are joined with ||")
        case _ where scanner.isNext("and "): scanner.error("conditions are joined with &&, not with and")
        case _ where scanner.isNext("or "): scanner.error("conditions are joined with ||, not with or")
        default: errorAfterSegments(reason)
        }
    }
}

// MARK: - Terms

extension JSONPathParser {
    private mutating func term() throws(JSONPathError) -> Term {
        switch scanner.next {
        case UInt8(ascii: "@"), UInt8(ascii: "$"):
            let query = try query()
            return .query(query, blank: blankInBrackets)
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .literal(.string(try scanner.string()))
        case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return .literal(try scanner.number())
        case (UInt8(ascii: "a")...UInt8(ascii: "z"))?: return try functionOrLiteral()
        default: throw termError()
        }
    }

    private mutating func functionOrLiteral() throws(JSONPathError) -> Term {
        let start = scanner.position
        let word = scanner.word()
        if scanner.next == UInt8(ascii: "(") { return try function(word, at: start) }
        switch word {
        case "true": return .literal(.bool(true))
        case "false": return .literal(.bool(false))
        case "null": return .literal(.null)
        default:
            scanner.position = start
            throw termError()
        }
    }

    private func termError() -> JSONPathError {
        guard let byte = scanner.next else { return scanner.error("the path ends in a filter") }
        return switch byte {
        case UInt8(ascii: "("): scanner.error("parentheses enclose conditions, not operands")
        case UInt8(ascii: "!"): scanner.error("only one ! precedes a condition")
        case UInt8(ascii: "/"): scanner.error("patterns are strings: match(@.name, 'pattern')")
        case UInt8(ascii: "="): scanner.error("values are compared with ==")
        case UInt8(ascii: "."), UInt8(ascii: "["): scanner.error("queries in filters begin with @ or $")
        case _ where JSONPathScanner.isNameStart(byte):
            scanner.error("queries begin with @ or $, strings are quoted, literals are true, false and null")
        default: scanner.error("a query with @ or $, a literal or a function is expected")
        }
    }

    /// Checks a term without a comparison.
    private func test(_ term: Term, at start: Int) throws(JSONPathError) -> JSONPathCondition {
        switch term {
        case .query(let query, _): return .exists(query)
        case .condition(let condition, _): return condition
        case .literal: throw scanner.error("a literal is not a condition: compare it", at: start)
        case .value(_, let name): throw scanner.error("\(name)() is not a condition: compare its result", at: start)
        }
    }

    /// Checks a term that is compared, or that is an argument. Comparisons allow no blanks in brackets.
    private func operand(
        _ term: Term, at start: Int, isArgument: Bool = false
    ) throws(JSONPathError) -> JSONPathOperand {
        switch term {
        case .literal(let value): return .literal(value)
        case .value(let operand, _): return operand
        case .condition(_, let name):
            throw scanner.error("\(name)() is a condition, which cannot be compared or passed to a function", at: start)
        case .query(let query, let blank):
            guard query.isSingular else {
                let use = isArgument ? "is this argument" : "is compared"
                throw scanner.error(
                    "only a query for one value \(use): names and indices, one in each segment", at: start)
            }
            if let blank, !isArgument {
                throw scanner.error("no blank space is allowed in brackets of a query for one value", at: blank)
            }
            return .single(query)
        }
    }
}

// MARK: - Functions

extension JSONPathParser {
    private typealias Argument = (term: Term, start: Int)

    /// Parses the arguments of a function, from the parenthesis on.
    private mutating func function(_ name: String, at start: Int) throws(JSONPathError) -> Term {
        try enter()
        defer { depth -= 1 }
        let counts = ["count": 1, "length": 1, "match": 2, "search": 2, "value": 1]
        guard let count = counts[name] else {
            throw scanner.error(
                "unknown function \(name): the functions are count, length, match, search and value", at: start)
        }
        let arguments = try arguments(of: name)
        guard arguments.count == count else {
            let expected = count == 1 ? "one argument" : "\(count) arguments"
            throw scanner.error("\(name)() has \(expected), not \(arguments.count)", at: start)
        }
        switch name {
        case "count": return .value(.count(try queryArgument(arguments[0], of: name)), name)
        case "value": return .value(.value(try queryArgument(arguments[0], of: name)), name)
        case "length": return .value(.length(try argument(arguments[0])), name)
        default:
            let text = try argument(arguments[0])
            let pattern = try pattern(arguments[1])
            return .condition(.matches(text: text, pattern: pattern, isPartial: name == "search"), name)
        }
    }

    private mutating func arguments(of name: String) throws(JSONPathError) -> [Argument] {
        var arguments: [Argument] = []
        scanner.position += 1
        scanner.skipBlank()
        if scanner.skip(")") { return arguments }
        while true {
            let start = scanner.position
            if let byte = scanner.next, "!(".utf8.contains(byte) { throw conditionError(name, at: start) }
            arguments.append((try term(), start))
            scanner.skipBlank()
            if scanner.skip(")") { return arguments }
            guard scanner.skip(",") else {
                if let byte = scanner.next, "=!<>&|".utf8.contains(byte) { throw conditionError(name, at: start) }
                throw errorAfterSegments("a comma or ) is expected")
            }
            scanner.skipBlank()
        }
    }

    private func conditionError(_ name: String, at start: Int) -> JSONPathError {
        scanner.error("\(name)() takes no conditions as arguments", at: start)
    }

    private func argument(_ argument: Argument) throws(JSONPathError) -> JSONPathOperand {
        try operand(argument.term, at: argument.start, isArgument: true)
    }

    private func queryArgument(_ argument: Argument, of name: String) throws(JSONPathError) -> JSONPathQuery {
        guard case .query(let query, _) = argument.term else {
            throw scanner.error("the argument of \(name)() is a query, such as @.*", at: argument.start)
        }
        return query
    }

    private func pattern(_ argument: Argument) throws(JSONPathError) -> JSONPathPatternSource {
        let operand = try self.argument(argument)
        guard case .literal(.string(let text)) = operand else { return .operand(operand) }
        do {
            return .literal(try JSONPathPattern(text))
        } catch {
            throw scanner.error(error.reason, at: argument.start)
        }
    }
}
