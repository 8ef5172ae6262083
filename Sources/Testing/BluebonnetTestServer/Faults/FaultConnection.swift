// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix

/// One connection through a proxy: two sockets, and a pipe for each direction. Event-loop thread only.
final class FaultConnection {
    private let client: any Channel
    private let plan: FaultPlan
    private var isStalled: Bool
    private var server: (any Channel)?
    private var pipes: (toServer: FaultPipe, toClient: FaultPipe)?
    /// Whether the client closed its side before the proxy was connected to the server.
    private var hasClientEnded = false

    init(client: any Channel, plan: FaultPlan, isStalled: Bool) {
        (self.client, self.plan, self.isStalled) = (client, plan, isStalled)
    }

    func begin(toPort port: Int) throws {
        try client.pipeline.syncOperations.addHandler(FaultEnd(of: self, isClient: true))
        let bound = NIOLoopBound(self, eventLoop: client.eventLoop)
        // Later, because the channel is not active before its initializer has returned.
        if plan.isRefused { return client.eventLoop.execute { bound.value.reset() } }
        let bootstrap = ClientBootstrap(group: client.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { server in
                server.eventLoop.makeCompletedFuture {
                    try server.pipeline.syncOperations.addHandler(FaultEnd(of: bound.value, isClient: false))
                }
            }
        bootstrap.connect(host: "127.0.0.1", port: port).assumeIsolated().whenComplete { self.connected($0) }
    }

    private func connected(_ result: Result<any Channel, any Error>) {
        guard case .success(let server) = result, client.isActive else {
            if case .success(let server) = result { server.close(promise: nil) }
            return reset()
        }
        self.server = server
        let toServer = FaultPipe(from: client, to: server, plan.toServer) { [unowned self] in fail($0) }
        let toClient = FaultPipe(from: server, to: client, plan.toClient) { [unowned self] in fail($0) }
        pipes = (toServer, toClient)
        for pipe in [toServer, toClient] { pipe.set(isStalled: isStalled) }
        if hasClientEnded { toServer.sourceEnded() }
    }

    func set(isStalled: Bool) {
        self.isStalled = isStalled
        pipes?.toServer.set(isStalled: isStalled)
        pipes?.toClient.set(isStalled: isStalled)
    }

    /// Closes both sockets with a reset.
    func reset() {
        for channel in [client, server].compactMap({ $0 }) {
            _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        close()
    }

    func received(_ bytes: ByteBuffer, fromClient: Bool) { pipe(fromClient)?.received(bytes) }

    func writabilityChanged(ofClient isClient: Bool) { pipe(!isClient)?.pump() }

    /// One end has closed its side. Bytes that it sent before are still delivered. If the client closes while a
    /// direction is stalled forever, both sockets are reset instead.
    func ended(fromClient: Bool) {
        if fromClient, let pipes, pipes.toServer.isStalledForever || pipes.toClient.isStalledForever { return reset() }
        if let pipe = pipe(fromClient) { pipe.sourceEnded() } else if fromClient { hasClientEnded = true }
    }

    /// One socket has closed completely.
    func closed(isClient: Bool, byReset: Bool) {
        if byReset && !isStalled { return reset() }
        ended(fromClient: isClient)
        pipe(!isClient)?.targetClosed()
    }

    private func pipe(_ fromClient: Bool) -> FaultPipe? { fromClient ? pipes?.toServer : pipes?.toClient }

    private func fail(_ kind: FaultPlan.FaultKind) {
        if kind == .reset { reset() } else { close() }
    }

    private func close() {
        pipes?.toServer.stop()
        pipes?.toClient.stop()
        client.close(promise: nil)
        server?.close(promise: nil)
    }
}

/// One of the two sockets of a connection. Event-loop thread only.
private final class FaultEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: FaultConnection
    private let isClient: Bool
    private var isReset = false

    init(of connection: FaultConnection, isClient: Bool) {
        (self.connection, self.isClient) = (connection, isClient)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.received(unwrapInboundIn(data), fromClient: isClient)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.writabilityChanged(ofClient: isClient)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { connection.ended(fromClient: isClient) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.closed(isClient: isClient, byReset: isReset)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isReset = true
        context.close(promise: nil)
    }
}
