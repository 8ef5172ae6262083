// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Where a streamed body comes from, the first time and again. A value; it opens nothing.
struct BodyStreamSource: Sendable {
    /// Carries the stream.
    let request: HTTPRequest
    /// What the caller's `Content-Length` says; nil when the body's length is not known before its end.
    let declaredByteCount: Int64?
    /// Whether the stream is another operation's too, so that a new one is better if there is one.
    let prefersNew: Bool

    /// Whether the stream makes its own copy.
    var isReplayable: Bool { request.bodyStream is any ReplayableBodyStream }

    /// Makes what feeds one transfer.
    func makeFeed(isFirst: Bool, again: (@Sendable () -> InputStream?)?) -> BodyFeed {
        BodyFeed(declaredByteCount: declaredByteCount) {
            let stream = request.bodyStream
            if !isFirst || prefersNew, let made = makeReplay(again) { return made }
            if isFirst, let stream, stream.streamStatus != .closed { return stream }
            throw NetworkingError(
                .bodyStreamExhausted,
                "the body stream was used up and has to be sent again: use onNeedNewBodyStream to make it anew")
        }
    }

    /// Another stream with the same bytes; nil if the stream can be read only once.
    func makeReplay(_ again: (@Sendable () -> InputStream?)?) -> InputStream? {
        again?() ?? (request.bodyStream as? any ReplayableBodyStream)?.makeReplay()
    }
}
