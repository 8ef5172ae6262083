// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc
import NIOCore

/// The handler next to the socket, which closes it without notifying TLS. Event-loop thread only.
final class WireHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Closes the socket without notifying TLS.
    func close() { context?.close(promise: nil) }

    /// Closes the socket with a reset.
    func reset() {
        let options = context?.channel as? any SocketOptionProvider
        _ = options?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        close()
    }
}
