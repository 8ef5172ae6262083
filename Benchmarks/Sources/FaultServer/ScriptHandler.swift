// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import NIOCore

/// Reads the requests of one connection and plays the reply to each. Event-loop thread only.
final class ScriptHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let plan: ServerPlan
    private let record: ServerRecord
    private let player: StepPlayer
    private var requests = RequestReader()
    private var frames = FrameReader()
    /// The number of the request whose body is incomplete.
    private var current: Int?

    init(_ plan: ServerPlan, _ record: ServerRecord, _ player: StepPlayer) {
        (self.plan, self.record, self.player) = (plan, record, player)
    }

    func channelActive(context: ChannelHandlerContext) {
        if plan.wire == .http2 { player.send(Frame.settings(plan.settings).encoded(requestStream: 0)) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(buffer: unwrapInboundIn(data))
        if plan.wire == .http2 {
            frames.read(bytes).forEach(handle)
        } else {
            requests.read(bytes).forEach(handle)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        player.end()
        context.fireChannelInactive()
    }

    /// Closes the connection. Errors of TLS and of the socket are reported by the clients.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func handle(_ event: RequestReader.Event) {
        switch event {
        case .head(let request):
            current = record.add(request)
            if plan.answersAtHead { answer() }
        case .body(let bytes): if let current { record.add(bytes, toRequest: current) }
        case .end: if !plan.answersAtHead { answer() }
        }
    }

    private func answer() {
        guard let current else { return }
        player.play(record.reply(to: current, plan.routes))
    }

    private func handle(_ event: FrameReader.Event) {
        switch event {
        case .request(let stream):
            let number = record.add(ServerReport.Request(method: "*", target: "*", lines: []))
            player.play(record.reply(to: number, plan.routes), stream: stream)
        case .answer(let frame): player.send(frame)
        }
    }
}
