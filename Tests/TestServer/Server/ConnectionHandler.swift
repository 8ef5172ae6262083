// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore
import NIOSSL

/// One connection: reads requests, asks the script about each, has the replies played one after the other.
/// Event-loop thread only.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let number: Int
    private let factory: ConnectionFactory
    private let player: ReplyPlayer
    private var parser: RequestParser
    private var requestCount = 0
    private var answerCount = 0
    private var waiting: [ReceivedRequest] = []
    private var isAnswering = false
    private var hasPaused = false

    init(number: Int, factory: ConnectionFactory, player: ReplyPlayer) {
        (self.number, self.factory, self.player) = (number, factory, player)
        parser = RequestParser(factory.options)
    }

    func channelActive(context: ChannelHandlerContext) {
        guard let greeting = factory.options.greeting else { return }
        isAnswering = true
        player.play(greeting, omittingBody: false) { [self] in
            isAnswering = false
            answerNext()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let tunnel = player.tunnel { return tunnel.forward(bytes) }
        pauseReading(context.channel)
        parser.append(bytes)
        while let event = parser.next() { handle(event, context) }
        answerNext()
    }

    func channelInactive(context: ChannelHandlerContext) {
        player.end()
        waiting = []
        if factory.options.readsBodies, let unfinished = parser.unfinishedRequest() {
            let request = numbered(unfinished)
            factory.log.update { $0.unfinishedRequests.append(request) }
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        factory.noteFailure(number, String(describing: error))
        context.close(promise: nil)
    }

    private func pauseReading(_ channel: any Channel) {
        guard !hasPaused, let pause = factory.options.readingPause else { return }
        hasPaused = true
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        channel.eventLoop.scheduleTask(in: TimeAmount(pause)) { _ = channel.setOption(.autoRead, value: true) }
    }

    private func handle(_ event: RequestParser.Event, _ context: ChannelHandlerContext) {
        switch event {
        case .continueExpected:
            guard factory.options.sendsContinue else { return }
            context.writeAndFlush(NIOAny(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        case .request(let parsed):
            let request = numbered(parsed)
            requestCount += 1
            waiting.append(request)
            factory.log.update { $0.requests.append(request) }
            if !factory.options.readsBodies { try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
        case .malformed:
            factory.noteFailure(number, "malformed request")
        }
    }

    private func numbered(_ request: ReceivedRequest) -> ReceivedRequest {
        var request = request
        request.connection = number
        request.numberOnConnection = requestCount + 1
        return request
    }

    private func answerNext() {
        guard !isAnswering, !waiting.isEmpty else { return }
        isAnswering = true
        let request = waiting.removeFirst()
        player.play(factory.script(request), omittingBody: request.method == "HEAD") { [self] in
            isAnswering = false
            answerCount += 1
            answerCount == factory.options.requestsPerConnection ? player.close() : answerNext()
        }
    }
}
