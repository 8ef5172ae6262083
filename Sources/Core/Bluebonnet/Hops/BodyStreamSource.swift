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
