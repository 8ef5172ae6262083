// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// A bounded pipe for a body's bytes between the network thread, at one end, and any thread at the other, the far end.
/// It knows neither operation nor transfer, and holds no lock while it calls or releases anything.
final class BodyPipe: Sendable {
    typealias End = PipeState.End
    typealias Item = PipeState.Item
    /// Called once, on any thread: there is something new for the far end.
    typealias Wake = @Sendable () -> Void

    private let farEnd: PipeState.Ends
    private let shared: Mutex<Shared>
    private let listener = NetworkBound(Listener())

    private struct Shared {
        var state: PipeState
        var wake: Wake?
    }

    private final class Listener {
        var action: (() -> Void)?
    }

    /// - Parameters:
    ///   - capacity: bytes that may wait for the reader; the piece that reaches it is still taken.
    ///   - farEnd: the end that is not the network thread's.
    init(capacity: Int, farEnd: PipeState.Ends) {
        self.farEnd = farEnd
        shared = Mutex(Shared(state: PipeState(capacity: capacity)))
    }

    /// What the writer has said; nil while it may write.
    var end: End? { shared.withLock { $0.state.end } }
    /// What the reader has said; nil while it may read.
    var closing: End? { shared.withLock { $0.state.closing } }
    var byteCount: Int { shared.withLock { $0.state.byteCount } }

    /// Sets what the network thread does when its end was woken: because of room or bytes, or because the reader has
    /// closed the pipe. Never called from inside another call of the pipe's. Network thread only.
    func whenWoken(_ action: (() -> Void)?) { listener.value.action = action }

    /// Whether a piece may be written. If not, the writer is woken when one may.
    ///
    /// - Parameter wake: how to wake a far writer.
    func hasRoom(orCall wake: Wake? = nil) -> Bool { change(wake) { ($0.hasRoom(), []) } }

    /// Adds a piece, also to a full pipe. Nobody takes it once an end has finished.
    func write(_ chunk: Data) { change { ((), $0.write(chunk)) } }

    /// Ends the bytes; only the first end counts.
    func finish(_ end: End, isDropping: Bool = false) { change { ((), $0.finish(end, isDropping: isDropping)) } }

    /// The next piece, or the end behind the last one; nil when there is neither yet: then the reader is woken.
    func next(orCall wake: @escaping Wake) -> Item? { change(wake) { $0.next() } }

    /// Copies bytes into a buffer, as `PipeState.take`.
    func take(into buffer: UnsafeMutableRawBufferPointer, declaredByteCount: Int64?) throws -> Int? {
        try change { $0.take(into: buffer, declaredByteCount: declaredByteCount) }?.get()
    }

    /// The reader takes no more; only the first time counts.
    func close(_ closing: End) { change { ((), $0.close(closing)) } }

    /// Changes the state, and wakes ends after the lock was released.
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
