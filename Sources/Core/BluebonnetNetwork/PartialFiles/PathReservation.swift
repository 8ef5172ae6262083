// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetHTTP
internal import BluebonnetLocks

/// Reserves a path, as it is spelled, for one download of this process, until `release` or deallocation.
final class PathReservation: Sendable {
    private static let reserved = Mutex(Set<ByteString>())
    private let path: ByteString
    private let isActive = Atomic(true)

    /// Reserves a path. Returns nil if the path is already reserved.
    init?(_ path: String) {
        let path = ByteString(path)
        guard Self.reserved.withLock({ $0.insert(path).inserted }) else { return nil }
        self.path = path
    }

    func release() {
        guard isActive.exchange(false, ordering: .relaxed) else { return }
        _ = Self.reserved.withLock { $0.remove(path) }
    }

    deinit { release() }
}
