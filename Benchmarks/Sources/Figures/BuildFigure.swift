// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The time of a clean release build of a minimal program with one library.
package struct BuildFigure: Codable, Equatable, Sendable {
    /// The name of the library in tables.
    package let title: String
    package let wallSeconds: Double
    /// The user and system time of all processes of the build, in seconds.
    package let cpuSeconds: Double

    package init(title: String, wallSeconds: Double, cpuSeconds: Double) {
        self.title = title
        self.wallSeconds = wallSeconds
        self.cpuSeconds = cpuSeconds
    }
}
