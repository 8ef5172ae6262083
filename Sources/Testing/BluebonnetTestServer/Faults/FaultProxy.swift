// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import Testing

/// A TCP proxy on 127.0.0.1 in front of another local port, which simulates network faults. It does not interpret the
/// bytes, so TLS and HTTP/2 pass through it.
///
/// ```swift
/// let proxy = try await FaultProxy.start(toPort: server.port, schedule: FaultSchedule(seed: 7))
/// // … a client connects to proxy.port; each connection gets the schedule's next plan …
/// await proxy.set(.stall)   // nothing arrives in either direction
/// await proxy.cut()         // both ends of all connections get a reset
/// await proxy.set(.forward)
/// ```
public final class FaultProxy: Sendable {
    /// The behaviour of all connections, in addition to their plans.
    public enum Mode: Sendable, Hashable {
        /// Bytes pass according to the plans.
        case forward
        /// Connections are accepted and stay open, but nothing passes, not even the end of a connection. Everything
        /// passes later, in order, when the proxy forwards again.
        case stall
        /// New connections get a reset; open ones continue.
        case refuse
    }

    private let listener: any Channel
    private let connections: FaultConnections

    private init(listener: any Channel, connections: FaultConnections) {
        (self.listener, self.connections) = (listener, connections)
    }

    deinit {
        listener.close(promise: nil)
        for connection in connections.all { connection.eventLoop.execute { connection.value.reset() } }
    }

    /// Starts a proxy on a free port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: the port to which connections lead.
    ///   - schedule: the plans of connections. Default: no faults.
    public static func start(toPort port: Int, schedule: FaultSchedule = FaultSchedule()) async throws -> FaultProxy {
        let connections = FaultConnections(schedule)
        let bootstrap = ServerBootstrap(group: TestServer.group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture { try connections.accept(client, toPort: port) }
            }
        let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        return FaultProxy(listener: listener, connections: connections)
    }

    /// Starts a proxy, passes it to `body`, and stops it when `body` returns or throws.
    public static func serving<Result>(
        toPort port: Int, schedule: FaultSchedule = FaultSchedule(), _ body: (FaultProxy) async throws -> Result
    ) async throws -> Result {
        let proxy = try await start(toPort: port, schedule: schedule)
        do {
            let result = try await body(proxy)
            await proxy.stop()
            return result
        } catch {
            await proxy.stop()
            throw error
        }
    }

    /// The port of the proxy.
    public var port: Int { listener.localAddress?.port ?? 0 }

    /// The number of open connections.
    public var openConnectionCount: Observed<Int> { connections.openCount }

    /// The number of connections accepted so far.
    public var connectionCount: Int { connections.count }

    /// Sets the plans of new connections, counted from the next connection.
    public func set(_ schedule: FaultSchedule) { connections.set(schedule) }

    /// Changes the behaviour of all connections. Returns when the change is in effect.
    public func set(_ mode: Mode) async {
        for connection in connections.set(mode) {
            try? await connection.eventLoop.submit { connection.value.set(isStalled: mode == .stall) }.get()
        }
    }

    /// Ends all connections with a reset, at both ends, in any mode. New connections are accepted according to the
    /// mode.
    public func cut() async {
        for connection in connections.all {
            try? await connection.eventLoop.submit { connection.value.reset() }.get()
        }
    }

    /// Stops listening, and ends all connections with a reset. Further calls do nothing.
    public func stop() async {
        try? await listener.close().get()
        await cut()
        await openConnectionCount.becomes(0)
    }
}
