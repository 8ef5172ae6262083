// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One HTTP/2 stream: reads its request, calls the script, and plays the reply. Event-loop thread only.
final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    private let connection: StreamConnection
    private let outlet: StreamOutlet
    private let player: ReplyPlayer
    private let channel: any Channel
    private var request = ReceivedRequest()
    private let body = IncomingBody()
    private var hasHead = false
    private var isAnswering = false

    init(connection: StreamConnection, channel: any Channel, outlet: StreamOutlet) {
        (self.connection, self.channel, self.outlet) = (connection, channel, outlet)
        player = ReplyPlayer(channel: channel, outlet: outlet)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        request.pieceCount += 1
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            if !hasHead { begin(frame.headers, context) }
            if frame.endStream { finish() }
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data { append(bytes) }
            if frame.endStream { finish() }
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        player.end()
        // The last frame of the response ends the stream before the player reports that the reply is done.
        if isAnswering && outlet.hasEnded { connection.recordAnswer() }
        let isRecorded = connection.options.answersHeads ? request.isComplete : isAnswering
        if hasHead && !isRecorded { connection.recordUnfinished(request) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func begin(_ headers: HPACKHeaders, _ context: ChannelHandlerContext) {
        hasHead = true
        request.method = headers.first(name: ":method") ?? ""
        request.target = headers.first(name: ":path") ?? headers.first(name: ":authority") ?? ""
        request.version = "HTTP/2"
        let host = headers.first(name: ":authority").map { [("Host", $0)] } ?? []
        request.headers = WireFields(host + headers.filter { !$0.name.hasPrefix(":") }.map { ($0.name, $0.value) })
        let options = connection.options
        if !options.readsBodies { try? channel.syncOptions?.setOption(.autoRead, value: false) }
        let expectsContinue = request.headers["Expect"]?.lowercased() == "100-continue"
        if !options.readsBodies || expectsContinue && options.refusesExpectations { return answer() }
        if expectsContinue && options.sendsContinue {
            let interim = HTTP2Frame.FramePayload.headers(.init(headers: [":status": "100"]))
            context.writeAndFlush(NIOAny(interim), promise: nil)
        }
        if options.answersHeads { answer() }
    }

    private func append(_ bytes: ByteBuffer) {
        request.body.append(contentsOf: bytes.readableBytesView)
        request.rawBody.append(contentsOf: bytes.readableBytesView)
        if connection.options.answersHeads, bytes.readableBytes > 0 { body.append(bytes) }
    }

    private func finish() {
        let length = request.headers["Content-Length"].map { Int($0) }
        guard length == nil || length == request.body.count else {
            // A request with a body of another length than its Content-Length is malformed (RFC 9113, 8.1.1).
            return outlet.resetStream(code: UInt32(HTTP2ErrorCode.protocolError.networkCode))
        }
        request.isComplete = true
        if connection.options.answersHeads { connection.record(request) }
        body.end()
        answer()
    }

    private func answer() {
        guard !isAnswering else { return }
        isAnswering = true
        let reply = connection.answer(to: &request)
        player.play(reply, omittingBody: request.method == "HEAD", body: body)
    }
}
