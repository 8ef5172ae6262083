// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The members of one object of a request line, by the names that are allowed in it.
struct StrictObject<Name: RawRepresentable<String> & CaseIterable & Equatable> {
    /// All members of the object, including those with unknown names.
    private let members: JSONObject
    /// The known names that are present. `values` has the same order. There are so few that a linear search is faster
    /// than computing a hash.
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

    /// The member with this name; nil if it is missing.
    subscript(name: Name) -> StrictField? {
        for index in names.indices where Self.areSame(names[index], name) {
            return StrictField(value: values[index], path: path.member(name.rawValue))
        }
        return nil
    }

    /// Returns the name with exactly these bytes. The check is needed because an enumeration's `init(rawValue:)`
    /// accepts a KELVIN SIGN for a K.
    private static func name(_ text: String) -> Name? {
        Name(rawValue: text).flatMap { FieldSyntax.isSameText($0.rawValue, text) ? $0 : nil }
    }

    /// Compares the cases. The `==` for types with a raw value would compare strings.
    private static func areSame<Value: Equatable>(_ one: Value, _ other: Value) -> Bool { one == other }

    /// Returns the member with this name, or throws an error if it is missing.
    func required(_ name: Name) throws(RequestLineError) -> StrictField {
        guard let field = self[name] else {
            throw RequestLineError(at: path.member(name.rawValue), "missing, but required")
        }
        return field
    }

    /// Returns the object's members by the names of another type.
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
