// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet

/// The values of one response for a member of the state file.
package struct RememberedValues: Sendable, Hashable {
    /// The name of the member.
    package let name: String
    /// Which value of the run is chosen.
    package let choice: RequestLine.Memory.Choice
    /// The values, in the order of the response.
    package let values: [JSONValue]

    package init(_ name: String, _ choice: RequestLine.Memory.Choice, _ values: [JSONValue]) {
        (self.name, self.choice, self.values) = (name, choice, values)
    }
}

extension LineFindings.Facts {
    /// Returns the values that a line remembers of its response, sorted by the names of the members.
    func memories(by rules: [String: RequestLine.Memory]) -> [RememberedValues] {
        memories.sorted { $0.key < $1.key }.compactMap { name, values in
            rules[name].map { RememberedValues(name, $0.choice, values) }
        }
    }
}
