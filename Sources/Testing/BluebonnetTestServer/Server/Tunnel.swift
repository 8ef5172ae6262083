// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix

/// Transfers bytes between a client's connection and a server on the loopback interface. Event-loop thread only.
final class Tunnel {
    private let client: any Channel
    private var server: (any Channel)?
    private var buffered: [ByteBuffer] = []
    private var hasEnded = false

    init(from client: any Channel, toPort port: Int, stall: TunnelStall?) {
        self.client = client
        let bootstrap = ClientBootstrap(group: client.eventLoop).channelInitializer { server in
            server.eventLoop.makeCompletedFuture {
                try server.pipeline.syncOperations.addHandler(
                    TunnelExit(client: client, meter: stall.map(TunnelMeter.init)))
            }
        }
        bootstrap.connect(host: "127.0.0.1", port: port).assumeIsolated().whenComplete { self.connected($0) }
    }

    /// Forwards the client's bytes to the server, or buffers them until the server is connected.
    func forward(_ bytes: ByteBuffer) {
        if let server { server.writeAndFlush(bytes, promise: nil) } else { buffered.append(bytes) }
    }

    /// Closes the connection to the server, because the client has closed.
    func end() {
        hasEnded = true
        server?.close(promise: nil)
    }

    private func connected(_ result: Result<any Channel, any Error>) {
        guard case .success(let channel) = result else { return client.close(promise: nil) }
        server = channel
        for bytes in buffered { channel.writeAndFlush(bytes, promise: nil) }
        buffered = []
        if hasEnded { end() }
    }
}

/// The server side of a tunnel: forwards the server's bytes and the end of its connection to the client. Event-loop
/// thread only.
private final class TunnelExit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel
    private var meter: TunnelMeter?

    init(client: any Channel, meter: TunnelMeter?) {
        self.client = client
        self.meter = meter
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        let passed = (meter?.consume(bytes)).map { client.allocator.buffer(bytes: $0) } ?? bytes
        if passed.readableBytes > 0 { client.writeAndFlush(passed, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if meter?.isStalled != true { client.close(promise: nil) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
