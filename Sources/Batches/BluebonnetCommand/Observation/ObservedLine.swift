// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// The line that an event belongs to.
struct ObservedLine: Sendable {
    /// The id of the line; in a fleet after the name of its batch and a slash.
    let id: String
    /// The ids of the lines that it depends on.
    var dependencies: [String] = []
    /// Whether other lines depend on the line, or may depend on it.
    var isNeeded = false
    /// Hides the values of the line's environment variables; nil if there are none.
    var hidden: HiddenVariables?

    /// Whether the line belongs to a graph of dependencies.
    var isConnected: Bool { isNeeded || !dependencies.isEmpty }
}
