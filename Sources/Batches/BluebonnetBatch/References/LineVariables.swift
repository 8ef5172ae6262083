// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet

/// The values that a line's references to its element and to the state file stand for.
package struct LineVariables: Sendable, Hashable {
    /// The name of references to the state file.
    static let stateName = "state"

    /// The name of the element; nil for a line without `each`.
    private var elementName: String?
    private var element = JSONValue.null
    /// The members of the state file; nil without such a file.
    package var state: JSONObject?

    package init(state: JSONObject? = nil) { self.state = state }

    /// Returns the variables of one element.
    package func with(_ element: JSONValue, as name: String) -> LineVariables {
        var variables = self
        (variables.elementName, variables.element) = (name, element)
        return variables
    }

    /// Returns the text that replaces a reference.
    func text(_ name: String, _ path: [String]) throws(NetworkingError) -> String {
        let value: JSONValue
        if elementName.map({ FieldSyntax.isSameText($0, name) }) ?? false {
            value = element
        } else if name == Self.stateName {
            guard let state else { throw Self.unresolved(name, path, "there is no state file (--state)") }
            value = .object(state)
        } else {
            throw Self.unresolved(name, path, "there is no element")
        }
        var found = value
        for (depth, step) in path.enumerated() {
            guard let next = found.step(step) else {
                let place = depth == 0 ? name : path[depth - 1]
                if depth == 0, name == Self.stateName, elementName != Self.stateName {
                    let member = JSONText.quoted(step)
                    let remedy = "before the first run, write a value to it, such as {\(member): 0}"
                    throw Self.unresolved(name, path, "the state file has no member \(member); \(remedy)")
                }
                throw Self.unresolved(name, path, "\(place) is \(found.kind) without \(JSONText.quoted(step))")
            }
            found = next
        }
        return found.string ?? JSONText.text(of: found)
    }

    private static func unresolved(_ name: String, _ path: [String], _ reason: String) -> NetworkingError {
        let reference = ([name] + path).joined(separator: ".")
        return NetworkingError(.unresolvedReference, "${\(reference)}: \(reason)")
    }
}
