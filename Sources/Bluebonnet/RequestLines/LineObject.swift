// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The members of one object of a request line, by the names that it may have.
struct LineObject<Name: RawRepresentable<String> & CaseIterable> {
    let members: [String: JSONValue]
    let path: FieldPath

    /// The member with this name, or nil.
    subscript(name: Name) -> LineField? {
        value(name.rawValue).map { LineField(value: $0, path: path.member(name.rawValue)) }
    }

    /// Most objects have so few members that looking at each is quicker than computing a hash.
    private func value(_ name: String) -> JSONValue? {
        guard members.count <= 6 else { return members[name] }
        for (key, value) in members where key == name { return value }
        return nil
    }

    /// The member with this name, which must be there.
    func required(_ name: Name) throws(RequestLineError) -> LineField {
        guard let field = self[name] else {
            throw RequestLineError(at: path.member(name.rawValue), "missing, but required")
        }
        return field
    }

    /// The same members, for a group of names that is a type of its own.
    func group<Other>(_ names: Other.Type) -> LineObject<Other> {
        LineObject<Other>(members: members, path: path)
    }

    func refuseUnknownNames() throws(RequestLineError) {
        let unknown = members.keys.filter { Name(rawValue: $0) == nil }
        guard let name = unknown.min() else { return }
        let nearest = NearestName.of(name, among: Name.allCases.map(\.rawValue))
        let hint = nearest.map { ", did you mean \"\($0)\"?" } ?? ""
        throw RequestLineError(at: path.member(name), "unknown field\(hint)")
    }
}
