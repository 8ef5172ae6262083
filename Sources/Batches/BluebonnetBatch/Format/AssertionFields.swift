// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

extension RequestLine.Assertion: FieldCodable {
    /// The members of an assertion: subjects first, then predicates.
    enum Name: String, CaseIterable {
        case path, header, status, duration, bytes, text
        case equals, notEquals, lessThan, atMost, greaterThan, atLeast, matches, contains, exists, isType, count
    }

    private static let subjects: [Name] = [.path, .header, .status, .duration, .bytes, .text]
    private static let predicates = Name.allCases.filter { !subjects.contains($0) }

    /// Reads an array of assertions.
    static func list(_ field: StrictField) throws(RequestLineError) -> [RequestLine.Assertion] {
        try field.eachOfSome { assertion throws(RequestLineError) in try RequestLine.Assertion(assertion) }
    }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        subject = try Self.subject(try Self.only(Self.subjects, of: fields, "subject", field))
        predicate = try Self.predicate(try Self.only(Self.predicates, of: fields, "predicate", field))
        guard case .exists = predicate else { return }
        switch subject {
        case .path, .header: break
        default: throw field.problem("only \"path\" and \"header\" may be absent: \"exists\" does not apply")
        }
    }

    /// Returns the only member among some names.
    private static func only(
        _ names: [Name], of fields: StrictObject<Name>, _ role: String, _ field: StrictField
    ) throws(RequestLineError) -> (name: Name, field: StrictField) {
        let given = names.compactMap { name in fields[name].map { (name, $0) } }
        guard given.count == 1 else {
            let choices = names.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            let found = given.isEmpty ? "none" : given.map { "\"\($0.0.rawValue)\"" }.joined(separator: " and ")
            throw field.problem("expected one \(role) (\(choices)), found \(found)")
        }
        return given[0]
    }

    private static func subject(_ given: (name: Name, field: StrictField)) throws(RequestLineError) -> Subject {
        switch given.name {
        case .path: return .path(try given.field.jsonPath())
        case .header: return .header(try given.field.headerName())
        default: break
        }
        try given.field.requireTrue()
        switch given.name {
        case .status: return .status
        case .duration: return .duration
        case .bytes: return .bytes
        default: return .text
        }
    }

    private static func predicate(_ given: (name: Name, field: StrictField)) throws(RequestLineError) -> Predicate {
        let field = given.field
        switch given.name {
        case .equals: return .equals(field.value)
        case .notEquals: return .notEquals(field.value)
        case .matches: return .matches(try field.pattern())
        case .contains: return .contains(field.value)
        case .exists: return .exists(try field.bool())
        case .isType: return .isType(try field.choice())
        case .count: return .count(try field.integer(in: 0...Int.max))
        default: return .compares(try comparison(given.name, field), field.value)
        }
    }

    private static func comparison(_ name: Name, _ field: StrictField) throws(RequestLineError) -> Comparison {
        guard field.value.number != nil || field.value.string != nil else {
            throw field.expected("a number or a string")
        }
        guard let comparison = Comparison(rawValue: name.rawValue) else { throw field.problem("unknown predicate") }
        return comparison
    }

    var jsonValue: JSONValue {
        var members = MemberList<Name>()
        switch subject {
        case .path(let path): members.set(.path, path.description)
        case .header(let name): members.set(.header, name)
        case .status: members.set(.status, true)
        case .duration: members.set(.duration, true)
        case .bytes: members.set(.bytes, true)
        case .text: members.set(.text, true)
        }
        let (name, value) = predicate.member
        members.set(name, value)
        return members.jsonValue
    }
}

extension RequestLine.Assertion.Predicate {
    /// The predicate as a member of an assertion.
    var member: (name: RequestLine.Assertion.Name, value: JSONValue) {
        switch self {
        case .equals(let value): (.equals, value)
        case .notEquals(let value): (.notEquals, value)
        case .compares(.lessThan, let value): (.lessThan, value)
        case .compares(.atMost, let value): (.atMost, value)
        case .compares(.greaterThan, let value): (.greaterThan, value)
        case .compares(.atLeast, let value): (.atLeast, value)
        case .matches(let pattern): (.matches, .string(pattern.description))
        case .contains(let value): (.contains, value)
        case .exists(let exists): (.exists, .bool(exists))
        case .isType(let type): (.isType, .string(type.rawValue))
        case .count(let count): (.count, .integer(Int64(count)))
        }
    }
}

extension RequestLine.Assertion: StringReplacing {
    /// Visits the strings of the expected value.
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        let name = predicate.member.name
        var value = predicate.member.value
        switch predicate {
        case .matches, .exists, .isType, .count: return
        default: try value.replaceStrings(at: path.member(name.rawValue), transform)
        }
        switch predicate {
        case .equals: predicate = .equals(value)
        case .notEquals: predicate = .notEquals(value)
        case .compares(let comparison, _): predicate = .compares(comparison, value)
        default: predicate = .contains(value)
        }
    }
}
