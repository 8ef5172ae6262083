// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import BluebonnetTestServer
import Glibc

/// Ports of 127.0.0.1.
public enum LoopbackPort {
    /// Below the ephemeral ports of Linux, which begin at 32768 by default.
    private static let own = 10_000..<32_000
    /// Where the next search begins. Each process begins at a random port.
    private static let next = Mutex(Int.random(in: own))

    /// A port on which nothing listens: connecting to it is refused. No other call of this process returns the port
    /// before all others had their turn. A socket that asks for any free port does not get it, unless the system was
    /// configured to assign such ports.
    public static func unused() throws -> Int {
        for _ in own {
            let port = next.withLock { next in
                next = next + 1 < own.upperBound ? next + 1 : own.lowerBound
                return next
            }
            let socket = try LoopbackSocket()
            defer { socket.shut() }
            if socket.bind(to: port) { return port }
        }
        throw TestServerError("no free port on 127.0.0.1 from \(own.lowerBound) to \(own.upperBound - 1)")
    }

    /// Whether something listens on the port.
    static func accepts(_ port: Int) -> Bool {
        guard let socket = try? LoopbackSocket() else { return false }
        defer { socket.shut() }
        return socket.connect(to: port)
    }
}

/// A listening port that answers no one: connecting to it neither succeeds nor fails.
public final class UnresponsiveListener: Sendable {
    /// The port.
    public let port: Int

    private let sockets: [LoopbackSocket]

    /// Listens, and fills the queue of connections that wait to be accepted.
    public init() throws {
        let listener = try LoopbackSocket()
        port = try listener.bindToFreePort()
        listener.listen(backlog: 0)
        let fillers = try (0..<4).map { _ in try LoopbackSocket(isBlocking: false) }
        for filler in fillers { _ = filler.connect(to: port) }
        sockets = [listener] + fillers
    }

    deinit {
        stop()
    }

    /// Stops listening.
    public func stop() {
        for socket in sockets { socket.shut() }
    }
}
