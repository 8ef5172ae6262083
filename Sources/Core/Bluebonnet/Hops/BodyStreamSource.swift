// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The source of a streamed body, for the first transfer and for repetitions. A value; it opens nothing.
struct BodyStreamSource: Sendable {
    /// The request that has the stream.
    let request: HTTPRequest
    /// The length in the caller's `Content-Length`; nil if the length is not known before the end of the body.
    let declaredByteCount: Int64?
    /// Whether another operation has the stream too, so that a new stream is preferred if one can be made.
    let prefersNew: Bool

    /// Whether the stream makes its own copy.
    var isReplayable: Bool {
        (request.bodyStream as? ProducedBodyStream)?.isRestartable ?? (request.bodyStream is any ReplayableBodyStream)
    }

    /// Whether a trailer section follows the body.
    private var hasTrailers: Bool { (request.bodyStream as? ProducedBodyStream)?.hasTrailers == true }

    /// Refuses trailers that libcurl would drop: it sends them after the last chunk of HTTP/1.1 only.
    func checkTrailers(_ version: HTTPProtocolVersion) throws(NetworkingError) {
        guard hasTrailers else { return }
        if declaredByteCount != nil {
            throw NetworkingError(
                .invalidRequest, "trailers follow a body in chunks, which has no Content-Length: remove the header")
        }
        if version == .http2PriorKnowledge {
            throw NetworkingError(
                .invalidRequest, "trailers can be sent over HTTP/1.1 only, but the options require HTTP/2")
        }
    }

    /// Makes the feed for one transfer.
    func makeFeed(isFirst: Bool, again: (@Sendable () -> InputStream?)?) -> BodyFeed {
        if let produced = request.bodyStream as? ProducedBodyStream {
            return BodyFeed(produced, declaredByteCount: declaredByteCount)
        }
        return BodyFeed(declaredByteCount: declaredByteCount) {
            let stream = request.bodyStream
            if !isFirst || prefersNew, let made = makeReplay(again) { return made }
            if isFirst, let stream, stream.streamStatus != .closed { return stream }
            throw NetworkingError(
                .bodyStreamExhausted,
                "the body must be sent again, but its stream was read: provide a new one in onNeedNewBodyStream")
        }
    }

    /// Returns another stream with the same bytes; nil if the stream can be read only once.
    func makeReplay(_ again: (@Sendable () -> InputStream?)?) -> InputStream? {
        again?() ?? (request.bodyStream as? any ReplayableBodyStream)?.makeReplay()
    }
}
