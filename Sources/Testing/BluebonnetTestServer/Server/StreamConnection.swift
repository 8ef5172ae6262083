// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP2

/// An HTTP/2 connection: the state that its streams share. Event-loop thread only.
final class StreamConnection {
    /// The options of the server.
    var options: TestServer.Options { factory.options }
    /// The handler next to the socket.
    let wire: WireHandler

    private let number: Int
    private let factory: ConnectionFactory
    private let channel: any Channel
    /// The id of the latest stream.
    private var lastStreamID = HTTP2StreamID.rootStream
    /// The last stream id in the latest GOAWAY; nil before the first GOAWAY.
    private var announcedStreamID: HTTP2StreamID?
    private var requestCount = 0
    private var answerCount = 0

    init(number: Int, factory: ConnectionFactory, wire: WireHandler, channel: any Channel) {
        (self.number, self.factory, self.wire, self.channel) = (number, factory, wire, channel)
    }

    /// Adds the handlers for frames and streams to the end of the connection's pipeline.
    func install() throws {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: options.concurrentStreamLimit)]
        let frames = NIOHTTP2Handler(
            mode: .server, initialSettings: settings, headerBlockValidation: .disabled,
            contentLengthValidation: .disabled)
        let connection = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let streams = HTTP2StreamMultiplexer(mode: .server, channel: channel) { stream in
            stream.eventLoop.makeCompletedFuture { try connection.value.prepare(stream) }
        }
        try channel.pipeline.syncOperations.addHandlers([frames, streams, StreamFailures(number, factory)])
    }

    /// Numbers a request. Returns the script's reply.
    func answer(to request: inout ReceivedRequest) -> Reply {
        requestCount += 1
        (request.connection, request.numberOnConnection) = (number, requestCount)
        if !options.answersHeads { record(request) }
        return factory.script(request)
    }

    /// Records a request.
    func record(_ request: ReceivedRequest) { factory.log.update { $0.requests.append(request) } }

    /// Records the received part of a request whose stream ended before it was complete.
    func recordUnfinished(_ request: ReceivedRequest) {
        var request = request
        if request.connection == 0 { (request.connection, request.numberOnConnection) = (number, requestCount + 1) }
        factory.log.update { [request] in $0.unfinishedRequests.append(request) }
    }

    /// Counts an answer, and closes the connection after the last answer that the options allow.
    func recordAnswer() {
        answerCount += 1
        if answerCount == options.requestsPerConnection { close(last: lastStreamID) }
    }

    /// Sends GOAWAY: streams after `last` are not answered. A second GOAWAY must not raise the last stream id (RFC
    /// 9113, 6.8): NIO would refuse it, and the connection would be closed before the first GOAWAY was sent.
    func goAway(last: HTTP2StreamID) -> EventLoopFuture<Void> {
        let last = min(last, announcedStreamID ?? last)
        announcedStreamID = last
        let frame = HTTP2Frame(
            streamID: .rootStream, payload: .goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil))
        // Not during a read: NIO closes a connection without streams at the next frame of the same read, before it
        // flushes.
        let channel = channel
        return channel.eventLoop.flatSubmit { channel.writeAndFlush(frame) }
    }

    /// Sends GOAWAY and closes the connection.
    func close(last: HTTP2StreamID) {
        let wire = NIOLoopBound(wire, eventLoop: channel.eventLoop)
        let channel = channel
        goAway(last: last).whenComplete { _ in
            // TLS sends its close_notify here, and would then wait for the client's.
            channel.close(promise: nil)
            wire.value.close()
        }
    }

    private func prepare(_ stream: any Channel) throws {
        guard let sync = stream.syncOptions else { throw TestServerError("a stream has no options") }
        let streamID = try sync.getOption(HTTP2StreamChannelOptions.streamID)
        lastStreamID = streamID
        let outlet = StreamOutlet(channel: stream, streamID: streamID, connection: self)
        try stream.pipeline.syncOperations.addHandler(StreamHandler(connection: self, channel: stream, outlet: outlet))
    }
}

/// Records the errors of an HTTP/2 connection. Event-loop thread only.
private final class StreamFailures: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let number: Int
    private let factory: ConnectionFactory

    init(_ number: Int, _ factory: ConnectionFactory) {
        (self.number, self.factory) = (number, factory)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        factory.recordFailure(number, String(describing: error))
        if error is NIOHTTP2Errors.StreamClosed { return }
        context.close(promise: nil)
    }
}
