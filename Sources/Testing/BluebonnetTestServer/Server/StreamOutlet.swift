// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Sends a reply on one HTTP/2 stream. Event-loop thread only.
final class StreamOutlet: ReplyOutlet {
    private let channel: any Channel
    private let streamID: HTTP2StreamID
    private let connection: StreamConnection
    private var raw = RawResponse()
    private var hasBegun = false
    /// Whether the last frame of the stream was sent.
    private(set) var hasEnded = false

    init(channel: any Channel, streamID: HTTP2StreamID, connection: StreamConnection) {
        (self.channel, self.streamID, self.connection) = (channel, streamID, connection)
    }

    func send(_ step: Reply.Step, isLast: Bool) -> EventLoopFuture<Void> {
        switch step {
        case .head(let status, let fields):
            raw.recordHead(status: status)
            return write(.headers(status: status, fields), isLast: isLast && status >= 200)
        case .trailers(let fields): return write(.trailers(fields), isLast: true)
        case .body(let data), .chunk(let data): return write(.data(data), isLast: isLast)
        case .bytes(let data): return sendRaw(data)
        default: return channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    func finish() {
        if hasEnded { return }
        // HTTP/2 cannot send a reply without a head.
        guard hasBegun else { return resetStream(code: UInt32(HTTP2ErrorCode.internalError.networkCode)) }
        _ = write(.data(Data()), isLast: true)
    }

    func goAway(includesRequest: Bool) -> EventLoopFuture<Void> {
        connection.goAway(last: includesRequest ? streamID : HTTP2StreamID(max(0, Int(streamID) - 2)))
    }

    func close() { connection.close(last: streamID) }

    func closeWithoutNotice() { connection.wire.close() }

    func reset() { connection.wire.reset() }

    func resetStream(code: UInt32) {
        hasEnded = true
        channel.writeAndFlush(HTTP2Frame.FramePayload.rstStream(HTTP2ErrorCode(networkCode: Int(code))), promise: nil)
    }

    func becomeTunnel(toPort port: Int, stall: TunnelStall?) {
        resetStream(code: UInt32(HTTP2ErrorCode.http11Required.networkCode))
    }

    private func sendRaw(_ data: Data) -> EventLoopFuture<Void> {
        raw.append(data)
        var last = channel.eventLoop.makeSucceededVoidFuture()
        while let part = raw.next() {
            if case .trailers = part { last = write(part, isLast: true) } else { last = write(part, isLast: false) }
        }
        return last
    }

    private func write(_ part: RawResponse.Part, isLast: Bool) -> EventLoopFuture<Void> {
        hasEnded = hasEnded || isLast
        switch part {
        case .headers(let status, let fields):
            hasBegun = true
            let headers = HPACKHeaders([(":status", String(status))] + fields.streamFields)
            return channel.writeAndFlush(HTTP2Frame.FramePayload.headers(.init(headers: headers, endStream: isLast)))
        case .trailers(let fields):
            let headers = HPACKHeaders(fields.streamFields)
            return channel.writeAndFlush(HTTP2Frame.FramePayload.headers(.init(headers: headers, endStream: isLast)))
        case .data(let data):
            let bytes = IOData.byteBuffer(ByteBuffer(bytes: data))
            return channel.writeAndFlush(HTTP2Frame.FramePayload.data(.init(data: bytes, endStream: isLast)))
        }
    }
}

extension WireFields {
    /// The fields for HTTP/2: names in lower case, without connection-specific fields (RFC 9113, 8.2.2).
    fileprivate var streamFields: [(String, String)] {
        let left = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
        return fields.map { ($0.name.lowercased(), $0.value) }.filter { !left.contains($0.0) }
    }
}
