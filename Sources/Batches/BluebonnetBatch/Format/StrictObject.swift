// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The members of one object of a request line, by the names that it may have.
struct StrictObject<Name: RawRepresentable<String> & CaseIterable & Equatable> {
    /// All members of the object, also under other names.
    private let members: JSONObject
    /// The names of what has one, and its values in the same order: so little that looking at each is quicker than
    /// computing a hash.
    private var names: [Name] = []
    private var values: [JSONValue] = []
    let path: FieldPath

    init(members: JSONObject, path: FieldPath) {
        self.members = members
        self.path = path
        for (text, value) in members {
            guard let name = Self.name(text) else { continue }
            names.append(name)
            values.append(value)
        }
    }

    /// The member with this name, or nil.
    subscript(name: Name) -> StrictField? {
        for index in names.indices where Self.areSame(names[index], name) {
            return StrictField(value: values[index], path: path.member(name.rawValue))
        }
        return nil
    }

    /// The name with these bytes: an enumeration takes a KELVIN SIGN for a K.
    private static func name(_ text: String) -> Name? {
        Name(rawValue: text).flatMap { FieldSyntax.isSameText($0.rawValue, text) ? $0 : nil }
    }

    /// As names, not as strings, which the operator of what has a raw value would compare.
    private static func areSame<Value: Equatable>(_ one: Value, _ other: Value) -> Bool { one == other }

    /// The member with this name, which must be there.
    func required(_ name: Name) throws(RequestLineError) -> StrictField {
        guard let field = self[name] else {
            throw RequestLineError(at: path.member(name.rawValue), "missing, but required")
        }
        return field
    }

    /// The object's members by the names of another type.
    func group<Other>(_ names: Other.Type) -> StrictObject<Other> {
        StrictObject<Other>(members: members, path: path)
    }

    func refuseUnknownNames() throws(RequestLineError) {
        guard names.count < members.count else { return }
        guard let name = members.names.first(where: { Self.name($0) == nil }) else { return }
        let nearest = SpellingSuggestion.of(name, among: Name.allCases.map(\.rawValue))
        let hint = nearest.map { ", did you mean \"\($0)\"?" } ?? ""
        throw RequestLineError(at: path.member(name), "unknown field\(hint)")
    }
}
