// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// An operation that waits for a slot without a queue: it has passed its queue's gate, or never had a gate.
protocol SlotClient: Operation {
    /// Receives a slot, which the operation has to release.
    func wasAdmitted(with slot: TransferSlot)
}

/// The purpose of a slot.
enum SlotDemand {
    /// The operation's first transfer.
    case first
    /// Another transfer: after a redirect, a challenge or a pause, or another attempt.
    case another
    /// The continuation of a transfer that was paused in place.
    case continuation
}

/// The operations that wait in a scheduler without a queue, by the generations of their entries. Their gate is always
/// open.
final class QueuelessWaiters: LaneOwner {
    /// The memory for more operations is freed when no operation waits.
    private static let keptCount = 64

    private var waiting: [UInt32: (client: any SlotClient, demand: SlotDemand)] = [:]
    private var lastID: UInt32 = 0

    var count: Int { waiting.count }

    func add(_ client: any SlotClient, _ demand: SlotDemand) -> UInt32 {
        repeat { lastID &+= 1 } while waiting[lastID] != nil
        waiting[lastID] = (client, demand)
        return lastID
    }

    func remove(_ id: UInt32) -> (client: any SlotClient, demand: SlotDemand)? {
        let removed = waiting.removeValue(forKey: id)
        if waiting.isEmpty, waiting.capacity > 2 * Self.keptCount { waiting = [:] }
        return removed
    }

    /// Removes and returns the operations that wait for their first slot.
    func removeNew() -> [any SlotClient] {
        let ids = waiting.filter { $0.value.demand == .first }.keys.sorted()
        return ids.compactMap { remove($0)?.client }
    }

    func admit(_ entry: LaneEntry) -> GateAdmission {
        remove(entry.generation).map { .admitted($0.client, $0.demand) } ?? .stale
    }

    func waitingCount(among entries: Heap<LaneEntry>) -> Int {
        entries.unordered.count { waiting[$0.generation] != nil }
    }

    func start(_ operation: Operation, _ slot: inout TransferSlot?) {
        guard let client = operation as? any SlotClient, let slot = slot.take() else { return }
        client.wasAdmitted(with: slot)
    }
}

@available(*, unavailable)
extension QueuelessWaiters: Sendable {}
