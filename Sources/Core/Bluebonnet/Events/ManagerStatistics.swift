// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// The counts of a manager's operations since the manager was created, and its load at one moment.
public struct ManagerStatistics: Sendable, Hashable {
    /// The operations of the manager's queue that have not ended, with those that run.
    public var queuedCount = 0
    /// The operations that have a slot: their requests are being sent or received.
    public var inFlightCount = 0
    public var succeededCount = 0
    /// The operations that failed, without those that were cancelled.
    public var failedCount = 0
    public var cancelledCount = 0
    /// The transfers, including redirects, answers to challenges, continuations and retries.
    public var transferCount = 0
    /// The attempts that were followed by another attempt.
    public var retryCount = 0
    public var redirectCount = 0
    /// The operations that were answered by a cache.
    public var cacheHitCount = 0
    /// The bytes of request bodies that were sent.
    public var sentByteCount: Int64 = 0
    /// The bytes of response bodies after decoding.
    public var receivedByteCount: Int64 = 0
    /// The origins with a transfer in the last minute, a waiting operation or an open connection, sorted by name; 256
    /// at most have percentiles. All managers share the connections of the process.
    public var origins: [OriginStatistics] = []

    public init() {}
}

/// The load of one origin at one moment.
public struct OriginStatistics: Sendable, Hashable {
    /// Scheme, host and port: `https://api.example.com:443`.
    public let origin: String
    /// The connections of the process to the origin, with those that are being made.
    public var openConnectionCount = 0
    /// The connections that no transfer uses.
    public var idleConnectionCount = 0
    /// The operations of the manager that wait for a slot.
    public var waitingCount = 0
    /// The transfers of the manager that run.
    public var inFlightCount = 0
    /// The transfers of the manager that ended in the last minute. Transfers are counted from the first read of the
    /// manager's statistics on.
    public var recentTransferCount = 0
    /// The median of the durations of those transfers, from the beginning of the transfer to its end; nil without
    /// transfers. The error of the percentiles is at most 1.6 percent.
    public var p50: Duration?
    /// The duration that 95 percent of those transfers did not exceed.
    public var p95: Duration?
    /// The duration that 99 percent of those transfers did not exceed.
    public var p99: Duration?

    public init(origin: String) { self.origin = origin }
}

/// Counts the ends of one manager's operations. Any thread.
final class OperationCounters: Sendable {
    private let succeeded = Atomic(0)
    private let failed = Atomic(0)
    private let cancelled = Atomic(0)
    private let transfers = Atomic(0)
    private let retries = Atomic(0)
    private let redirects = Atomic(0)
    private let cacheHits = Atomic(0)
    private let received = Atomic<Int64>(0)
    private let sent = Atomic<Int64>(0)

    /// - Parameter code: the code of the error; nil if the operation succeeded.
    func record(
        _ code: NetworkingError.Code?, transferCount: Int, retryCount: Int, redirectCount: Int, isFromCache: Bool,
        receivedByteCount: Int64
    ) {
        switch code {
        case nil: succeeded.wrappingAdd(1, ordering: .relaxed)
        case .cancelled: cancelled.wrappingAdd(1, ordering: .relaxed)
        default: failed.wrappingAdd(1, ordering: .relaxed)
        }
        transfers.wrappingAdd(transferCount, ordering: .relaxed)
        if retryCount > 0 { retries.wrappingAdd(retryCount, ordering: .relaxed) }
        if redirectCount > 0 { redirects.wrappingAdd(redirectCount, ordering: .relaxed) }
        if isFromCache { cacheHits.wrappingAdd(1, ordering: .relaxed) }
        if receivedByteCount > 0 { received.wrappingAdd(receivedByteCount, ordering: .relaxed) }
    }

    /// Records a call that the cache answered without an operation.
    func recordHit(receivedByteCount: Int64) {
        record(
            nil, transferCount: 0, retryCount: 0, redirectCount: 0, isFromCache: true,
            receivedByteCount: receivedByteCount)
    }

    func addSent(_ byteCount: Int64) { if byteCount > 0 { sent.wrappingAdd(byteCount, ordering: .relaxed) } }

    var statistics: ManagerStatistics {
        var statistics = ManagerStatistics()
        statistics.succeededCount = succeeded.load(ordering: .relaxed)
        statistics.failedCount = failed.load(ordering: .relaxed)
        statistics.cancelledCount = cancelled.load(ordering: .relaxed)
        statistics.transferCount = transfers.load(ordering: .relaxed)
        statistics.retryCount = retries.load(ordering: .relaxed)
        statistics.redirectCount = redirects.load(ordering: .relaxed)
        statistics.cacheHitCount = cacheHits.load(ordering: .relaxed)
        statistics.receivedByteCount = received.load(ordering: .relaxed)
        statistics.sentByteCount = sent.load(ordering: .relaxed)
        return statistics
    }
}
