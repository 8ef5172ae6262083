// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore
import NIOSSL

/// One connection: reads requests, calls the script for each, and plays the replies one after the other. HTTP/2
/// connections only pass through. Event-loop thread only.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let number: Int
    private let factory: ConnectionFactory
    private let wire: WireHandler
    private let outlet: WireOutlet
    private let player: ReplyPlayer
    /// The bytes received so far, while the connection may still be HTTP/2.
    private var opening: HTTP2Opening?
    private var speaksHTTP2 = false
    private var parser: RequestParser
    private var requestCount = 0
    private var answerCount = 0
    private var waiting: [(request: ReceivedRequest, body: IncomingBody?)] = []
    /// The body that arrives while its request is answered; nil between such requests.
    private var incoming: IncomingBody?
    private var isAnswering = false
    private var hasPaused = false

    init(number: Int, factory: ConnectionFactory, channel: any Channel, wire: WireHandler) {
        (self.number, self.factory, self.wire) = (number, factory, wire)
        outlet = WireOutlet(channel: channel, wire: wire)
        player = ReplyPlayer(channel: channel, outlet: outlet)
        opening = factory.options.speaksHTTP2 ? HTTP2Opening() : nil
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
        if speaksHTTP2 { return context.fireChannelRead(data) }
        let bytes = unwrapInboundIn(data)
        if let tunnel = outlet.tunnel { return tunnel.forward(bytes) }
        pauseReading(context.channel)
        if opening == nil { return read(bytes, context) }
        guard let isHTTP2 = opening?.append(bytes), let opened = opening?.bytes else { return }
        opening = nil
        isHTTP2 ? readStreams(opened, context) : read(opened, context)
    }

    private func readStreams(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        speaksHTTP2 = true
        do {
            let connection = StreamConnection(number: number, factory: factory, wire: wire, channel: context.channel)
            try connection.install()
            context.fireChannelRead(NIOAny(bytes))
        } catch {
            errorCaught(context: context, error: error)
        }
    }

    private func read(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        parser.append(bytes)
        while let event = parser.next() { handle(event, context) }
        answerNext()
    }

    func channelInactive(context: ChannelHandlerContext) {
        player.end()
        outlet.tunnel?.end()
        waiting = []
        if factory.options.readsBodies, let unfinished = parser.unfinishedRequest() {
            let request = numbered(unfinished)
            factory.log.update { $0.unfinishedRequests.append(request) }
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        factory.recordFailure(number, String(describing: error))
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
        case .head(let request):
            let body = IncomingBody()
            incoming = body
            waiting.append((numbered(request), body))
            answerNext()
        case .piece(let bytes): incoming?.append(bytes)
        case .request(let parsed):
            let request = numbered(parsed)
            requestCount += 1
            if let body = incoming.take() { body.end() } else { waiting.append((request, nil)) }
            factory.log.update { $0.requests.append(request) }
            if !factory.options.readsBodies { try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
        case .malformed:
            factory.recordFailure(number, "malformed request")
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
        let (request, body) = waiting.removeFirst()
        player.play(factory.script(request), omittingBody: request.method == "HEAD", body: body) { [self] in
            isAnswering = false
            answerCount += 1
            answerCount == factory.options.requestsPerConnection ? outlet.close() : answerNext()
        }
    }
}
