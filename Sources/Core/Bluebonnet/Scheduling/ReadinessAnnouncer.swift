// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// An operation of the library that announces its readiness itself instead of depending on the operations that it waits
/// for.
protocol ReadinessAnnouncer: Operation {
    /// Calls `action` once when the operation is ready; immediately when it is ready already.
    func whenReady(_ action: @escaping @Sendable () -> Void)
}
