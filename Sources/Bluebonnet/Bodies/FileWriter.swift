// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// Writes a large body on another thread while the network thread reads on. It knows neither file nor transfer.
///
/// The network thread appends; the writing thread takes all pending bytes at once, so that a slower file gets larger
/// pieces. While the buffer is full, the connection is not read. After the first write error later writes are refused.
final class FileWriter: RoundEndTask, Sendable {
    /// The most pending bytes; the piece that reaches the limit is still taken.
    let capacity: Int
    /// A decoder may give much more at once, which is written before it goes on.
    private var overflow: Int { 4 * capacity }
    /// With this many pending bytes another thread starts writing immediately; with fewer at the end of the round.
    private static let usualByteCount = 128 * 1024

    /// Writes bytes at an offset: all of them, or throws.
    typealias Write = @Sendable (UnsafeRawBufferPointer, Int64) throws(NetworkingError) -> Void

    private static let atWork = Atomic(0)

    private let put: Write
    private let state = Mutex(State(), rank: .pendingBytes)
    /// What is on its way into the file, and where it goes. Whoever holds it writes.
    private let writing: Mutex<Writing>
    private let producer = NetworkBound(Producer())

    private struct State {
        /// In order behind what is being written.
        var bytes: [UInt8] = []
        var failure: NetworkingError?
        /// Whether a thread writes, or is scheduled to write.
        var isScheduled = false
        /// Whether the network thread waits for room, or for the end.
        var isRoomAwaited = false
        var isEndAwaited = false
    }

    private struct Writing {
        var bytes: [UInt8] = []
        var offset: Int64
    }

    private final class Producer {
        var roomAppeared: (() -> Void)?
        var end: ((NetworkingError?) -> Void)?
        var isRoundEndAwaited = false
    }

    /// - Parameters:
    ///   - offset: where the next byte goes.
    ///   - put: called on any thread, by one at a time.
    init(at offset: Int64, put: @escaping Write) {
        self.put = put
        writing = Mutex(Writing(offset: offset), rank: .fileWriting)
        capacity = Self.capacity(atWork: Self.atWork.add(1, ordering: .relaxed).newValue)
    }

    deinit { Self.atWork.subtract(1, ordering: .relaxed) }

    /// The capacity of the last one of so many: 1 MiB, of which more is of no use; beyond 32 files each new one gets
    /// less.
    static func capacity(atWork count: Int) -> Int { min(max(32 * 1024 * 1024 / count, 256 * 1024), 1024 * 1024) }
}

// MARK: - The network thread's side

extension FileWriter {
    /// Called when there is room again after there was none.
    func whenRoomAppears(_ action: (() -> Void)?) { producer.value.roomAppeared = action }

    /// Whether a piece may be appended. If not, the action for room is called when one may.
    func hasRoom() -> Bool {
        state.withLock { state in
            state.isRoomAwaited = state.bytes.count >= capacity
            return !state.isRoomAwaited
        }
    }

    /// - Throws: what kept an earlier piece from being written.
    func append(_ piece: UnsafeRawBufferPointer) throws(NetworkingError) {
        let (failure, count) = state.withLock { state in
            if state.failure == nil {
                if state.bytes.isEmpty { state.bytes.reserveCapacity(capacity + piece.count) }
                state.bytes += piece
            }
            return (state.failure, state.bytes.count)
        }
        if let failure { throw failure }
        if count >= overflow { return try settle() }
        if count >= Self.usualByteCount { return writeSoon() }
        guard !producer.value.isRoundEndAwaited else { return }
        producer.value.isRoundEndAwaited = true
        NetworkThread.shared.eventLoop.atEndOfRound(.handover, self)
    }

    func roundEnds() {
        producer.value.isRoundEndAwaited = false
        writeSoon()
    }

    /// Writes the pending bytes on the calling thread, after waiting for a write in progress.
    func settle() throws(NetworkingError) {
        writeAll()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Drops the pending bytes, and waits for a write in progress; nothing is written after this call.
    func stop() {
        state.withLock { $0.bytes = [] }
        writing.withLock { _ in }
    }

    /// Calls `action` when everything is written, with the error if writing failed; immediately when that is so
    /// already.
    func close(then action: @escaping (NetworkingError?) -> Void) {
        let (isOver, failure) = state.withLock { state in
            let isOver = !state.isScheduled && state.bytes.isEmpty
            state.isEndAwaited = !isOver
            return (isOver, state.failure)
        }
        if isOver { return action(failure) }
        producer.value.end = action
        writeSoon()
    }

    private func writeSoon() {
        let isNeeded = state.withLock { state in
            let isNeeded = !state.isScheduled && !state.bytes.isEmpty
            if isNeeded { state.isScheduled = true }
            return isNeeded
        }
        if isNeeded { Queues.writing.async { [self] in writeAll() } }
    }
}

// MARK: - Any thread

extension FileWriter {
    /// Writes until nothing waits.
    private func writeAll() {
        writing.withLock { writing in
            while take(&writing.bytes) { write(&writing) }
        }
    }

    /// Takes what waits, for an empty array with room. False when there is nothing: the next comer has to schedule.
    private func take(_ bytes: inout [UInt8]) -> Bool {
        let (hasBytes, hasRoom, isEnd) = state.withLock { state in
            swap(&state.bytes, &bytes)
            let (hasRoom, isEnd) = (state.isRoomAwaited, bytes.isEmpty && state.isEndAwaited)
            state.isRoomAwaited = false
            if isEnd { state.isEndAwaited = false }
            state.isScheduled = !bytes.isEmpty  // whoever takes is who writes
            return (!bytes.isEmpty, hasRoom, isEnd)
        }
        if hasRoom { NetworkThread.shared.submit { [producer] in producer.value.roomAppeared?() } }
        if isEnd { NetworkThread.shared.submit { [self] in reportEnd() } }
        return hasBytes
    }

    private func write(_ writing: inout Writing) {
        defer { writing.bytes.removeAll(keepingCapacity: true) }
        guard state.withLock({ $0.failure == nil }) else { return }
        let (offset, count) = (writing.offset, Int64(writing.bytes.count))
        do throws(NetworkingError) {
            let result = writing.bytes.withUnsafeBytes { bytes in
                Result { () throws(NetworkingError) in try put(bytes, offset) }
            }
            try result.get()
            writing.offset += count
        } catch {
            state.withLock { $0.failure = error }
        }
    }

    private func reportEnd() {
        let action = producer.value.end
        producer.value.end = nil
        action?(state.withLock { $0.failure })
    }
}
