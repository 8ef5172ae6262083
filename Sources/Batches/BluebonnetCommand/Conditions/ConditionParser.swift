// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// Parses the conditions of `--fail-if`. Spaces between the parts are optional.
struct ConditionParser {
    /// Why a text is not a condition, as the end of a sentence.
    struct Problem: Error, Equatable {
        let message: String
    }

    private let text: Substring
    private var rest: Substring

    private init(_ text: Substring) { (self.text, rest) = (text, text) }

    static func parse(_ text: String) throws(Problem) -> FailCondition {
        var parser = ConditionParser(trimmed(text[...]))
        let subject = try parser.subject()
        let comparison = try parser.comparison(after: subject)
        let limit = try limit(of: subject, Self.trimmed(parser.rest))
        return FailCondition(subject: subject, comparison: comparison, limit: limit, text: String(parser.text))
    }

    private static let subjects = FailCondition.Subject.allCases.map(\.rawValue)

    private mutating func subject() throws(Problem) -> FailCondition.Subject {
        let word = String(rest.prefix { $0.isLetter || $0.isNumber })
        rest = Self.trimmed(rest.dropFirst(word.count))
        if let subject = FailCondition.Subject(rawValue: word) { return subject }
        let near = SpellingSuggestion.of(word, among: Self.subjects).map { "; did you mean \($0)?" } ?? ""
        let names = Self.subjects.joined(separator: ", ")
        throw Problem(message: "it must begin with one of \(names), as in 'failed > 1%'\(near)")
    }

    private mutating func comparison(
        after subject: FailCondition.Subject
    ) throws(Problem) -> FailCondition.Comparison {
        let sign = rest.prefix { "<>=!".contains($0) }
        rest = rest.dropFirst(sign.count)
        if let comparison = FailCondition.Comparison(rawValue: String(sign)) { return comparison }
        let near = ["=": "==", "=>": ">=", "=<": "<="][String(sign)].map { "; did you mean \($0)?" }
        // A shell takes an unquoted > as a redirection.
        let quotes = sign.isEmpty && rest.isEmpty ? "; put the whole condition in quotation marks" : ""
        throw Problem(message: "\(subject.rawValue) must be followed by >, >=, <, <= or ==\(near ?? quotes)")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

// MARK: - Limits

extension ConditionParser {
    private static func limit(
        of subject: FailCondition.Subject, _ text: Substring
    ) throws(Problem) -> FailCondition.Limit {
        let limit: FailCondition.Limit?
        let expectation: String
        switch subject {
        case .failed, .skipped:
            limit = share(text)
            expectation = "a count or a part of all operations from 0% to 100%, such as 10 or 0.5%"
        case .p50, .p95, .p99:
            limit = duration(text)
            expectation = "a duration with its unit, such as 800ms or 2s"
        case .rate:
            limit = number(text.hasSuffix("/s") ? text.dropLast(2) : text).map { .rate($0) }
            expectation = "a number of requests per second, such as 50 or 0.5/s"
        }
        guard let limit else {
            let found = text.isEmpty ? "" : ", but is compared with \(text)"
            throw Problem(message: "\(subject.rawValue) must be compared with \(expectation)\(found)")
        }
        return limit
    }

    private static func share(_ text: Substring) -> FailCondition.Limit? {
        guard text.hasSuffix("%") else { return isNumber(text) ? Int(text).map { .count($0) } : nil }
        guard let percent = number(trimmed(text.dropLast())), percent <= 100 else { return nil }
        return .percent(percent)
    }

    private static func duration(_ text: Substring) -> FailCondition.Limit? {
        for (unit, unitsPerSecond) in [("ms", 1000.0), ("s", 1.0)] where text.hasSuffix(unit) {
            return number(trimmed(text.dropLast(unit.count))).map { .seconds($0 / unitsPerSecond) }
        }
        return nil
    }

    /// A decimal number without sign and exponent.
    private static func number(_ text: Substring) -> Double? {
        isNumber(text) ? Double(text) : nil
    }

    private static func isNumber(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    }
}
