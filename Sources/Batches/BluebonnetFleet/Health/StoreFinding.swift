// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A fact about a fleet's store, and what to do about it.
public struct StoreFinding: Sendable, Hashable {
    /// How urgent a finding is.
    public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
        /// The fleet does not work, or may lose recorded outcomes.
        case error
        /// The fleet works, but slows down, grows, or reports late.
        case warning
        /// As it should be.
        case fine

        private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// Whether the first level is more urgent.
        public static func < (one: Level, other: Level) -> Bool { one.order < other.order }
    }

    /// How urgent the finding is.
    public let level: Level
    /// The subject, in one word: `version`, `tables`, `settings`, `transactions`, `space`, `clock`, `permissions`,
    /// `connections` or `workers`.
    public let subject: String
    /// One sentence: what was found.
    public let message: String
    /// The remedy; nil if none is needed.
    public let advice: String?
}
