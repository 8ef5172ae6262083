// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The origins of a governor that may be held, so that a look at them need not go through all. Network thread only.
final class HeldOrigins {
    private(set) var origins: Set<Origin> = []
    /// Told of each hold that a server has asked for, in nanoseconds from now on.
    var onHold: ((Origin, UInt64) -> Void)?

    func add(_ origin: Origin) { origins.insert(origin) }

    func remove(_ origin: Origin) { origins.remove(origin) }
}

@available(*, unavailable)
extension HeldOrigins: Sendable {}
