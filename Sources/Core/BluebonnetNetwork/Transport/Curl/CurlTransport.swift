// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// The transport over libcurl, with partitions for each connection pool key. Network thread only.
///
/// A key has one partition while few transfers are running. libcurl searches all connections of a multi handle for
/// each request, so with more transfers a key has several partitions, each with its own connection pool. The first
/// partition with capacity is used, so that later partitions become idle when there is less to do.
package final class CurlTransport: Transport {
    /// A partition that has had no transfer for this long closes its connections.
    private static let idleLifetime: UInt64 = 30_000_000_000
    /// The number of transfers that share a partition, unless there are very many.
    private static let usualTransferCount = 64
    private static let partitionLimit = 16
    private let loop: EventLoop
    private let observesFrames: Bool
    /// An empty register; each partition has a copy.
    private let register: any ConnectionRecords
    /// The last key that was used, and its partitions. The next request nearly always has the same key.
    private var last: (poolKey: PoolKeyBox, partitions: [CurlPartition])?
    private var partitions: [ConnectionPoolKey: [CurlPartition]] = [:] {
        didSet {
            if oldValue.isEmpty != partitions.isEmpty { addresses.watchAddresses(!partitions.isEmpty) }
        }
    }
    /// Reports which of this machine's addresses were removed, while there are connections.
    private let addresses: NetworkMonitor
    private var reaperSlot = -1

    /// - Parameters:
    ///   - register: an empty register of connections; each partition has a copy.
    ///   - observesFrames: false in tests of the behaviour without observed HTTP/2 frames.
    package init(loop: EventLoop, register: any ConnectionRecords, observesFrames: Bool = true) {
        self.loop = loop
        self.register = register
        self.observesFrames = observesFrames
        addresses = NetworkMonitor(loop: loop, settings: NetworkMonitor.Settings(groups: .addresses))
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))  // only counts if the program has initialised libcurl before
        reaperSlot = loop.add(self)
        addresses.onAddressesLost = { [weak self] lost in
            for partition in self?.partitions.values.flatMap({ $0 }) ?? [] { partition.dropConnections(from: lost) }
        }
    }

    package func begin(_ request: TransferRequest, delegate: any TransferDelegate) -> any Transfer {
        guard let partition = partition(for: request.poolKeyBox) else {
            return UnstartedTransfer(loop: loop, hostName: request.hostName, delegate: delegate)
        }
        return partition.begin(request, delegate: delegate)
    }

    package func closeIdleConnections() {
        removePartitions { $0.isIdle }
    }

    package var connections: [(origin: Origin, isIdle: Bool)] {
        partitions.values.joined().flatMap { partition in
            let used = partition.usedSockets
            return partition.connections.register.origins.map { socket, origin in
                (origin, !used.contains(socket) && ConnectionSockets.isConnected(socket))
            }
        }
    }

    package func keepFewConnections() {
        for partition in partitions.values.joined() { partition.keepFewConnections() }
    }

    /// Returns a partition for a key; nil if there is none and libcurl has no descriptor for a new one.
    private func partition(for poolKey: PoolKeyBox) -> CurlPartition? {
        if last?.poolKey !== poolKey { last = (poolKey, partitions[poolKey.value] ?? []) }
        let known = last?.partitions ?? []
        if let partition = known.first(where: { $0.active.count < Self.usualTransferCount }) { return partition }
        let idlest = known.min { $0.active.count < $1.active.count }
        guard known.count < Self.partitionLimit,
            let partition = CurlPartition(
                loop: loop, register: register, observesFrames: observesFrames, poolKey: poolKey.value)
        else { return idlest }
        last?.partitions.append(partition)
        if partitions.isEmpty { scheduleReaper() }
        partitions[poolKey.value, default: []].append(partition)
        return partition
    }

    private func removePartitions(where isUnused: (CurlPartition) -> Bool) {
        last = nil
        for (poolKey, list) in partitions {
            let unused = list.filter(isUnused)
            guard !unused.isEmpty else { continue }
            let kept = list.filter { partition in !unused.contains { $0 === partition } }
            partitions[poolKey] = kept.isEmpty ? nil : kept
            for partition in unused { partition.close() }
        }
    }
}

@available(*, unavailable)
extension CurlTransport: Sendable {}

extension CurlPartition {
    /// The sockets that running transfers use, as far as libcurl reports them.
    fileprivate var usedSockets: Set<CInt> {
        var sockets: Set<CInt> = []
        for transfer in active {
            transfer.handle.withEndpoints { endpoints in
                if let socket = connections.socket(of: endpoints) { sockets.insert(socket) }
            }
        }
        return sockets
    }
}

/// The reaper: periodically looks for partitions that are no longer used.
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

/// A transfer that libcurl could not start, because newer versions need file descriptors before the first connection.
/// It ends with the shortage as its error, in this round or, if it is paused, after the pause. Network thread only.
final class UnstartedTransfer: Transfer {
    private let loop: EventLoop
    private let error: NetworkingError
    private var delegate: (any TransferDelegate)?
    private var isPaused = false

    init(loop: EventLoop, hostName: String, delegate: any TransferDelegate) {
        self.loop = loop
        self.delegate = delegate
        let shortage = DescriptorShortage.current
        let reason = shortage?.sentence ?? "libcurl is out of memory or lacks the cryptography that it needs"
        error = NetworkingError(
            .cannotConnect, "could not connect to \(hostName): \(reason)",
            underlying: shortage.map { POSIXError($0) } ?? POSIXError(.ENOMEM))
        endSoon()
    }

    let hasBegunSending = false

    func abort() -> TransferMetrics {
        delegate = nil
        return metrics
    }

    func pause() { isPaused = true }

    func resume(deadline: UInt64) {
        isPaused = false
        endSoon()
    }

    func resumeReceiving() {}

    private var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.evidence = .nothingSent
        return metrics
    }

    private func endSoon() {
        loop.atEndOfRound { self.end() }
    }

    private func end() {
        guard !isPaused, let delegate else { return }
        self.delegate = nil
        delegate.transferDidEnd(error: error, metrics: metrics)
    }
}

@available(*, unavailable)
extension UnstartedTransfer: Sendable {}
