// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import NIOCore

/// Plays replies one after the other on one connection. Event-loop thread only.
final class StepPlayer {
    private struct Item {
        let step: Step
        let stream: UInt32
    }

    private let channel: any Channel
    private let wire: WireHandler
    private let record: ServerRecord
    /// The remaining items, the next one last.
    private var items: [Item] = []
    private var isPlaying = false

    init(_ channel: any Channel, _ wire: WireHandler, _ record: ServerRecord) {
        (self.channel, self.wire, self.record) = (channel, wire, record)
    }

    /// Plays a reply after the earlier ones.
    ///
    /// - Parameter stream: the request's stream over HTTP/2.
    func play(_ reply: Reply, stream: UInt32 = 0) {
        items = reply.steps.reversed().map { Item(step: $0, stream: stream) } + items
        guard !isPlaying else { return }
        isPlaying = true
        advance()
    }

    /// Sends bytes at once.
    func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// Drops the remaining items.
    func end() { items = [] }

    private func advance() {
        guard channel.isActive, let item = items.popLast() else {
            isPlaying = false
            return
        }
        perform(item)?.assumeIsolated().whenComplete { [self] _ in
            // Later, because an endless list of steps would recurse without end.
            channel.eventLoop.assumeIsolated().execute { self.advance() }
        }
    }

    /// Begins a step. Returns nil if no step can follow it.
    private func perform(_ item: Item) -> EventLoopFuture<Void>? {
        switch item.step {
        case .text(let text): return write(Array(record.fill(text).utf8))
        case .bytes(let bytes): return write(bytes)
        case .frame(let frame): return write(frame.encoded(requestStream: item.stream))
        case .flood(let bytes, let count): return flood(bytes, count, item.stream)
        case .drip(let text, milliseconds: let interval):
            items.append(Item(step: item.step, stream: item.stream))
            for byte in text.utf8.reversed() {
                items.append(Item(step: .wait(milliseconds: interval), stream: item.stream))
                items.append(Item(step: .bytes([byte]), stream: item.stream))
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        case .wait(milliseconds: let count):
            return channel.eventLoop.scheduleTask(in: .milliseconds(Int64(count))) {}.futureResult
        case .stall: return nil
        case .stopReading:
            try? channel.syncOptions?.setOption(.autoRead, value: false)
            return nil
        case .close:
            // TLS sends its close_notify here, and would then wait for the client's.
            channel.close(promise: nil)
            wire.close()
        case .closeWithoutNotice: wire.close()
        case .reset: wire.reset()
        }
        return nil
    }

    private func write(_ bytes: [UInt8]) -> EventLoopFuture<Void> { channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Sends at most 64 KiB or one piece, and queues the rest as another item.
    private func flood(_ bytes: [UInt8], _ count: Int, _ stream: UInt32) -> EventLoopFuture<Void> {
        let now = min(count, max(1, (64 << 10) / bytes.count))
        if now < count { items.append(Item(step: .flood(bytes, count: count - now), stream: stream)) }
        return write(Array(repeatElement(bytes, count: now).joined()))
    }
}
