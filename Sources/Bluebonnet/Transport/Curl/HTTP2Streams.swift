// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import CHTTP2

extension HTTP2EndEvidence {
    /// The evidence for a connection that exists.
    ///
    /// - Parameter mayObserve: false where frames are not observed.
    init(mayObserve: Bool) {
        if mayObserve && bluebonnet_http2_frames_are_observed() {
            self = .frames
        } else {
            self = UnreportedStreamEnd.BrokenConnection.isPresent ? .openConnection : .libcurl
        }
    }
}

/// Maps the HTTP/2 streams of a thread to their transfers, and passes each received frame to its transfer.
///
/// A stream opens inside the call of libcurl in which `streamWillOpen` has named its transfer. Where libcurl sends a
/// request in a later call, its stream stays unknown, and the transfer has no frames as evidence.
final class HTTP2Streams {
    /// A stream of an open connection.
    struct ID: Hashable {
        let session: UnsafeRawPointer
        let number: Int32
    }

    private var transfers: [ID: CurlTransfer] = [:]
    private var opening: CurlTransfer?

    /// The streams of the calling thread. The object lives as long as the process.
    static func ofThisThread() -> HTTP2Streams {
        if let context = bluebonnet_http2_context() {
            return Unmanaged<HTTP2Streams>.fromOpaque(context).takeUnretainedValue()
        }
        let streams = HTTP2Streams()
        bluebonnet_observe_http2(streamEvent, Unmanaged.passRetained(streams).toOpaque(), LostTrailers.isPresent)
        return streams
    }

    /// libcurl is about to send a transfer's request, or goes over to HTTP/2 after the request.
    ///
    /// - Parameter isMultiplexed: whether a stream opens; true where that is not known yet.
    func streamWillOpen(for transfer: CurlTransfer, isMultiplexed: Bool) {
        remove(transfer)
        transfer.connection.stream = nil
        opening = isMultiplexed ? transfer : nil
    }

    /// A call of libcurl is over.
    func endCall() { opening = nil }

    /// Detaches a transfer from its stream.
    func remove(_ transfer: CurlTransfer) {
        if opening === transfer { opening = nil }
        if let stream = transfer.connection.stream, transfers[stream] === transfer { transfers[stream] = nil }
    }

    fileprivate func receive(_ event: bluebonnet_http2_event) {
        guard let session = event.session else { return }
        let stream = ID(session: session, number: event.stream)
        switch event.kind {
        case bluebonnet_http2_opened: open(stream)
        case bluebonnet_http2_refused: transfers[stream]?.noteRefusal()
        default:
            transfers[stream]?.noteFrame(
                dataByteCount: event.data_byte_count, endsStream: event.ends_stream,
                closesStream: event.frame_type == 3)
        }
    }

    private func open(_ stream: ID) {
        transfers[stream] = nil  // of a session that had the same address
        guard let transfer = opening else { return }
        opening = nil
        transfer.connection.stream = stream
        transfers[stream] = transfer
    }
}

@available(*, unavailable)
extension HTTP2Streams: Sendable {}

private func streamEvent(_ context: UnsafeMutableRawPointer?, _ event: bluebonnet_http2_event) {
    guard let context else { return }
    Unmanaged<HTTP2Streams>.fromOpaque(context).takeUnretainedValue().receive(event)
}
