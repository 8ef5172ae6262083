// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A line whose operation is about to start, for monitors that report more than the operation knows.
package struct StartedLine: Sendable {
    /// The name of the operation: the id of the line, in a fleet after the name of its batch and a slash.
    package let name: String
    /// The ids of the lines that it depends on.
    package let dependencies: [String]
    /// Hides the values of the line's environment variables; nil if there are none.
    package let hidden: HiddenVariables?

    package init(name: String, dependencies: [String], hidden: HiddenVariables?) {
        (self.name, self.dependencies, self.hidden) = (name, dependencies, hidden)
    }
}
