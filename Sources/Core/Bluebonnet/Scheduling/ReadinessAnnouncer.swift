// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// An operation of the library that reports its readiness itself instead of depending on the operations for which it
/// waits.
protocol ReadinessAnnouncer: Operation {
    /// Calls `action` once when the operation is ready; immediately if the operation is already ready.
    func whenReady(_ action: @escaping @Sendable () -> Void)
}
