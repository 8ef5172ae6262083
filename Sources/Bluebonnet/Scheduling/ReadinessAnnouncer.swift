// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// An operation of the library's that depends on none of those that it waits for, and says itself when it is ready.
protocol ReadinessAnnouncer: Operation {
    /// Calls `action` once when the operation is ready; at once when it is already.
    func whenReady(_ action: @escaping @Sendable () -> Void)
}
