// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
package import Foundation

/// A bounded pipe for the bytes of a body between the network thread at one end and any thread at the other, the far
/// end. Independent of operations and transfers; calls and releases nothing while its lock is locked.
package final class BodyPipe: Sendable {
    package typealias End = PipeState.End
    package typealias Item = PipeState.Item
    /// Called once, on any thread, when the far end has something to do.
    package typealias Wake = @Sendable () -> Void

    private let farEnd: PipeState.Ends
    private let shared: Mutex<Shared>
    private let listener = NetworkBound(Listener())

    /// The state that the lock protects.
    private struct Shared {
        var state: PipeState
        var wake: Wake?
    }

    /// Stores the action of the network thread's end.
    private final class Listener {
        var action: (() -> Void)?
    }

    /// - Parameters:
    ///   - capacity: the pending bytes at which the pipe is full; the piece that reaches the capacity is still
    ///     accepted.
    ///   - farEnd: the end that is not on the network thread.
    package init(capacity: Int, farEnd: PipeState.Ends) {
        self.farEnd = farEnd
        shared = Mutex(Shared(state: PipeState(capacity: capacity)))
    }

    /// How the writer finished; nil while it may write.
    var writerEnd: End? { shared.withLock { $0.state.writerEnd } }
    /// How the reader finished; nil while it may read.
    var readerEnd: End? { shared.withLock { $0.state.readerEnd } }
    var byteCount: Int { shared.withLock { $0.state.byteCount } }

    /// Sets the action that the network thread calls when its end is woken: because of capacity or bytes, or because
    /// the reader has closed the pipe. Never called from inside another call of the pipe. Network thread only.
    func whenWoken(_ action: (() -> Void)?) { listener.value.action = action }

    /// Whether a piece may be written. If not, the writer is woken when a piece may be written.
    ///
    /// - Parameter wake: how to wake a far writer.
    func requestCapacity(orCall wake: Wake? = nil) -> Bool { change(wake) { ($0.requestCapacity(), []) } }

    /// Adds a piece, also to a full pipe. Drops the piece if an end has finished.
    func write(_ chunk: Data) { change { ((), $0.write(chunk)) } }

    /// Ends the bytes. Only the first end counts.
    package func finish(_ end: End, isDropping: Bool = false) {
        change { ((), $0.finish(end, isDropping: isDropping)) }
    }

    /// Returns the next piece, or the end after the last piece. Returns nil if there is neither yet; the reader is then
    /// woken when there is.
    package func next(orCall wake: @escaping Wake) -> Item? { change(wake) { $0.next() } }

    /// Returns the next piece; nil if none is pending.
    package func nextPending() -> Data? { change { $0.nextPending() } }

    /// Copies bytes into a buffer; see `PipeState.copyBytes`.
    func copyBytes(into buffer: UnsafeMutableRawBufferPointer, declaredByteCount: Int64?) throws -> Int? {
        try change { $0.copyBytes(into: buffer, declaredByteCount: declaredByteCount) }?.get()
    }

    /// Closes the reader's end. Only the first call counts.
    package func close(_ end: End) { change { ((), $0.close(end)) } }

    /// Changes the state, and wakes ends after the lock is released.
    private func change<Result: Sendable>(
        _ wake: Wake? = nil, _ body: (inout PipeState) -> (Result, PipeState.Ends)
    ) -> Result {
        let (result, woken, far) = shared.withLock { shared in
            let (result, woken) = body(&shared.state)
            let far = woken.contains(farEnd) || wake != nil ? shared.wake.take() : nil
            if let wake, shared.state.waiting.contains(farEnd) { shared.wake = wake }
            return (result, woken, far)
        }
        if woken.contains(farEnd) { far?() }
        if !woken.subtracting(farEnd).isEmpty {
            NetworkThread.shared.submit { [listener] in listener.value.action?() }
        }
        return result
    }
}
