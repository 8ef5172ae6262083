// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Limits the number of concurrent transfers of the process by its file descriptors. There is no limit until a
/// transfer finds no descriptor. The limit is then the number of transfers that run at that moment. It grows each time
/// that as many transfers have ended.
struct DescriptorAllowance: Equatable {
    private(set) var runningCount = 0
    /// Nil without a limit.
    private(set) var limit: Int?
    private var endedCount = 0

    var hasCapacity: Bool { limit.map { runningCount < $0 } ?? true }

    mutating func begin() { runningCount += 1 }

    mutating func end() {
        runningCount -= 1
        guard let limit else { return }
        endedCount += 1
        guard endedCount >= limit else { return }
        (self.limit, endedCount) = (limit + max(1, limit / 8), 0)
    }

    /// Sets the limit to the number of running transfers, because a transfer has ended for lack of a descriptor.
    ///
    /// - Returns: whether another transfer is running, whose end may release a descriptor.
    mutating func limitToRunning() -> Bool {
        guard runningCount > 0 else { return false }
        (limit, endedCount) = (runningCount, 0)
        return true
    }

    mutating func removeLimit() { (limit, endedCount) = (nil, 0) }
}

/// A scheduler that waits for capacity.
package protocol DescriptorClient: AnyObject {
    /// A transfer of the process has ended, so another one may begin.
    func descriptorsWereReleased()
}

/// The process's capacity for transfers, and the schedulers that wait for capacity. Network thread only. The object
/// opens and closes no descriptors.
package final class DescriptorCapacity {
    private(set) var allowance = DescriptorAllowance()
    /// The last shortage.
    private var shortage: DescriptorShortage?
    private var waiting: [any DescriptorClient] = []
    private var lastClient: ObjectIdentifier?

    package init() {}

    /// Returns whether another transfer may begin. If not, the client is notified once when the answer may have
    /// changed.
    package func isOpen(for client: any DescriptorClient) -> Bool {
        if allowance.hasCapacity { return true }
        if !waiting.contains(where: { $0 === client }) { waiting.append(client) }
        return false
    }

    /// The reason why no other transfer may begin, as a clause for a message; nil if one may.
    package var shortageSentence: String? { allowance.hasCapacity ? nil : shortage?.sentence }

    package func begin(for client: any DescriptorClient) {
        allowance.begin()
        if allowance.limit != nil { lastClient = ObjectIdentifier(client) }
    }

    /// Records that a transfer has ended. The client that began the last transfer is notified last, so that managers
    /// take turns.
    package func end() {
        allowance.end()
        guard allowance.limit != nil, allowance.hasCapacity else { return }
        let clients = waiting
        waiting = []
        if clients.isEmpty, allowance.runningCount == 0 { allowance.removeLimit() }
        for client in clients where ObjectIdentifier(client) != lastClient { client.descriptorsWereReleased() }
        for client in clients where ObjectIdentifier(client) == lastClient { client.descriptorsWereReleased() }
    }

    /// Sets the limit to the number of running transfers, because a transfer has ended for lack of a descriptor.
    ///
    /// - Returns: whether another transfer is running, whose end may release a descriptor.
    package func limitToRunning(after shortage: DescriptorShortage) -> Bool {
        self.shortage = shortage
        return allowance.limitToRunning()
    }
}

@available(*, unavailable)
extension DescriptorCapacity: Sendable {}
