// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// A path that one user of this process has for itself, as it is spelled; until `release`, or its last reference.
final class PathReservation: Sendable {
    private static let reserved = Mutex(Set<String>())
    private let path: String
    private let isHeld = Atomic(true)

    /// Nil when another one has it.
    init?(_ path: String) {
        guard Self.reserved.withLock({ $0.insert(path).inserted }) else { return nil }
        self.path = path
    }

    func release() {
        guard isHeld.exchange(false, ordering: .relaxed) else { return }
        _ = Self.reserved.withLock { $0.remove(path) }
    }

    deinit { release() }
}
