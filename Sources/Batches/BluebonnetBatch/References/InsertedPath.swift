// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The path of a file that is written or sent, composed of text of the line and of inserted values. A value that a
/// server chose must not lead to another folder.
struct InsertedPath {
    /// The field of the line that has the path.
    struct Field {
        let name: String
        /// The code of the error for a path that cannot be used.
        let code: NetworkingError.Code
    }

    private let field: Field
    private(set) var text = ""
    /// The text since the last slash.
    private var component: [UInt8] = []
    /// The reference whose value is in the component; nil without an inserted value.
    private var reference: String?

    init(in field: Field) { self.field = field }

    /// Adds text that no server chose. It may contain slashes.
    mutating func append(_ added: String) throws(NetworkingError) {
        text += added
        for byte in added.utf8 {
            if byte == UInt8(ascii: "/") { try endComponent() } else { component.append(byte) }
        }
    }

    /// Adds the value of a reference.
    ///
    /// - Throws: an error if the value contains a slash or NUL. The error does not contain the value.
    mutating func insert(_ value: String, of reference: String) throws(NetworkingError) {
        if value.utf8.contains(UInt8(ascii: "/")) { throw refusal(reference, "contains \"/\"") }
        if value.utf8.contains(0) { throw refusal(reference, "contains a NUL byte") }
        text += value
        component.append(contentsOf: value.utf8)
        self.reference = reference
    }

    /// Ends a component of the path.
    ///
    /// - Throws: an error if a component with an inserted value is empty, `.` or `..`.
    mutating func endComponent() throws(NetworkingError) {
        if let inserted = reference {
            if component.isEmpty { throw refusal(inserted, "is empty") }
            let dot = UInt8(ascii: ".")
            if component == [dot] || component == [dot, dot] {
                throw refusal(inserted, "makes a component \".\" or \"..\"")
            }
        }
        component = []
        reference = nil
    }

    private func refusal(_ reference: String, _ problem: String) -> NetworkingError {
        let reason = "the value of \(reference) \(problem), but an inserted value must be part of one name"
        return NetworkingError(field.code, "the path in \(JSONText.quoted(field.name)) cannot be used: \(reason)")
    }
}

extension ReferenceTemplate {
    /// Returns the path with every reference replaced. Values of environment variables may contain slashes, because no
    /// server chooses them.
    ///
    /// - Parameter rowName: the name of the element if its values may contain slashes, too; nil if not.
    /// - Throws: as `resolved(environment:using:)`; the error of the field for a value that could lead to another
    ///   folder.
    func resolvedPath(
        in field: InsertedPath.Field, rowName: String?, environment: [String: String], variables: LineVariables,
        using source: (String) -> ReferenceSource?
    ) throws(NetworkingError) -> String {
        var path = InsertedPath(in: field)
        for part in parts {
            let text = try Self.text(of: part, environment, variables, source)
            switch part {
            case .literal, .environmentVariable: try path.append(text)
            case .reference(let reference): try path.insert(text, of: reference.description)
            case .variable(let name, let steps):
                if let rowName, FieldSyntax.isSameText(name, rowName) {
                    try path.append(text)
                } else {
                    try path.insert(text, of: "${\(([name] + steps).joined(separator: "."))}")
                }
            }
        }
        try path.endComponent()
        return path.text
    }
}
