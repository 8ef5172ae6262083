// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetPipelines

extension RequestLine.Pagination: FieldCodable {
    private enum Name: String, CaseIterable { case next, items, until, max }
    private enum NextName: String, CaseIterable { case body, header, cursor, page, offset, into, start, limit }
    private enum CursorName: String, CaseIterable { case header }
    private enum EndName: String, CaseIterable { case total }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        self.init(next: try Self.next(try fields.required(.next)))
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
