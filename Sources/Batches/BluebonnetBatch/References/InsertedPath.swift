// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The path of a file, composed of text of the line and of inserted values. A value that a server chose must not lead
/// to another folder.
struct InsertedPath {
    private(set) var text = ""
    /// The text since the last slash.
    private var component: [UInt8] = []
    /// The reference whose value is in the component; nil without an inserted value.
    private var reference: String?

    /// Adds text of the line, or the value of an environment variable. It may contain slashes.
    mutating func append(_ added: String) throws(NetworkingError) {
        text += added
        for byte in added.utf8 {
            if byte == UInt8(ascii: "/") { try endComponent() } else { component.append(byte) }
        }
    }

    /// Adds the value of a reference.
    ///
    /// - Throws: `cannotOpenFile` if the value contains a slash or NUL. The error does not contain the value.
    mutating func insert(_ value: String, of reference: String) throws(NetworkingError) {
        if value.utf8.contains(UInt8(ascii: "/")) { throw Self.refusal(reference, "contains \"/\"") }
        if value.utf8.contains(0) { throw Self.refusal(reference, "contains a NUL byte") }
        text += value
        component.append(contentsOf: value.utf8)
        self.reference = reference
    }

    /// Ends a component of the path.
    ///
    /// - Throws: `cannotOpenFile` if a component with an inserted value is empty, `.` or `..`.
    mutating func endComponent() throws(NetworkingError) {
        if let inserted = reference {
            if component.isEmpty { throw Self.refusal(inserted, "is empty") }
            let dot = UInt8(ascii: ".")
            if component == [dot] || component == [dot, dot] {
                throw Self.refusal(inserted, "makes a component \".\" or \"..\"")
            }
        }
        component = []
        reference = nil
    }

    private static func refusal(_ reference: String, _ problem: String) -> NetworkingError {
        let reason = "the value of \(reference) \(problem), but an inserted value must be part of one name"
        return NetworkingError(.cannotOpenFile, "the path in \"output\" cannot be used: \(reason)")
    }
}

extension ReferenceTemplate {
    /// Returns the path with every reference replaced. Values of environment variables may contain slashes, because no
    /// server chooses them.
    ///
    /// - Throws: as `resolved(environment:using:)`; `cannotOpenFile` for a value that could lead to another folder.
    func resolvedPath(
        environment: [String: String], variables: LineVariables, using source: (String) -> ReferenceSource?
    ) throws(NetworkingError) -> String {
        var path = InsertedPath()
        for part in parts {
            let text = try Self.text(of: part, environment, variables, source)
            switch part {
            case .literal, .environmentVariable: try path.append(text)
            case .reference(let reference): try path.insert(text, of: reference.description)
            case .variable(let name, let steps):
                try path.insert(text, of: "${\(([name] + steps).joined(separator: "."))}")
            }
        }
        try path.endComponent()
        return path.text
    }
}
