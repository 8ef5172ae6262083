// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

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
