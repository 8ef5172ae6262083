// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A summary of an operation's transfers.
public struct TransferSummary: Sendable, Equatable {
    /// The number of transfers, including redirects, answers to challenges, continuations and retries.
    public package(set) var transferCount = 0
    /// The attempts before the last attempt, in order, if the operation has a retry policy; empty if there was one
    /// attempt.
    public package(set) var retries: [RetriedAttempt] = []
    /// The number of redirects that were followed.
    public package(set) var redirectCount = 0
    /// Whether the last transfer reused a connection.
    public package(set) var isReused = false
    /// Whether the response came from a cache, without sending a request.
    public package(set) var isFromCache = false
    /// The answer of the cache: `miss` if the server answered. Nil without a cache, and for a request that does not use
    /// the cache.
    public package(set) var cacheAnswer: RequestEvent.CacheAnswer?
    /// How the cache handled the last request, in the terms of RFC 9211. Nil without a cache.
    public var cacheStatus: CacheStatus? { sharedCacheStatus?.value }
    var sharedCacheStatus: Box<CacheStatus>?
    /// The parameters of the TLS connection of the last transfer: version, cipher, ALPN, and when the server's
    /// certificate expires. Nil without TLS, if no handshake was completed, and for a response from a cache.
    public var tlsInformation: TLSInformation? { sharedTLSInformation?.value }
    var sharedTLSInformation: Box<TLSInformation>?
    /// The trailer section of the last response (RFC 9110, 6.5), as the server sent it; empty without one. Its fields
    /// are not merged into the response's header fields. A trailer section counts against
    /// `TransferOptions.maximumHeaderByteCount`.
    public var trailers: HeaderFields { sharedTrailers?.value ?? HeaderFields() }
    var sharedTrailers: Box<HeaderFields>?
    /// The durations of the operation's phases.
    public package(set) var timings = TransferTimings()

    /// Makes an empty summary; for tests of monitors.
    public init() {}
}

/// The durations of an operation's phases, measured with the monotonic clock. The phases of connecting are sums over
/// the operation's transfers.
///
/// `total` is the sum of all `waits` and all `phases`: every moment of the operation counts exactly once.
public struct TransferTimings: Sendable, Equatable {
    /// A part of the work on a request. The raw values are stable: logs, metrics and reports use them.
    public enum Phase: String, Sendable, Hashable, CaseIterable, Codable {
        /// The library's own work: the request is made and checked, files are opened, events wait for their turn.
        case preparation
        case nameLookup
        /// TCP, without the look-up and TLS.
        case connect
        case tls
        /// From the connection to the first byte of the response: sending the request, and the server's work.
        case waiting
        /// From the first byte of the response to the end of the transfer.
        case receiving
    }

    /// In nanoseconds, because adding `Duration` values costs more than the rest of the measurement.
    package struct Nanoseconds: Sendable, Equatable {
        package var queued: UInt64 = 0
        package var nameLookup: UInt64 = 0
        package var connect: UInt64 = 0
        package var tls: UInt64 = 0
        package var firstByte: UInt64 = 0
        package var total: UInt64 = 0
        /// Shared, because results are copied more often than the shares are read. Nil before the end.
        private var sharedTimes: Box<TimeShares>?

        package var shares: TimeShares {
            get { sharedTimes?.value ?? TimeShares() }
            set { sharedTimes = Box(newValue) }
        }
    }

    package var nanoseconds = Nanoseconds()

    /// The time until the operation got a slot, from readiness in the queue, or from the start without a queue.
    public var queued: Duration { .nanoseconds(nanoseconds.queued) }
    /// The time of name look-ups.
    public var nameLookup: Duration { .nanoseconds(nanoseconds.nameLookup) }
    /// The time of TCP connections, without the look-ups.
    public var connect: Duration { .nanoseconds(nanoseconds.connect) }
    /// The time of TLS handshakes.
    public var tls: Duration { .nanoseconds(nanoseconds.tls) }
    /// The time from the slot to the first byte of the final response; zero if no response arrived.
    public var firstByte: Duration { .nanoseconds(nanoseconds.firstByte) }
    /// The time from when the operation was added to its queue, or was started without a queue, to the end of its last
    /// transfer and of writing its body: the sum of `waits` and `phases`.
    public var total: Duration { .nanoseconds(nanoseconds.total) }
    /// How long the operation waited, for each reason that it waited for. Other reasons are left out.
    public var waits: [WaitReason.Kind: Duration] { nanoseconds.shares.waits.mapValues(Duration.nanoseconds) }
    /// How long the operation worked in each phase. Phases that did not happen are left out.
    public var phases: [Phase: Duration] { nanoseconds.shares.phases.mapValues(Duration.nanoseconds) }
}

extension TransferTimings: CustomStringConvertible {
    /// The phases with a duration above zero, and the total: `connect 0.4 ms, first byte 12.0 ms, total 12.6 ms`.
    public var description: String {
        let phases = [
            ("queued", queued), ("name lookup", nameLookup), ("connect", connect), ("TLS", tls),
            ("first byte", firstByte),
        ]
        return (phases.filter { $0.1 > .zero } + [("total", total)]).map { "\($0.0) \($0.1.shown)" }
            .joined(separator: ", ")
    }
}

extension TransferSummary: CustomStringConvertible {
    /// Transfers, redirects, whether the connection was reused, and the timings.
    public var description: String {
        if isFromCache { return "from the cache" }
        let transfers = transferCount == 1 ? "1 transfer" : "\(transferCount) transfers"
        let redirects = redirectCount == 0 ? "" : redirectCount == 1 ? ", 1 redirect" : ", \(redirectCount) redirects"
        return "\(transfers)\(redirects)\(isReused ? ", reused connection" : ""); \(timings)"
    }
}

extension Duration {
    /// The duration in milliseconds, or in seconds from ten seconds on, with one decimal.
    var shown: String {
        let milliseconds = self / .milliseconds(1)
        return milliseconds < 10_000
            ? "\((milliseconds * 10).rounded() / 10) ms" : "\((milliseconds / 100).rounded() / 10) s"
    }
}
