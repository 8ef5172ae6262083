// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import Synchronization
import Testing

/// A TCP proxy on 127.0.0.1 in front of another port there, for what networks do between two programs.
///
/// ```swift
/// let proxy = try await TCPProxy.start(toPort: database.port)
/// // … a worker connects to proxy.port …
/// await proxy.set(.stall)   // nothing arrives any more, in neither direction
/// await proxy.cut()         // both ends of all connections get a reset
/// await proxy.set(.forward)
/// ```
public final class TCPProxy: Sendable {
    /// What happens to connections.
    public enum Mode: Sendable, Hashable {
        /// Bytes go through.
        case forward
        /// Connections are made and stay open, but nothing goes through, ends of connections included. It goes through
        /// later, in order, when the proxy forwards again.
        case stall
        /// New connections get a reset; those that are open go on.
        case refuse
    }

    private let listener: any Channel
    private let connections: ProxyConnections

    private init(listener: any Channel, connections: ProxyConnections) {
        (self.listener, self.connections) = (listener, connections)
    }

    deinit {
        listener.close(promise: nil)
        for connection in connections.all { connection.eventLoop.execute { connection.value.reset() } }
    }

    /// Starts a proxy on a free port of 127.0.0.1, which forwards.
    public static func start(toPort port: Int) async throws -> TCPProxy {
        let connections = ProxyConnections()
        let bootstrap = ServerBootstrap(group: TestServer.group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture { try connections.accept(client, toPort: port) }
            }
        let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        return TCPProxy(listener: listener, connections: connections)
    }

    /// The port of the proxy.
    public var port: Int { listener.localAddress?.port ?? 0 }

    /// The connections that are open.
    public var openConnectionCount: Observed<Int> { connections.openCount }

    /// Changes what happens to connections, and waits until it does.
    public func set(_ mode: Mode) async {
        for connection in connections.set(mode) {
            try? await connection.eventLoop.submit { connection.value.set(isStalled: mode == .stall) }.get()
        }
    }

    /// Ends all connections with a reset, at both ends, in any mode. New ones are made as the mode says.
    public func cut() async {
        for connection in connections.all {
            try? await connection.eventLoop.submit { connection.value.reset() }.get()
        }
    }

    /// Listens no longer, and ends all connections with a reset. A second call does nothing.
    public func stop() async {
        try? await listener.close().get()
        await cut()
        await openConnectionCount.becomes(0)
    }
}

/// The connections of one proxy.
private final class ProxyConnections: Sendable {
    typealias Connection = NIOLoopBound<ProxyConnection>

    private struct State {
        var mode = TCPProxy.Mode.forward
        var connections: [ObjectIdentifier: Connection] = [:]
    }

    let openCount = Observed(0)
    private let state = Mutex(State())

    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    /// Notes the mode, and gives the connections that have to hear of it.
    func set(_ mode: TCPProxy.Mode) -> [Connection] {
        state.withLock { state in
            state.mode = mode
            return Array(state.connections.values)
        }
    }

    func accept(_ client: any Channel, toPort port: Int) throws {
        let connection = ProxyConnection(client: client)
        let id = ObjectIdentifier(connection)
        let bound = NIOLoopBound(connection, eventLoop: client.eventLoop)
        let mode = state.withLock { state in
            state.connections[id] = bound
            return state.mode
        }
        openCount.increment()
        client.closeFuture.whenComplete { [self] _ in
            state.withLock { _ = $0.connections.removeValue(forKey: id) }
            openCount.update { $0 -= 1 }
        }
        try connection.begin(toPort: port, mode)
    }
}

/// One connection through the proxy: two sockets, of which each gets what the other sends. Event-loop thread only.
private final class ProxyConnection {
    private let client: any Channel
    private var server: (any Channel)?
    private var isStalled = false
    private var hasEnded = false

    init(client: any Channel) {
        self.client = client
    }

    func begin(toPort port: Int, _ mode: TCPProxy.Mode) throws {
        try client.pipeline.syncOperations.addHandler(ProxyEnd(of: self, isClient: true))
        // The channel is not active before its initializer has returned.
        if mode == .refuse {
            let bound = NIOLoopBound(self, eventLoop: client.eventLoop)
            return client.eventLoop.execute { bound.value.reset() }
        }
        isStalled = mode == .stall
        let bound = NIOLoopBound(self, eventLoop: client.eventLoop)
        let bootstrap = ClientBootstrap(group: client.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelInitializer { server in
                server.eventLoop.makeCompletedFuture {
                    try server.pipeline.syncOperations.addHandler(ProxyEnd(of: bound.value, isClient: false))
                }
            }
        bootstrap.connect(host: "127.0.0.1", port: port).assumeIsolated().whenComplete { self.connected($0) }
    }

    private func connected(_ result: Result<any Channel, any Error>) {
        guard case .success(let channel) = result, client.isActive else {
            if case .success(let channel) = result { channel.close(promise: nil) }
            return reset()
        }
        server = channel
        setReading()
    }

    func set(isStalled: Bool) {
        self.isStalled = isStalled
        if hasEnded && !isStalled { closeBoth() } else { setReading() }
    }

    /// Closes both sockets with a reset.
    func reset() {
        for channel in [client, server].compactMap({ $0 }) {
            _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        closeBoth()
    }

    func received(_ bytes: ByteBuffer, fromClient: Bool) {
        (fromClient ? server : client)?.writeAndFlush(bytes, promise: nil)
    }

    func ended() {
        hasEnded = true
        if !isStalled { closeBoth() }
    }

    /// Reads from each socket as long as the other one takes what is read.
    func setReading() {
        guard let server else { return }
        try? client.syncOptions?.setOption(.autoRead, value: !isStalled && server.isWritable)
        try? server.syncOptions?.setOption(.autoRead, value: !isStalled && client.isWritable)
    }

    private func closeBoth() {
        client.close(promise: nil)
        server?.close(promise: nil)
    }
}

/// One of the two sockets of a connection. Event-loop thread only.
private final class ProxyEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: ProxyConnection
    private let isClient: Bool

    init(of connection: ProxyConnection, isClient: Bool) {
        (self.connection, self.isClient) = (connection, isClient)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.received(unwrapInboundIn(data), fromClient: isClient)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.setReading()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.ended()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
