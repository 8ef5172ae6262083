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
    transfer.noteFrame(
        dataByteCount: frame.data_byte_count, endsStream: frame.ends_stream, closesStream: frame.type == 3)
}
