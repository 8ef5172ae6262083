// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// One value of a request line with its path. Its methods return the value as the expected type, or throw an error
/// that names the actual type.
struct StrictField {
    let value: JSONValue
    let path: FieldPath

    /// Returns an error at this field.
    func problem(_ message: String) -> RequestLineError {
        RequestLineError(at: path, message)
    }

    /// Returns an error that names the expected and the actual kind of value.
    func expected(_ expectation: String) -> RequestLineError {
        problem("expected \(expectation), found \(found)")
    }

    /// The kind of the value for an error message. For a number, this includes the number itself.
    private var found: String {
        switch value {
        case .null: "null"
        case .bool(let truth): truth ? "true" : "false"
        case .integer, .number: "the number \(JSONText.text(of: value))"
        case .string: "a string"
        case .array(let elements): elements.isEmpty ? "an empty array" : "an array"
        case .object: "an object"
        }
    }
}

// MARK: - Scalars

extension StrictField {
    func string() throws(RequestLineError) -> String {
        guard let text = value.string else { throw expected("a string") }
        return text
    }

    func bool() throws(RequestLineError) -> Bool {
        guard let truth = value.bool else { throw expected("true or false") }
        return truth
    }

    /// Returns the id of a line, which must not be empty.
    func identifier() throws(RequestLineError) -> String {
        let id = try string()
        guard !id.isEmpty else { throw problem("an id must not be empty") }
        return id
    }

    /// Returns an integer. A number with a zero fraction, such as `1.0`, is accepted.
    func integer(in range: ClosedRange<Int>) throws(RequestLineError) -> Int {
        let whole = value.integer.flatMap { Int(exactly: $0) } ?? value.number.flatMap { Int(exactly: $0) }
        guard let whole, range.contains(whole) else {
            let limit = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
            throw expected("an integer, \(range.lowerBound) \(limit)")
        }
        return whole
    }

    /// Returns a duration in seconds. Zero is an error.
    func positiveSeconds() throws(RequestLineError) -> Double {
        guard let number = value.number else { throw expected("a number of seconds") }
        guard number > 0, number.isFinite else { throw expected("more than 0 seconds") }
        return number
    }

    /// Returns a point in time in seconds, from zero.
    func secondsFromZero() throws(RequestLineError) -> Double {
        guard let number = value.number else { throw expected("a number of seconds") }
        guard number >= 0, number.isFinite else { throw expected("0 seconds or more") }
        return number
    }

    /// Returns the case of an enumeration with this name.
    func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(RequestLineError) -> Choice {
        try choice(among: Array(Choice.allCases))
    }

    /// Returns the choice with this name.
    func choice<Choice: RawRepresentable<String>>(among choices: [Choice]) throws(RequestLineError) -> Choice {
        let given = value.string.map(ByteString.init)
        guard let choice = choices.first(where: { ByteString($0.rawValue) == given }) else {
            let names = choices.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw problem("expected one of \(names), found \(value.string.map { JSONText.quoted($0) } ?? found)")
        }
        return choice
    }
}

// MARK: - Containers

extension StrictField {
    /// Returns the elements of an array, each read by `read`.
    func each<Element>(
        _ read: (StrictField) throws(RequestLineError) -> Element
    ) throws(RequestLineError) -> [Element] {
        guard let elements = value.array else { throw expected("an array") }
        var results: [Element] = []
        for (index, element) in elements.enumerated() {
            results.append(try read(StrictField(value: element, path: path.element(index))))
        }
        return results
    }

    /// Returns the elements of an array. An empty array is an error, because it would accept nothing.
    func eachOfSome<Element>(
        _ read: (StrictField) throws(RequestLineError) -> Element
    ) throws(RequestLineError) -> [Element] {
        if value.array?.isEmpty == true { throw expected("an array with at least one element") }
        return try each(read)
    }

    func strings() throws(RequestLineError) -> [String] {
        try each { element throws(RequestLineError) in try element.string() }
    }

    /// Returns the members of an object with arbitrary names.
    func members() throws(RequestLineError) -> JSONObject {
        guard let members = value.object else { throw expected("an object") }
        return members
    }

    /// Returns the members of an object with arbitrary names and string values only, in the order of the names' bytes.
    func stringMembers() throws(RequestLineError) -> [(name: String, value: String)] {
        var strings: [(name: String, value: String)] = []
        for (name, value) in try members().sorted {
            strings.append((name, try StrictField(value: value, path: path.member(name)).string()))
        }
        return strings
    }

    /// Returns the members of an object. A name that is not in `Name` is an error.
    func object<Name>(of names: Name.Type) throws(RequestLineError) -> StrictObject<Name> {
        let object = StrictObject<Name>(members: try members(), path: path)
        try object.refuseUnknownNames()
        return object
    }
}
