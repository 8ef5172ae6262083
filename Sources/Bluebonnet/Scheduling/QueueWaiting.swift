// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

// Places on the wire, of which a queue's operations may have some.
extension RequestOperationQueue: AdmissionSource {
    func slotMayBeFree() {
        shared.withLock { $0.clearBlockedPriorities() }
        schedule()
    }

    /// Where its operations with these services are counted while they wait for admission. Network thread only.
    func waitingCounts(for services: NetworkServices) -> WaitingCounts { waiting.value.counts(for: services) }
}

/// How many of a queue's operations wait for admission. Network thread only.
final class QueueWaiting {
    private static let keptCount = 8

    /// Mostly one: services are a manager's. Those that nothing waits for are forgotten when there are many.
    private var counts: [(services: NetworkServices, counts: WaitingCounts)] = []

    func counts(for services: NetworkServices) -> WaitingCounts {
        if let known = counts.first(where: { $0.services === services }) { return known.counts }
        if counts.count >= Self.keptCount { counts.removeAll { $0.counts.isEmpty } }
        let made = WaitingCounts()
        counts.append((services, made))
        return made
    }

    /// How many more there are places for.
    func availableSlotCount(for services: NetworkServices, priority: Int) -> Int {
        services.admission.availableSlotCount(besides: counts(for: services), priority: priority)
    }
}

@available(*, unavailable)
extension QueueWaiting: Sendable {}
