// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// Ports of 127.0.0.1.
public enum LoopbackPort {
    /// A port on which nothing listens: connecting to it is refused.
    public static func unused() throws -> Int {
        let listener = try LoopbackSocket()
        defer { listener.shut() }
        return try listener.bindToFreePort()
    }

    /// Whether something listens on the port.
    static func accepts(_ port: Int) -> Bool {
        guard let socket = try? LoopbackSocket() else { return false }
        defer { socket.shut() }
        return socket.connect(to: port)
    }
}

/// A port on which something listens, but answers no one: connecting to it neither succeeds nor fails.
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
