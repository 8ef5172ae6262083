// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import NIOCore

/// Performs the steps of a reply in order, on one HTTP/1.1 connection or one HTTP/2 stream. Event-loop thread only.
final class ReplyPlayer {
    private let channel: any Channel
    private let outlet: any ReplyOutlet
    /// The remaining steps, the next one last.
    private var steps: [Reply.Step] = []
    private var omitsBody = false
    private var body: IncomingBody?
    private var whenDone: (() -> Void)?
    private var timer: Scheduled<Void>?
    private var passage: EventLoopPromise<Void>?

    init(channel: any Channel, outlet: any ReplyOutlet) {
        (self.channel, self.outlet) = (channel, outlet)
    }

    /// Plays a reply, then calls `whenDone`, unless the connection ends first.
    ///
    /// - Parameter body: the request's body; nil if it has arrived already.
    func play(_ reply: Reply, omittingBody: Bool, body: IncomingBody? = nil, whenDone: (() -> Void)? = nil) {
        steps = reply.steps.reversed()
        omitsBody = omittingBody
        self.body = body
        self.whenDone = whenDone
        advance()
    }

    /// Drops the remaining steps, because the connection has ended.
    func end() {
        steps = []
        whenDone = nil
        body?.cancel()
        body = nil
        timer?.cancel()
        passage?.fail(ChannelError.ioOnClosedChannel)
    }

    private func advance() {
        guard channel.isActive else { return }
        guard let step = steps.popLast() else {
            let whenDone = whenDone
            self.whenDone = nil
            outlet.finish()
            whenDone?()
            return
        }
        perform(step)?.assumeIsolated().whenSuccess { [self] in
            // Later, because a step may be complete before it returns, and an endless reply would recurse without end.
            channel.eventLoop.assumeIsolated().execute { self.advance() }
        }
    }

    /// Begins one step. Returns nil if no step can follow it.
    private func perform(_ step: Reply.Step) -> EventLoopFuture<Void>? {
        switch step {
        case .bytes, .head, .body, .chunk, .trailers:
            if omitsBody && step.isBody { return channel.eventLoop.makeSucceededVoidFuture() }
            return outlet.send(step, isLast: steps.isEmpty)
        case .echo: return echoPiece()
        case .wait(until: let gate): return wait(for: gate)
        case .delay(let duration): return delay(duration)
        case .drip(let data, let chunk, let interval):
            if data.count > chunk { steps.append(.drip(data.dropFirst(chunk), chunk: chunk, every: interval)) }
            steps.append(.delay(interval))
            return outlet.send(.bytes(data.prefix(chunk)), isLast: false)
        case .endless(let chunk):
            steps.append(step)
            return outlet.send(.bytes(chunk), isLast: false)
        case .goAway(let includesRequest): return outlet.goAway(includesRequest: includesRequest)
        case .stall: break
        case .close: outlet.close()
        case .closeWithoutNotice: outlet.closeWithoutNotice()
        case .reset: outlet.reset()
        case .resetStream(let code): outlet.resetStream(code: code)
        case .tunnel(toPort: let port, let stall): outlet.becomeTunnel(toPort: port, stall: stall)
        }
        return nil
    }

    private func delay(_ duration: Duration) -> EventLoopFuture<Void> {
        let scheduled = channel.eventLoop.scheduleTask(in: TimeAmount(duration)) {}
        timer = scheduled
        return scheduled.futureResult
    }

    /// Sends the next piece of the request's body. At the end, the steps after the echo follow.
    private func echoPiece() -> EventLoopFuture<Void> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        passage = promise
        guard let body else {
            promise.succeed()
            return promise.futureResult
        }
        body.next { [self] piece in
            guard let piece else { return promise.succeed() }
            steps.append(.echo)
            outlet.send(.chunk(Data(piece.readableBytesView)), isLast: false).cascade(to: promise)
        }
        return promise.futureResult
    }

    private func wait(for gate: Gate) -> EventLoopFuture<Void> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        passage = promise
        gate.whenOpen { promise.succeed() }
        return promise.futureResult
    }
}
