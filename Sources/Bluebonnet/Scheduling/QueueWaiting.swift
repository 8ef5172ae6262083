// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

// The slots that a queue's operations may have.
extension RequestOperationQueue: AdmissionSource {
    func slotMayBeFree() {
        shared.withLock { $0.clearBlockedPriorities() }
        schedule()
    }

    /// Counts the queue's operations with these services while they wait for admission. Network thread only.
    func waitingCounts(for services: NetworkServices) -> WaitingCounts { waiting.value.counts(for: services) }
}

/// Counts a queue's operations that wait for admission. Network thread only.
final class QueueWaiting {
    private static let keptCount = 8

    /// Mostly one element, because services belong to a manager. Empty ones are dropped when there are many.
    private var counts: [(services: NetworkServices, counts: WaitingCounts)] = []

    func counts(for services: NetworkServices) -> WaitingCounts {
        if let known = counts.first(where: { $0.services === services }) { return known.counts }
        if counts.count >= Self.keptCount { counts.removeAll { $0.counts.isEmpty } }
        let made = WaitingCounts()
        counts.append((services, made))
        return made
    }

    /// The free slots for operations of the queue with these services and this priority.
    func availableSlotCount(for services: NetworkServices, priority: Int) -> Int {
        services.admission.availableSlotCount(besides: counts(for: services), priority: priority)
    }
}

@available(*, unavailable)
extension QueueWaiting: Sendable {}
