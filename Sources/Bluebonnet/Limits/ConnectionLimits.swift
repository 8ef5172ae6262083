// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How old a connection may be that a request uses, how long it may have been idle, and how many requests it may carry.
/// Requests with different limits share no connections.
public struct ConnectionLimits: Sendable, Hashable, Codable {
    /// The greatest age of a connection when a request begins to use it, in whole seconds, rounded up
    /// (CURLOPT_MAXLIFETIME_CONN). Default nil: no limit. A request that runs may go on for longer.
    public var maximumAge: Duration?
    /// The longest time that a connection may have been idle when a request begins to use it, in whole seconds, rounded
    /// up (CURLOPT_MAXAGE_CONN). Default nil: 118 s.
    ///
    /// When no request has used any connection with the same trust and proxy for 30 s, all of them are closed anyway.
    public var maximumIdleTime: Duration?
    /// The most requests that a connection carries; 1 or more. Default nil: no limit.
    ///
    /// Redirects, answers to challenges and continuations are requests too. With HTTP/2, requests that begin while the
    /// last ones of a connection run open connections of their own. Connections to Unix sockets are not counted.
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

/// Counts the requests that each connection has carried, by its socket. A value.
struct ConnectionUses {
    enum Verdict: Equatable {
        case mayUse
        /// The connection is to be closed after this request.
        case lastUse
        /// The connection has carried its requests already.
        case isWornOut
    }

    private var counts: [CInt: Int] = [:]

    /// A request is about to use a connection.
    mutating func use(_ socket: CInt, limit: Int) -> Verdict {
        let count = counts[socket, default: 0]
        guard count < limit else { return .isWornOut }
        counts[socket] = count + 1
        return count + 1 == limit ? .lastUse : .mayUse
    }

    /// A socket was opened or closed: its number is that of another connection.
    mutating func forget(_ socket: CInt) {
        if !counts.isEmpty { counts[socket] = nil }
    }
}
