// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetPipelines
internal import Foundation

extension RequestLine.Assertion {
    /// The value of a subject.
    private enum Found {
        case none
        case value(JSONValue, count: Int)
        case unreadable(String)

        var value: JSONValue? { if case .value(let value, _) = self { value } else { nil } }
        var count: Int { if case .value(_, let count) = self { count } else { 0 } }
    }

    /// Returns why the assertion does not hold: the subject, the predicate, what is expected and what was found. Nil
    /// if it holds.
    func violation(by response: ResponseFacts) -> String? {
        let found = found(in: response)
        if case .unreadable(let reason) = found { return "\(self): \(reason)" }
        switch holds(for: found) {
        case true?: return nil
        case false?: return "\(self), found \(description(of: found))"
        case nil: return "\(self): the search was given up, because the expression backtracks too much"
        }
    }

    private func found(in response: ResponseFacts) -> Found {
        do throws(ResponseFacts.Unreadable) {
            switch subject {
            case .path(let path): return Self.found(try response.values(at: path))
            case .header(let name): return Self.found(header: response.values(ofField: name))
            case .status: return .value(.integer(Int64(response.status)), count: 1)
            case .duration: return .value(.number(JSONNumber(response.duration)), count: 1)
            case .bytes: return .value(.integer(Int64(response.byteCount)), count: 1)
            case .text: return .value(.string(try response.text()), count: 1)
            }
        } catch {
            return .unreadable(error.reason)
        }
    }

    private static func found(_ values: [JSONValue]) -> Found {
        guard let first = values.first else { return .none }
        return .value(values.count == 1 ? first : .array(values), count: values.count)
    }

    private static func found(header values: [String]) -> Found {
        values.isEmpty ? .none : .value(.string(values.joined(separator: ", ")), count: values.count)
    }

    /// Returns nil if a search was given up.
    private func holds(for found: Found) -> Bool? {
        switch predicate {
        case .exists(let exists): return (found.value != nil) == exists
        case .count(let count): return found.count == count
        case .notEquals(let expected): return found.value.map { !equals($0, expected) } ?? true
        default: break
        }
        guard let value = found.value else { return false }
        switch predicate {
        case .equals(let expected): return equals(value, expected)
        case .compares(let comparison, let expected): return compares(value, comparison, expected)
        case .matches(let pattern):
            guard let text = value.textForm else { return false }
            switch pattern.firstMatch(in: text) {
            case .found: return true
            case .none: return false
            case .abandoned: return nil
            }
        case .contains(let expected): return Self.contains(value, expected)
        case .isType(let type): return type.matches(value)
        case .exists, .count, .notEquals: return false
        }
    }

    /// Compares values; a header field equals a number if its text is one of the same value.
    private func equals(_ value: JSONValue, _ expected: JSONValue) -> Bool {
        value.hasSameValue(as: expected) || comparable(value, with: expected).hasSameValue(as: expected)
    }

    /// The text of a header field as a number, if a number is expected.
    private func comparable(_ value: JSONValue, with expected: JSONValue) -> JSONValue {
        guard case .header = subject, expected.number != nil, let text = value.string else { return value }
        return (try? JSONValue(parsing: .init(text.utf8))).flatMap { $0.number == nil ? nil : $0 } ?? value
    }

    private func compares(
        _ value: JSONValue, _ comparison: RequestLine.Assertion.Comparison, _ expected: JSONValue
    ) -> Bool {
        let value = comparable(value, with: expected)
        if let one = value.string, let other = expected.string {
            let (one, other) = (ByteString(one), ByteString(other))
            return comparison.holds(one == other, one < other)
        }
        guard let one = value.exactNumber, let other = expected.exactNumber else { return false }
        return comparison.holds(one == other, one < other)
    }

    private static func contains(_ value: JSONValue, _ expected: JSONValue) -> Bool {
        switch value {
        case .string(let text): expected.string.map { text.contains($0) } ?? false
        case .array(let elements): elements.contains { $0.hasSameValue(as: expected) }
        case .object(let members): expected.string.map { members[$0] != nil } ?? false
        default: false
        }
    }

    private func description(of found: Found) -> String {
        if case .count = predicate { return "\(found.count)" }
        guard let value = found.value else { return "nothing" }
        return Self.shortened(value.redacted.jsonText)
    }

    /// The first part of a text that a server chose.
    private static func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= 200 ? text : String(String.UnicodeScalarView(scalars.prefix(200))) + "…"
    }
}

extension RequestLine.Assertion: CustomStringConvertible {
    /// The subject and the predicate with what is expected: `path "$.state" equals "done"`.
    public var description: String {
        let subject =
            switch subject {
            case .path(let path): "path \(JSONText.quoted(path.description))"
            case .header(let name): "header \(JSONText.quoted(name))"
            case .status: "status"
            case .duration: "duration"
            case .bytes: "bytes"
            case .text: "text"
            }
        let (name, value) = predicate.member
        return "\(subject) \(name.rawValue) \(value.redacted.jsonText)"
    }
}

extension RequestLine.Assertion.Comparison {
    fileprivate func holds(_ areEqual: Bool, _ isLess: Bool) -> Bool {
        switch self {
        case .lessThan: isLess && !areEqual
        case .atMost: isLess || areEqual
        case .greaterThan: !isLess && !areEqual
        case .atLeast: !isLess || areEqual
        }
    }
}

extension RequestLine.Assertion.ValueType {
    fileprivate func matches(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.boolean, .bool), (.array, .array), (.object, .object), (.null, .null),
            (.number, .number), (.number, .integer), (.integer, .integer):
            true
        case (.integer, .number(let number)): number.isWhole
        default: false
        }
    }
}

extension JSONValue {
    /// The text of a string or a number, for regular expressions.
    fileprivate var textForm: String? {
        switch self {
        case .string(let text): text
        case .integer, .number, .bool: jsonText
        default: nil
        }
    }
}
