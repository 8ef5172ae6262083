// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The callback for the first change that a cache cannot store. A value, protected by the cache's lock.
struct FirstFailure: Sendable {
    typealias Action = @Sendable (NetworkingError) -> Void

    private(set) var action: Action?
    private var isDue = true

    /// Returns the old action.
    mutating func replaceAction(_ new: Action?) -> Action? {
        defer { action = new }
        return action
    }

    /// Returns the action for the first failure; nil for later ones.
    mutating func consumeAction() -> Action? {
        defer { isDue = false }
        return isDue ? action : nil
    }
}
