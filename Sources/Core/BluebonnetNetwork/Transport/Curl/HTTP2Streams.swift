// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import CHTTP2

extension HTTP2EndEvidence {
    /// Determines the evidence for a connection that exists.
    ///
    /// - Parameter mayObserve: false if frames are not observed.
    init(mayObserve: Bool) {
        if mayObserve && bluebonnet_http2_frames_are_observed() {
            self = .frames
        } else {
            self = UnreportedStreamEnd.BrokenConnection.isPresent ? .openConnection : .libcurl
        }
    }
}

/// Passes each HTTP/2 frame that the calling thread receives to the transfer of its stream.
final class HTTP2Streams {
    private var table = StreamTable<CurlTransfer>()

    /// Returns the streams of the calling thread. The object lives as long as the process.
    static func ofThisThread() -> HTTP2Streams {
        if let context = bluebonnet_http2_context() {
            return Unmanaged<HTTP2Streams>.fromOpaque(context).takeUnretainedValue()
        }
        let streams = HTTP2Streams()
        bluebonnet_observe_http2(streamEvent, Unmanaged.passRetained(streams).toOpaque(), LostTrailers.isPresent)
        return streams
    }

    /// Prepares for the stream of a transfer, because libcurl is about to send the request, or switches to HTTP/2
    /// after it.
    ///
    /// - Parameter isMultiplexed: whether a stream opens; true if this is not known yet.
    func streamWillOpen(for transfer: CurlTransfer, isMultiplexed: Bool) {
        remove(transfer)
        transfer.connection.stream = nil
        if isMultiplexed { table.streamWillOpen(for: transfer) }
    }

    /// Ends a libcurl call.
    func endCall() { table.endCall() }

    /// Detaches a transfer from its stream.
    func remove(_ transfer: CurlTransfer) { table.remove(transfer, of: transfer.connection.stream) }

    fileprivate func receive(_ event: bluebonnet_http2_event) {
        guard let session = event.session else { return }
        let stream = OpenStreamID(session: session, number: event.stream)
        switch event.kind {
        case bluebonnet_http2_opened: table.open(stream)?.connection.stream = stream
        case bluebonnet_http2_refused: table.owner(of: stream)?.didReceiveRefusal()
        default:
            table.owner(of: stream)?.didReceiveFrame(
                dataByteCount: event.data_byte_count, endsStream: event.ends_stream,
                closesStream: event.frame_type == 3)
        }
    }
}

/// A stream of an open HTTP/2 connection.
struct OpenStreamID: Hashable {
    /// The address of the connection's session. A later session may have the same address.
    let session: UnsafeRawPointer
    let number: Int32
}

/// Maps each open stream to its owner.
///
/// A stream opens inside the libcurl call for which `streamWillOpen` has set its owner. If libcurl sends a request in
/// a later call, its stream stays unknown, and its owner receives no frames.
struct StreamTable<Owner: AnyObject> {
    private var owners: [OpenStreamID: Owner] = [:]
    private var opening: Owner?

    /// Sets the owner of the next stream that opens in this call.
    mutating func streamWillOpen(for owner: Owner) { opening = owner }

    mutating func endCall() { opening = nil }

    /// Opens a stream. Returns its owner; nil if the owner is unknown.
    mutating func open(_ stream: OpenStreamID) -> Owner? {
        owners[stream] = opening  // nil too: an earlier session at this address had another owner
        defer { opening = nil }
        return opening
    }

    func owner(of stream: OpenStreamID) -> Owner? { owners[stream] }

    /// Removes an owner, whose stream is `stream`.
    mutating func remove(_ owner: Owner, of stream: OpenStreamID?) {
        if opening === owner { opening = nil }
        if let stream, owners[stream] === owner { owners[stream] = nil }
    }
}

@available(*, unavailable)
extension HTTP2Streams: Sendable {}

private func streamEvent(_ context: UnsafeMutableRawPointer?, _ event: bluebonnet_http2_event) {
    guard let context else { return }
    Unmanaged<HTTP2Streams>.fromOpaque(context).takeUnretainedValue().receive(event)
}
