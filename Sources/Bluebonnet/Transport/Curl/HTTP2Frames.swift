// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import CHTTP2

extension HTTP2EndEvidence {
    /// The evidence for a connection that exists.
    ///
    /// - Parameter mayObserve: false in tests of a transport that cannot observe frames.
    init(mayObserve: Bool) {
        if mayObserve && bluebonnet_http2_frames_are_observed() {
            self = .frames
        } else {
            self = UnreportedStreamEnd.BrokenConnection.isPresent ? .openConnection : .libcurl
        }
    }
}

/// Receives the HTTP/2 frames that libcurl receives, and records them in the transfer that they belong to.
enum HTTP2Frames {
    /// Observes the frames that libcurl receives on the calling thread from now on.
    static func observeOnThisThread() {
        bluebonnet_observe_http2_frames(frameArrived, LostTrailers.isPresent)
    }
}

private func frameArrived(_ handle: UnsafeMutableRawPointer?, _ frame: bluebonnet_http2_frame) {
    guard let handle, let transfer = EasyHandle.of(handle)?.transfer else { return }
    if frame.is_refusal { return transfer.noteRefusal() }
    if let error = NetworkingError(frame.fault, host: transfer.request.hostName) { return transfer.stop(with: error) }
    transfer.noteFrame(
        dataByteCount: frame.data_byte_count, endsStream: frame.ends_stream, closesStream: frame.type == 3)
}

extension NetworkingError {
    /// The reason for which nghttp2 has given up a stream; nil without one.
    fileprivate init?(_ fault: bluebonnet_http2_fault, host: String) {
        switch fault {
        case bluebonnet_http2_lacks_settings:
            self.init(.badServerResponse, "\(host) did not begin its HTTP/2 connection with SETTINGS")
        case bluebonnet_http2_head_too_large:
            let text = "has more than \(bluebonnet_http2_head_limit) bytes, the most over HTTP/2"
            self.init(.headersTooLarge, "the response's header section from \(host) \(text)")
        case bluebonnet_http2_head_unreadable:
            let text = "has a field of more than 65536 bytes, or its compression is broken (HTTP/2)"
            self.init(.badServerResponse, "the response's header section from \(host) \(text)")
        default: return nil
        }
    }
}
