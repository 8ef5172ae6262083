// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetPipelines

// MARK: - Members of the line

extension RequestLine.Pipeline {
    /// The fields of a line that belong to its pipeline.
    enum Name: String, CaseIterable {
        case paginate, each, extract, rows, until, stream, maxItems, remember
        case assertions = "assert"
    }

    static func read(_ fields: StrictObject<Name>) throws(RequestLineError) -> RequestLine.Pipeline {
        var pipeline = RequestLine.Pipeline()
        pipeline.paginate = try fields[.paginate].map { field throws(RequestLineError) in
            try RequestLine.Pagination(field)
        }
        pipeline.each = try fields[.each].map { field throws(RequestLineError) in try RequestLine.FanOut(field) }
        pipeline.extract =
            try fields[.extract]?.eachMember { field throws(RequestLineError) in
                try RequestLine.Extraction(field)
            } ?? [:]
        pipeline.rows = try fields[.rows]?.jsonPath()
        pipeline.assertions = try fields[.assertions].map(RequestLine.Assertion.list) ?? []
        pipeline.until = try fields[.until].map { field throws(RequestLineError) in try RequestLine.Condition(field) }
        pipeline.stream = try fields[.stream].map { field throws(RequestLineError) in
            try RequestLine.StreamForm(field)
        }
        pipeline.maxItems = try fields[.maxItems]?.integer(in: 1...Int.max)
        pipeline.remember =
            try fields[.remember]?.eachMember { field throws(RequestLineError) in
                try RequestLine.Memory(field)
            } ?? [:]
        return pipeline
    }

    /// The names of the fields that are set, sorted.
    package var fieldNames: [String] { members.members.names }

    var members: MemberList<Name> {
        var members = MemberList<Name>()
        members.set(.paginate, paginate)
        members.set(.each, each)
        members.set(.extract, extract, unless: [:])
        members.set(.rows, rows?.description)
        members.set(.assertions, assertions, unless: [])
        members.set(.until, until)
        members.set(.stream, stream?.rawValue)
        members.set(.maxItems, maxItems)
        members.set(.remember, remember, unless: [:])
        return members
    }
}

extension StrictField {
    /// Returns a path of RFC 9535.
    func jsonPath() throws(RequestLineError) -> JSONPath {
        let text = try string()
        do throws(JSONPathError) {
            return try JSONPath(text)
        } catch {
            throw problem("\(JSONText.quoted(text)) is not a JSONPath: \(error)")
        }
    }

    /// Returns a regular expression.
    func pattern() throws(RequestLineError) -> TextPattern {
        let text = try string()
        guard let pattern = TextPattern(text) else {
            throw problem("\(JSONText.quoted(text)) is not a regular expression")
        }
        return pattern
    }

    /// Returns the name of a header field.
    func headerName() throws(RequestLineError) -> String {
        let name = try string()
        guard FieldSyntax.isToken(name.utf8) else {
            throw problem("expected the name of a header field, found \(JSONText.quoted(name))")
        }
        return name
    }

    /// Returns the members of an object with arbitrary names, each read by `read`. Two Unicode normal forms of one name
    /// are an error: a dictionary would lose one of the members, and a reader could not distinguish them.
    func eachMember<Value>(
        _ read: (StrictField) throws(RequestLineError) -> Value
    ) throws(RequestLineError) -> [String: Value] {
        var values: [String: Value] = [:]
        for (name, value) in try members().sorted {
            let member = StrictField(value: value, path: path.member(name))
            guard values.updateValue(try read(member), forKey: name) == nil else {
                throw member.problem("duplicate name, in another Unicode normal form")
            }
        }
        return values
    }

    /// Returns the only member of an object with its name.
    func onlyMember<Name: RawRepresentable<String> & CaseIterable & Equatable>(
        of names: Name.Type
    ) throws(RequestLineError) -> (name: Name, field: StrictField) {
        let fields = try object(of: Name.self)
        let given = Name.allCases.compactMap { name in fields[name].map { (name, $0) } }
        guard given.count == 1 else {
            let choices = Name.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw problem("expected exactly one of \(choices)")
        }
        return given[0]
    }

    /// Checks that the value is `true`.
    func requireTrue() throws(RequestLineError) {
        guard try bool() else { throw problem("expected true") }
    }
}

// MARK: - Values

extension RequestLine.StreamForm {
    fileprivate init(_ field: StrictField) throws(RequestLineError) {
        let text = try field.string()
        guard let form = Self(rawValue: text) else {
            throw field.problem("expected \"events\" or \"lines\", found \(JSONText.quoted(text))")
        }
        self = form
    }
}

extension RequestLine.Extraction: FieldCodable {
    private enum Name: String, CaseIterable { case header, status, duration, text }

    init(_ field: StrictField) throws(RequestLineError) {
        if field.value.string != nil {
            self = .path(try field.jsonPath())
            return
        }
        let (name, value) = try field.onlyMember(of: Name.self)
        switch name {
        case .header: self = .header(try value.headerName())
        case .status:
            try value.requireTrue()
            self = .status
        case .duration:
            try value.requireTrue()
            self = .duration
        case .text: self = .text(try value.pattern())
        }
    }

    var jsonValue: JSONValue {
        switch self {
        case .path(let path): .string(path.description)
        case .header(let name): ["header": .string(name)]
        case .status: ["status": true]
        case .duration: ["duration": true]
        case .text(let pattern): ["text": .string(pattern.description)]
        }
    }
}

extension RequestLine.Condition: FieldCodable {
    private enum Name: String, CaseIterable {
        case every, timeout, max
        case assertions = "assert"
    }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        assertions = try RequestLine.Assertion.list(try fields.required(.assertions))
        every = try fields.required(.every).positiveSeconds()
        timeout = try fields[.timeout]?.positiveSeconds()
        max = try fields[.max]?.integer(in: 1...Int.max)
        guard timeout != nil || max != nil else {
            throw field.problem("expected \"timeout\" (seconds) or \"max\" (times), else it may never end")
        }
    }

    var jsonValue: JSONValue {
        var members = MemberList<Name>()
        members.set(.assertions, assertions)
        members.set(.every, every)
        members.set(.timeout, timeout)
        members.set(.max, max)
        return members.jsonValue
    }
}

extension RequestLine.Memory: FieldCodable {
    init(_ field: StrictField) throws(RequestLineError) {
        let (choice, path) = try field.onlyMember(of: Choice.self)
        self.init(choice, try path.jsonPath())
    }

    var jsonValue: JSONValue { .object([choice.rawValue: .string(path.description)]) }
}
