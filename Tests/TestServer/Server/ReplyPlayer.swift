// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import NIOCore

/// Carries out the steps of one reply after the other on one connection. Event-loop thread only.
final class ReplyPlayer {
    /// The tunnel that the connection has become, if a reply made it one.
    private(set) var tunnel: Tunnel?

    private let channel: any Channel
    private let wire: WireHandler
    /// What is left to do, the next step last.
    private var steps: [Reply.Step] = []
    private var omitsBody = false
    private var whenDone: (() -> Void)?
    private var timer: Scheduled<Void>?
    private var passage: EventLoopPromise<Void>?

    init(channel: any Channel, wire: WireHandler) {
        (self.channel, self.wire) = (channel, wire)
    }

    /// Plays a reply, then calls `whenDone`, unless the connection ends before.
    func play(_ reply: Reply, omittingBody: Bool, whenDone: @escaping () -> Void) {
        steps = reply.steps.reversed()
        omitsBody = omittingBody
        self.whenDone = whenDone
        advance()
    }

    /// Gives up what is left, because the connection has ended.
    func end() {
        steps = []
        whenDone = nil
        timer?.cancel()
        passage?.fail(ChannelError.ioOnClosedChannel)
        tunnel?.end()
    }

    /// Closes in good order.
    func close() {
        // TLS sends its close_notify in here, and would then wait for the client's.
        channel.close(promise: nil)
        wire.close()
    }

    private func advance() {
        guard channel.isActive else { return }
        guard let step = steps.popLast() else {
            let whenDone = whenDone
            self.whenDone = nil
            whenDone?()
            return
        }
        perform(step)?.assumeIsolated().whenSuccess { [self] in
            // Not at once: a step may be done before it returns, and there is no end to an endless reply.
            channel.eventLoop.assumeIsolated().execute { self.advance() }
        }
    }

    /// Begins one step. Nil means that nothing comes after it.
    private func perform(_ step: Reply.Step) -> EventLoopFuture<Void>? {
        switch step {
        case .bytes(let data): return send(data)
        case .body(let data): return omitsBody ? channel.eventLoop.makeSucceededVoidFuture() : send(data)
        case .wait(until: let gate): return wait(for: gate)
        case .delay(let duration): return delay(duration)
        case .drip(let data, let chunk, let interval):
            if data.count > chunk { steps.append(.drip(data.dropFirst(chunk), chunk: chunk, every: interval)) }
            steps.append(.delay(interval))
            return send(data.prefix(chunk))
        case .endless(let chunk):
            steps.append(step)
            return send(chunk)
        case .stall: break
        case .close: close()
        case .closeWithoutNotice: wire.close()
        case .reset: wire.reset()
        case .tunnel(toPort: let port, let stall): tunnel = Tunnel(from: channel, toPort: port, stall: stall)
        }
        return nil
    }

    private func send(_ data: Data) -> EventLoopFuture<Void> {
        channel.writeAndFlush(ByteBuffer(bytes: data))
    }

    private func delay(_ duration: Duration) -> EventLoopFuture<Void> {
        let scheduled = channel.eventLoop.scheduleTask(in: TimeAmount(duration)) {}
        timer = scheduled
        return scheduled.futureResult
    }

    private func wait(for gate: Gate) -> EventLoopFuture<Void> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        passage = promise
        gate.whenOpen { promise.succeed() }
        return promise.futureResult
    }
}
