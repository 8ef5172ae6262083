// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// The transport over libcurl: one partition for each trust identity. Network thread only.
final class CurlTransport: Transport {
    /// A partition that had no transfer for this long lets its connections go.
    private static let idleLifetime: UInt64 = 30_000_000_000
    private let loop: EventLoop
    private var partitions: [TrustIdentity: CurlPartition] = [:] {
        didSet {
            if oldValue.isEmpty != partitions.isEmpty { addresses.watchAddresses(!partitions.isEmpty) }
        }
    }
    /// Tells which of this machine's addresses went away, while there are connections.
    private let addresses: NetworkMonitor
    private var reaperSlot = -1

    init(loop: EventLoop) {
        self.loop = loop
        addresses = NetworkMonitor(loop: loop, settings: NetworkMonitor.Settings(groups: .addresses))
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        reaperSlot = loop.add(self)
        addresses.onAddressesLost = { [weak self] lost in
            for partition in self?.partitions.values.map({ $0 }) ?? [] { partition.dropConnections(from: lost) }
        }
    }

    func begin(_ request: TransferRequest, delegate: any TransferDelegate) -> any Transfer {
        partition(for: request.identity).begin(request, delegate: delegate)
    }

    func closeIdleConnections() {
        removePartitions { $0.isIdle }
    }

    private func partition(for identity: TrustIdentity) -> CurlPartition {
        if let partition = partitions[identity] { return partition }
        let partition = CurlPartition(loop: loop)
        partitions[identity] = partition
        if partitions.count == 1 { scheduleReaper() }
        return partition
    }

    private func removePartitions(where isUnused: (CurlPartition) -> Bool) {
        for (identity, partition) in partitions where isUnused(partition) {
            partitions[identity] = nil
            partition.close()
        }
    }
}

@available(*, unavailable)
extension CurlTransport: Sendable {}

/// The reaper: looks now and then for partitions that nobody uses any more.
extension CurlTransport: EventLoopClient {
    func socketIsReady(_ descriptor: CInt, events: UInt32) {}

    func deadlineHasPassed() {
        let now = MonotonicClock.now()
        removePartitions { partition in
            guard let idleSince = partition.idleSince, partition.isIdle else { return false }
            return now - idleSince >= Self.idleLifetime
        }
        if !partitions.isEmpty { scheduleReaper() }
    }

    private func scheduleReaper() {
        loop.setDeadline(MonotonicClock.now() + Self.idleLifetime / 2, slot: reaperSlot)
    }
}
