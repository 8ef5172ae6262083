// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Limits the age of the connections that a request may use, their idle time, and the number of requests on each.
/// Requests with different limits share no connections.
public struct ConnectionLimits: Sendable, Hashable, Codable {
    /// The maximum age of a connection at the start of a request. Default nil: no limit. A running request may continue
    /// beyond the limit. For connections to Unix sockets, the limit is in whole seconds, rounded up
    /// (CURLOPT_MAXLIFETIME_CONN).
    public var maximumAge: Duration?
    /// The maximum idle time of a connection at the start of a request, in whole seconds, rounded up
    /// (CURLOPT_MAXAGE_CONN). Default nil: 118 s.
    ///
    /// If no request has used any connection with the same trust and proxy for 30 s, all of these connections are
    /// closed anyway.
    public var maximumIdleTime: Duration?
    /// The maximum number of requests on a connection; 1 or more. Default nil: no limit.
    ///
    /// Redirects, answers to challenges, continuations and retries count as requests. Connections to Unix sockets are
    /// not counted.
    ///
    /// With HTTP/2, a connection that has reached this limit or `maximumAge` stays open until its last request has
    /// ended. Each request that starts in the meantime opens its own connection, so a low limit costs many connections
    /// if many requests run at once.
    public var maximumUseCount: Int?

    /// Makes limits. Omitted limits are nil.
    public init(maximumAge: Duration? = nil, maximumIdleTime: Duration? = nil, maximumUseCount: Int? = nil) {
        (self.maximumAge, self.maximumIdleTime) = (maximumAge, maximumIdleTime)
        self.maximumUseCount = maximumUseCount
    }

    package var isValid: Bool {
        [maximumAge, maximumIdleTime].allSatisfy { $0.map { $0 > .zero } ?? true }
            && maximumUseCount.map { $0 > 0 } ?? true
    }

    /// Converts a duration for libcurl: whole seconds, rounded up, 1 or more.
    static func seconds(_ duration: Duration) -> Int { max(1, Int(min(duration.seconds.rounded(.up), 1e9))) }
}

/// Counts the requests on each connection, by socket, and records when the connection was opened, if there are limits.
/// A value without a clock: instants are nanoseconds of `MonotonicClock`.
struct ConnectionUses {
    /// The answer to a request that is about to use a connection.
    enum Verdict: Equatable {
        case mayUse
        /// The connection must be closed after this request.
        case lastUse
        /// The connection has already reached its maximum number of requests, or is too old for another request.
        case mustNotUse
    }

    private struct Connection {
        let openedAt: UInt64
        var useCount = 0
    }

    private let maximumAge: UInt64
    private let maximumUseCount: Int
    private var connections: [CInt: Connection] = [:]

    init(_ limits: ConnectionLimits) {
        maximumAge = limits.maximumAge?.nanoseconds ?? .max
        maximumUseCount = limits.maximumUseCount ?? .max
    }

    /// Whether there is a limit, so that connections must be recorded.
    var areLimited: Bool { maximumAge < .max || maximumUseCount < .max }

    /// Records a socket that is about to be connected.
    mutating func open(_ socket: CInt, now: UInt64) {
        if areLimited { connections[socket] = Connection(openedAt: now) }
    }

    /// Counts a request that is about to use a connection. The first request may always use the connection, no matter
    /// how long connecting took.
    mutating func use(_ socket: CInt, now: UInt64) -> Verdict {
        var connection = connections[socket] ?? Connection(openedAt: now)
        let isTooOld = now - min(now, connection.openedAt) > maximumAge
        if connection.useCount > 0, isTooOld || connection.useCount >= maximumUseCount { return .mustNotUse }
        connection.useCount += 1
        connections[socket] = connection
        return connection.useCount == maximumUseCount ? .lastUse : .mayUse
    }

    /// Forgets a closed socket: another connection may get its number.
    mutating func forget(_ socket: CInt) {
        if !connections.isEmpty { connections[socket] = nil }
    }
}
