// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A line that has not ended and for which other lines wait.
package struct LineWait: Sendable, Decodable, Equatable {
    package let id: String
    /// The number of lines that need it, among those that were examined.
    package let count: Int
    /// The ids of some of these lines.
    package let samples: [String]
    /// Whether the line waits for other lines itself.
    package let isBlocked: Bool

    package init(id: String, count: Int, samples: [String], isBlocked: Bool) {
        (self.id, self.count, self.samples, self.isBlocked) = (id, count, samples, isBlocked)
    }
}
