// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Writes a channel's bytes to an output stream, on a queue of its own because a write may block. Every byte is taken
/// or the channel is abandoned with the reason in `failure`.
final class OutputStreamWriter: Sendable {
    private let stream: QueueBound<OutputStream>
    private let channel: BodyChannel
    private let outcome = Mutex(Outcome())
    private let closing = NetworkBound(Closing())

    private struct Outcome {
        var failure: NetworkingError?
        var isOver = false
    }

    private final class Closing {
        var action: ((NetworkingError?) -> Void)?
    }

    init(_ stream: QueueBound<OutputStream>, _ channel: BodyChannel) {
        self.stream = stream
        self.channel = channel
    }

    /// Why the stream could not take everything.
    var failure: NetworkingError? { outcome.withLock { $0.failure } }

    /// Opens the stream and starts to wait for bytes.
    func begin() {
        stream.queue.async { [self] in
            if stream.value.streamStatus == .notOpen { stream.value.open() }
            drain()
        }
    }

    /// Writes what is there, and closes the stream behind it; `action` runs on the network thread, with the error that
    /// kept a byte from being written. Network thread only.
    func close(then action: @escaping (NetworkingError?) -> Void) {
        closing.value.action = action
        channel.finish(.complete)
        if outcome.withLock({ $0.isOver }) { reportEnd() }
    }

    private func drain() {
        while let item = channel.next(orCall: { [self] in stream.queue.async { self.drain() } }) {
            guard case .chunk(let chunk) = item else { return end(nil) }
            if let error = write(chunk) { return end(error) }
        }
    }

    private func write(_ chunk: Data) -> NetworkingError? {
        chunk.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count, let base = bytes.baseAddress {
                let rest = base.advanced(by: done).assumingMemoryBound(to: UInt8.self)
                let count = stream.value.write(rest, maxLength: bytes.count - done)
                guard count > 0 else { return refusal(count) }
                done += count
            }
            return nil
        }
    }

    private func refusal(_ count: Int) -> NetworkingError {
        let reason = stream.value.errorIfAny
        let fault = count == 0 ? "it has no room left" : reason.map { "\($0)" } ?? "it does not say why"
        return NetworkingError(
            .cannotWriteFile, "the output stream did not take the body: \(fault)", underlying: reason)
    }

    private func end(_ error: NetworkingError?) {
        stream.value.close()
        outcome.withLock { $0 = Outcome(failure: error, isOver: true) }
        if error != nil { channel.abandon() }
        NetworkThread.shared.submit { [self] in reportEnd() }
    }

    private func reportEnd() {
        let action = closing.value.action
        closing.value.action = nil
        action?(failure)
    }
}
