// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The origins of a governor that may be backing off or unavailable, so that finding them does not need a search
/// through all origins. Network thread only.
final class BackingOffOrigins {
    private(set) var origins: Set<Origin> = []
    /// Called for each back-off that a server asks for, with its length in nanoseconds from now on.
    var onBackOff: ((Origin, UInt64) -> Void)?

    func add(_ origin: Origin) { origins.insert(origin) }

    func remove(_ origin: Origin) { origins.remove(origin) }
}

@available(*, unavailable)
extension BackingOffOrigins: Sendable {}
