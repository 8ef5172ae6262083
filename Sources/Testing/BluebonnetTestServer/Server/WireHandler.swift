// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc
import NIOCore

/// The handler next to the socket: counts the bytes on the wire, and closes the socket without notifying TLS.
/// Event-loop thread only.
final class WireHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let note: @Sendable (_ received: Int, _ sent: Int) -> Void
    private var context: ChannelHandlerContext?

    init(note: @escaping @Sendable (_ received: Int, _ sent: Int) -> Void) {
        self.note = note
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        note(unwrapInboundIn(data).readableBytes, 0)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let byteCount = unwrapOutboundIn(data).readableBytes
        let promise = promise ?? context.eventLoop.makePromise()
        promise.futureResult.whenSuccess { [note] in note(0, byteCount) }
        context.write(data, promise: promise)
    }

    /// Closes the socket without notifying TLS.
    func close() {
        context?.close(promise: nil)
    }

    /// Closes the socket with a reset.
    func reset() {
        let options = context?.channel as? any SocketOptionProvider
        _ = options?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        close()
    }
}
