// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore

/// Sends replies on an HTTP/1.1 connection, which a reply can turn into a tunnel. Event-loop thread only.
final class WireOutlet: ReplyOutlet {
    /// The tunnel; nil unless a reply has turned the connection into one.
    private(set) var tunnel: Tunnel?

    private let channel: any Channel
    private let wire: WireHandler

    init(channel: any Channel, wire: WireHandler) {
        (self.channel, self.wire) = (channel, wire)
    }

    func send(_ step: Reply.Step, isLast: Bool) -> EventLoopFuture<Void> {
        channel.writeAndFlush(ByteBuffer(bytes: step.wireBytes))
    }

    func finish() {}

    func goAway(includesRequest: Bool) -> EventLoopFuture<Void> { channel.eventLoop.makeSucceededVoidFuture() }

    func close() {
        // TLS sends its close_notify here, and would then wait for the client's.
        channel.close(promise: nil)
        wire.close()
    }

    func closeWithoutNotice() { wire.close() }

    func reset() { wire.reset() }

    func resetStream(code: UInt32) { wire.reset() }

    func becomeTunnel(toPort port: Int, stall: TunnelStall?) {
        tunnel = Tunnel(from: channel, toPort: port, stall: stall)
    }
}
