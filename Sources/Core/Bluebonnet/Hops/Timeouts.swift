// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The time limits of an operation. When a limit passes, the operation fails with `timedOut`, and
/// `NetworkingError.timeLimit` names the limit. The exception is `connectivity`, which fails the operation with
/// `notConnected`.
///
/// Time before a transfer in which no part of it can begin counts against no limit: waiting in a queue, for
/// dependencies, for a slot of the manager or its governor, and for a file descriptor. `RequestOperation.waitReason`
/// names the reason. A task that must end by a certain time cancels its operation.
///
/// ```swift
/// manager.timeouts.connect = .seconds(3)
/// let operation = manager.operation("GET", "big.bin", timeout: .seconds(600)) { $0.timeouts.idle = .seconds(20) }
/// ```
///
/// An operation begins with its manager's limits. Zero means no limit. A negative limit passes immediately. Nil means
/// the limit in the last column, even if the operation's manager has another limit.
///
/// | limit | effective value: the first that is set | if nil |
/// |---|---|---|
/// | `connect` | the operation's | 10 s |
/// | `idle` | the operation's own; the request's, if it is not 60 s; the manager's | the request's |
/// | `total` | the operation's, which is also `timeout:` of a call | no limit |
/// | `connectivity` | the operation's | 60 s |
///
/// The request's limit is its `timeoutInterval`, which Foundation sets to 60 s.
public struct Timeouts: Sendable, Hashable, Codable {
    /// The maximum time for making a connection, including the TLS handshake. Default nil: 10 s.
    public var connect: Duration?
    /// The maximum time without a byte sent or received. After bytes of the body have been sent, the limit is up to an
    /// eighth longer. Over HTTP/2, bytes of other requests on the same connection count too, up to ten times the limit,
    /// because a server may answer one request after another. Default nil: the request's `timeoutInterval`, which is
    /// 60 s unless it was set.
    public var idle: Duration?
    /// The maximum time for the whole request, including redirects, until its body is written and a block has returned
    /// the destination of a downloaded file. Waiting for a slot or a file descriptor, and pauses do not count. Default
    /// nil: no limit.
    public var total: Duration?
    /// The maximum time that a transfer waits for a route to the server, if `TransferOptions.waitsForConnectivity` is
    /// true. It applies to each transfer of a request separately. Default nil: 60 s.
    public var connectivity: Duration?

    static let usualConnect = Duration.seconds(10)

    /// Makes limits. Limits that are not given are nil.
    public init(
        connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil, connectivity: Duration? = nil
    ) {
        (self.connect, self.idle, self.total, self.connectivity) = (connect, idle, total, connectivity)
    }
}

/// The effective limits of one operation, in nanoseconds. A pure value.
struct ResolvedTimeouts: Sendable {
    /// 0 means no limit.
    let connect: UInt64
    /// Nil means no limit; 0 is a limit that has passed.
    let total: UInt64?
    let connectivity: Duration
    private let idle: UInt64?
    private let isIdleOwn: Bool

    /// The default `timeoutInterval` of a request, in seconds.
    private static let foundationsInterval = 60.0

    /// - Parameter isIdleOwn: whether the idle limit was set for the operation, not for its manager.
    init(_ timeouts: Timeouts, isIdleOwn: Bool) {
        connect = Self.limit(timeouts.connect ?? Timeouts.usualConnect)
        idle = timeouts.idle.map(Self.limit)
        total = timeouts.total.flatMap { $0 == .zero ? nil : $0.nanoseconds }
        connectivity = timeouts.connectivity ?? .seconds(60)
        self.isIdleOwn = isIdleOwn
    }

    /// Returns the idle limit; 0 means no limit.
    ///
    /// - Parameter interval: the request's `timeoutInterval`.
    func idle(requestInterval interval: Double) -> UInt64 {
        ownIdle(requestInterval: interval) ?? MonotonicClock.nanoseconds(clampingSeconds: interval)
    }

    /// Whether the request's interval is the effective idle limit.
    func leavesIdle(toRequestInterval interval: Double) -> Bool { ownIdle(requestInterval: interval) == nil }

    private func ownIdle(requestInterval interval: Double) -> UInt64? {
        isIdleOwn || interval == Self.foundationsInterval ? idle : nil
    }

    /// Returns the value of a limit that has passed; nil if the error already has the value.
    ///
    /// - Parameter interval: the request's `timeoutInterval`.
    func value(of limit: NetworkingError.TimeLimit, requestInterval interval: Double) -> Duration? {
        switch limit {
        case .connect: .nanoseconds(connect)
        case .idle: .nanoseconds(idle(requestInterval: interval))
        case .total: total.map { .nanoseconds($0) }
        default: nil
        }
    }

    /// Returns the limit in nanoseconds; 0 means no limit.
    static func limit(_ duration: Duration) -> UInt64 { duration < .zero ? 1 : duration.nanoseconds }
}
