// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// A bounded buffer of a response's bytes between the network thread and a slower consumer. While it is full, the
/// connection is not read. It knows neither operation nor transfer.
final class BodyChannel: Sendable {
    private let capacity: Int
    private let state = Mutex(State())
    private let producer = NetworkBound(Producer())

    fileprivate struct State {
        var chunks = FirstInFirstOut<Data>()
        var byteCount = 0
        var end: End?
        var isAbandoned = false
        /// The network thread waits for room.
        var isProducerWaiting = false
        var consumer: (@Sendable () -> Void)?
    }

    private final class Producer {
        var roomAppeared: (() -> Void)?
        var abandoned: (() -> Void)?
    }

    /// How the bytes ended.
    enum End: Sendable {
        case complete
        case failed(any Error)
    }

    /// What there is for the consumer.
    enum Item: Sendable {
        case chunk(Data)
        case end(End)
    }

    /// - Parameter capacity: bytes that may wait for the consumer; the piece that reaches it is still taken.
    init(capacity: Int) { self.capacity = capacity }
}

// MARK: - The network thread's side

extension BodyChannel {
    /// Whether a piece may be pushed. If not, `roomAppeared` is called when there is room again.
    func hasRoom() -> Bool {
        state.withLock { state in
            let hasRoom = state.byteCount < capacity || state.isAbandoned
            state.isProducerWaiting = !hasRoom
            return hasRoom
        }
    }

    func push(_ chunk: Data) {
        let consumer = state.withLock { state in
            guard !state.isAbandoned else { return (@Sendable () -> Void)?.none }
            state.chunks.append(chunk)
            state.byteCount += chunk.count
            return state.takeConsumer()
        }
        consumer?()
    }

    /// Network thread only.
    func whenRoomAppears(_ action: (() -> Void)?) { producer.value.roomAppeared = action }

    /// Network thread only; the consumer has gone or failed. Never called from inside another call of the channel's.
    func whenAbandoned(_ action: (() -> Void)?) { producer.value.abandoned = action }
}

// MARK: - Any thread

extension BodyChannel {
    /// Ends the bytes; only the first end counts.
    func finish(_ end: End) {
        let consumer = state.withLock { state in
            state.end = state.end ?? end
            return state.takeConsumer()
        }
        consumer?()
    }

    /// The consumer wants no more bytes: drops the buffered ones, and tells the network thread.
    func abandon() {
        let isFirst = state.withLock { state in
            defer {
                state.isAbandoned = true
                state.chunks = FirstInFirstOut()
                state.byteCount = 0
            }
            return !state.isAbandoned && state.end == nil
        }
        guard isFirst else { return }
        NetworkThread.shared.submit { [producer] in producer.value.abandoned?() }
    }

    /// The next piece, or the end behind the last one; nil when there is neither yet: `consumer` is called once, on any
    /// thread, when there is.
    func next(orCall consumer: @escaping @Sendable () -> Void) -> Item? {
        let (item, mustSignal) = state.withLock { state in
            let item = state.takeItem()
            state.consumer = item == nil ? consumer : nil
            let mustSignal = state.isProducerWaiting && state.byteCount <= capacity / 2
            if mustSignal { state.isProducerWaiting = false }
            return (item, mustSignal)
        }
        if mustSignal { NetworkThread.shared.submit { [producer] in producer.value.roomAppeared?() } }
        return item
    }
}

extension BodyChannel.State {
    fileprivate mutating func takeConsumer() -> (@Sendable () -> Void)? {
        defer { consumer = nil }
        return consumer
    }

    fileprivate mutating func takeItem() -> BodyChannel.Item? {
        if !chunks.isEmpty {
            let chunk = chunks.removeFirst()
            byteCount -= chunk.count
            return .chunk(chunk)
        }
        return end.map(BodyChannel.Item.end)
    }
}
