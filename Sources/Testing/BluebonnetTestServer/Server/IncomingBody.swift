// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore

/// The body of a request that is answered while the body arrives. Event-loop thread only.
final class IncomingBody {
    private var pieces: [ByteBuffer] = []
    private var hasEnded = false
    /// The waiter for the next piece; nil without a waiter.
    private var waiter: ((ByteBuffer?) -> Void)?

    func append(_ piece: ByteBuffer) {
        pieces.append(piece)
        serve()
    }

    func end() {
        hasEnded = true
        serve()
    }

    /// Drops the pieces and the waiter, because the connection has ended.
    func cancel() { (pieces, waiter) = ([], nil) }

    /// Calls `receive` with the next piece, when it has arrived; with nil at the end. One call at a time.
    func next(_ receive: @escaping (ByteBuffer?) -> Void) {
        waiter = receive
        serve()
    }

    private func serve() {
        guard let waiter, hasEnded || !pieces.isEmpty else { return }
        self.waiter = nil
        waiter(pieces.isEmpty ? nil : pieces.removeFirst())
    }
}
