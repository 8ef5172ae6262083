// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

// MARK: - Members of the line

extension RequestLine.Pipeline {
    /// The fields of a line that belong to its pipeline.
    enum Name: String, CaseIterable {
        case paginate, each, extract, rows, until, remember
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
            throw problem("\(JSONText.quoted(text)) is no JSONPath: \(error)")
        }
    }

    /// Returns a regular expression.
    func pattern() throws(RequestLineError) -> TextPattern {
        let text = try string()
        guard let pattern = TextPattern(text) else {
            throw problem("\(JSONText.quoted(text)) is no regular expression")
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

    /// Returns the members of an object with arbitrary names, each read by `read`.
    func eachMember<Value>(
        _ read: (StrictField) throws(RequestLineError) -> Value
    ) throws(RequestLineError) -> [String: Value] {
        var values: [String: Value] = [:]
        for (name, value) in try members().sorted {
            values[name] = try read(StrictField(value: value, path: path.member(name)))
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

// MARK: - Pages

extension RequestLine.Pagination: FieldCodable {
    private enum Name: String, CaseIterable { case next, items, until, max }
    private enum NextName: String, CaseIterable { case body, header, cursor, page, offset, into, start, limit }
    private enum CursorName: String, CaseIterable { case header }
    private enum EndName: String, CaseIterable { case total }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        next = try Self.next(try fields.required(.next))
        items = try fields[.items]?.jsonPath()
        max = try fields[.max]?.integer(in: 1...Int.max) ?? max
        guard let end = fields[.until] else { return }
        until = try self.end(of: end)
    }

    private static func next(_ field: StrictField) throws(RequestLineError) -> Next {
        if let word = field.value.string {
            guard word == "link" else {
                throw field.problem("expected \"link\" or an object, found \(JSONText.quoted(word))")
            }
            return .link
        }
        let fields = try field.object(of: NextName.self)
        let kinds: [NextName] = [.body, .header, .cursor, .page, .offset]
        let given = kinds.filter { fields[$0] != nil }
        guard given.count == 1, let kind = given.first, let value = fields[kind] else {
            throw field.problem(
                "expected exactly one of \"body\", \"header\", \"cursor\", \"page\", \"offset\" in the object")
        }
        try refuse(fields, unlessNeededBy: kind)
        switch kind {
        case .body: return .body(try value.jsonPath())
        case .header: return .header(try value.headerName())
        case .cursor: return .cursor(try cursor(value), into: try parameter(try fields.required(.into)))
        case .page: return .page(try parameter(value), start: try fields[.start]?.integer(in: 0...Int.max / 2) ?? 1)
        default:
            return .offset(try parameter(value), limit: try fields.required(.limit).integer(in: 1...1 << 31))
        }
    }

    /// Throws an error for a member that belongs to another kind of pagination.
    private static func refuse(
        _ fields: StrictObject<NextName>, unlessNeededBy kind: NextName
    ) throws(RequestLineError) {
        let owners: [(NextName, NextName)] = [(.into, .cursor), (.start, .page), (.limit, .offset)]
        for (name, owner) in owners where kind != owner {
            if let field = fields[name] { throw field.problem("only \"\(owner.rawValue)\" has \"\(name.rawValue)\"") }
        }
    }

    private static func cursor(_ field: StrictField) throws(RequestLineError) -> Cursor {
        if field.value.string != nil { return .body(try field.jsonPath()) }
        return .header(try field.onlyMember(of: CursorName.self).field.headerName())
    }

    private static func parameter(_ field: StrictField) throws(RequestLineError) -> Parameter {
        let text = try field.string()
        if text.hasPrefix("query."), text.utf8.count > 6 { return .query(String(text.dropFirst(6))) }
        if text.hasPrefix("json."), text.utf8.count > 5 { return .json(String(text.dropFirst(5))) }
        throw field.problem("expected \"query.NAME\" or \"json.NAME\", found \(JSONText.quoted(text))")
    }

    private func end(of field: StrictField) throws(RequestLineError) -> End {
        switch next {
        case .page, .offset: break
        default:
            throw field.problem(
                "only pages by \"page\" and \"offset\" have \"until\": others end without a next one")
        }
        guard let word = field.value.string else {
            return .total(try field.onlyMember(of: EndName.self).field.jsonPath())
        }
        switch (word, next) {
        case ("empty", _): return .empty
        case ("short", .offset): return .short
        case ("short", _): throw field.problem("\"short\" needs the \"limit\" of \"offset\"")
        default:
            throw field.problem(
                "expected \"empty\", \"short\" or {\"total\": PATH}, found \(JSONText.quoted(word))")
        }
    }

    var jsonValue: JSONValue {
        var members = MemberList<Name>()
        members.set(.next, next.jsonValue)
        members.set(.items, items?.description)
        switch until {
        case .empty: break
        case .short: members.set(.until, "short")
        case .total(let path): members.set(.until, ["total": .string(path.description)] as JSONValue)
        }
        members.set(.max, max, unless: Self.defaultMaximum)
        return members.jsonValue
    }
}

extension RequestLine.Pagination.Next {
    fileprivate var jsonValue: JSONValue {
        switch self {
        case .link: "link"
        case .body(let path): ["body": .string(path.description)]
        case .header(let name): ["header": .string(name)]
        case .cursor(.body(let path), let parameter):
            ["cursor": .string(path.description), "into": .string(parameter.text)]
        case .cursor(.header(let name), let parameter):
            ["cursor": ["header": .string(name)], "into": .string(parameter.text)]
        case .page(let parameter, let start):
            ["page": .string(parameter.text), "start": .integer(Int64(start))]
        case .offset(let parameter, let limit):
            ["offset": .string(parameter.text), "limit": .integer(Int64(limit))]
        }
    }
}

extension RequestLine.Pagination.Parameter {
    /// The parameter as a line names it.
    var text: String {
        switch self {
        case .query(let name): "query.\(name)"
        case .json(let name): "json.\(name)"
        }
    }
}

// MARK: - Elements

extension RequestLine.FanOut: FieldCodable {
    private enum Name: String, CaseIterable {
        case of, items, file, key, max
        case name = "as"
    }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        switch (fields[.of], fields[.file]) {
        case (let line?, nil): source = .line(try line.identifier())
        case (nil, let file?): source = .file(try Self.path(file))
        default: throw field.problem("expected exactly one of \"of\", \"file\"")
        }
        items = try fields[.items]?.jsonPath()
        if items != nil, case .file = source {
            throw RequestLineError(at: field.path.member("items"), "the elements of a file are its rows")
        }
        name = try Self.name(try fields.required(.name))
        key = try fields[.key].map { [source] field throws(RequestLineError) in try Self.key(field, source) }
        max = try fields[.max]?.integer(in: 1...Int.max)
    }

    /// The endings of the names of files with elements.
    private static let endings = [".csv", ".ndjson", ".jsonl"]

    private static func path(_ field: StrictField) throws(RequestLineError) -> String {
        let path = try field.string()
        let lowercase = path.lowercased()
        guard endings.contains(where: { lowercase.hasSuffix($0) }) else {
            throw field.problem("expected a name that ends in .csv, .ndjson or .jsonl, found \(JSONText.quoted(path))")
        }
        return path
    }

    private static func name(_ field: StrictField) throws(RequestLineError) -> String {
        let name = try field.string()
        let isUsable = !name.isEmpty && name.utf8.allSatisfy { !".{}$:".utf8.contains($0) && $0 > 0x20 }
        guard isUsable, name != "state" else {
            throw field.problem("expected a name without . { } $ : and blanks, other than \"state\"")
        }
        return name
    }

    private static func key(_ field: StrictField, _ source: Source) throws(RequestLineError) -> Key {
        let text = try field.string()
        if text.hasPrefix("$") { return .path(try field.jsonPath()) }
        guard case .file = source else {
            return .path(try field.jsonPath())  // throws the error of a path without a dollar sign
        }
        guard !text.isEmpty else { throw field.problem("the name of a column must not be empty") }
        return .name(text)
    }

    var jsonValue: JSONValue {
        var members = MemberList<Name>()
        switch source {
        case .line(let id): members.set(.of, id)
        case .file(let path): members.set(.file, path)
        }
        members.set(.items, items?.description)
        members.set(.name, name)
        switch key {
        case .path(let path)?: members.set(.key, path.description)
        case .name(let name)?: members.set(.key, name)
        case nil: break
        }
        members.set(.max, max)
        return members.jsonValue
    }
}

// MARK: - Values

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
