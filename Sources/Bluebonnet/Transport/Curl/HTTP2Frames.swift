// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import CHTTP2

extension HTTP2EndEvidence {
    /// The evidence for a connection that exists.
    ///
    /// - Parameter mayObserve: false in tests of what is done where frames cannot be observed.
    init(mayObserve: Bool) {
        if HTTP2Frames.areTold {
            self = .libcurl
        } else {
            self = mayObserve && bluebonnet_http2_frames_are_observed() ? .frames : .openConnection
        }
    }
}

/// Hears of the HTTP/2 frames that libcurl receives, and notes them in the transfer that they belong to.
enum HTTP2Frames {
    /// Whether this libcurl tells by itself when a stream did not end.
    static let areTold: Bool = (curl_version_info(CURLVERSION_TENTH)?.pointee.version_num ?? 0) >= 0x08_01_00

    /// Runs a call of libcurl in which frames may arrive. Only libcurl before 8.1 has to be observed.
    static func observed<Result>(_ call: () -> Result) -> Result {
        guard !areTold else { return call() }
        let outer = bluebonnet_observe_http2_frames(frameArrived)
        defer { _ = bluebonnet_observe_http2_frames(outer) }
        return call()
    }
}

private func frameArrived(_ handle: UnsafeMutableRawPointer?, _ frame: bluebonnet_http2_frame) {
    guard let handle, let transfer = EasyHandle.of(handle)?.transfer else { return }
    if frame.is_refusal { return transfer.noteRefusal() }
    transfer.noteFrame(
        dataByteCount: frame.data_byte_count, endsStream: frame.ends_stream, closesStream: frame.type == 3)
}
