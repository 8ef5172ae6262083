// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How old a connection may be that a request uses, how long it may have been idle, and how many requests it may carry.
/// Requests with different limits share no connections.
public struct ConnectionLimits: Sendable, Hashable, Codable {
    /// The greatest age of a connection when a request begins to use it. Default nil: no limit. A request that runs may
    /// go on for longer. Of connections to Unix sockets it counts in whole seconds, rounded up
    /// (CURLOPT_MAXLIFETIME_CONN).
    public var maximumAge: Duration?
    /// The longest time that a connection may have been idle when a request begins to use it, in whole seconds, rounded
    /// up (CURLOPT_MAXAGE_CONN). Default nil: 118 s.
    ///
    /// When no request has used any connection with the same trust and proxy for 30 s, all of them are closed anyway.
    public var maximumIdleTime: Duration?
    /// The most requests that a connection carries; 1 or more. Default nil: no limit.
    ///
    /// Redirects, answers to challenges, continuations and requests that are sent again are requests too. Connections
    /// to Unix sockets are not counted.
    ///
    /// With HTTP/2, a connection that has reached this limit or `maximumAge` stays open until its last request has
    /// ended, and each request that begins meanwhile opens a connection of its own: a low limit costs many connections
    /// where many requests run at once.
    public var maximumUseCount: Int?

    /// Makes limits; those that are not given are nil.
    public init(maximumAge: Duration? = nil, maximumIdleTime: Duration? = nil, maximumUseCount: Int? = nil) {
        (self.maximumAge, self.maximumIdleTime) = (maximumAge, maximumIdleTime)
        self.maximumUseCount = maximumUseCount
    }

    var isValid: Bool {
        [maximumAge, maximumIdleTime].allSatisfy { $0.map { $0 > .zero } ?? true }
            && maximumUseCount.map { $0 > 0 } ?? true
    }

    /// For libcurl: whole seconds, 1 or more.
    static func seconds(_ duration: Duration) -> Int { max(1, Int(min(duration.seconds.rounded(.up), 1e9))) }
}

/// Counts the requests that each connection has carried, by its socket, and knows its age, as far as there are limits.
/// A value without a clock: instants are nanoseconds of `MonotonicClock`.
struct ConnectionUses {
    enum Verdict: Equatable {
        case mayUse
        /// The connection is to be closed after this request.
        case lastUse
        /// The connection has carried its requests already, or is too old for another one.
        case isWornOut
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

    /// Whether anything is to be counted.
    var areLimited: Bool { maximumAge < .max || maximumUseCount < .max }

    /// A socket is about to be connected.
    mutating func open(_ socket: CInt, now: UInt64) {
        if areLimited { connections[socket] = Connection(openedAt: now) }
    }

    /// A request is about to use a connection. The first one may, however long connecting took.
    mutating func use(_ socket: CInt, now: UInt64) -> Verdict {
        var connection = connections[socket] ?? Connection(openedAt: now)
        let isTooOld = now - min(now, connection.openedAt) > maximumAge
        if connection.useCount > 0, isTooOld || connection.useCount >= maximumUseCount { return .isWornOut }
        connection.useCount += 1
        connections[socket] = connection
        return connection.useCount == maximumUseCount ? .lastUse : .mayUse
    }

    /// A socket was closed: its number is that of another connection.
    mutating func forget(_ socket: CInt) {
        if !connections.isEmpty { connections[socket] = nil }
    }
}
