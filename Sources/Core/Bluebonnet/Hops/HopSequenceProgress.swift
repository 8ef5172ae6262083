// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Reports the progress of one hop sequence in both directions to its operation. Part of its hop sequence; network
/// thread only.
struct HopSequenceProgress {
    private let reference: OwnerReference
    private var upload = ProgressMeter()
    private var download = ProgressMeter()

    /// Nil without event monitors.
    private let events: HopEvents?

    init(_ owner: OwnerReference, _ events: HopEvents? = nil) { (reference, self.events) = (owner, events) }

    /// Restarts the upload, because the request is sent from its start.
    mutating func restartUpload() { upload.restart(at: 0) }

    /// Begins a body, or continues it after the existing bytes.
    mutating func restartDownload(at byteCount: Int64 = 0) { download.restart(at: byteCount) }

    /// - Parameter expected: the length of the body; -1 if it is not known.
    mutating func sent(_ byteCount: Int, of expected: @autoclosure () -> Int64) {
        guard let delta = upload.advance(by: byteCount, now: MonotonicClock.now()) else { return }
        events?.progress(.sent, upload.total, of: expected())
        reference.owner?.reportUpload(delta, upload.total, expected())
    }

    /// - Parameter head: the head of the response with the body.
    mutating func received(_ byteCount: Int, of head: @autoclosure () -> ResponseHead?) {
        guard byteCount > 0, let delta = download.advance(by: byteCount, now: MonotonicClock.now()) else { return }
        events?.progress(.received, download.total, of: Self.expectedByteCount(of: head()))
        reference.owner?.reportDownload(delta, download.total, Self.expectedByteCount(of: head()))
    }

    /// Reports the remaining progress before the end.
    mutating func flush(uploadByteCount: @autoclosure () -> Int64, _ head: @autoclosure () -> ResponseHead?) {
        if let delta = upload.consumeUnreported() {
            reference.owner?.reportUpload(delta, upload.total, uploadByteCount())
        }
        if let delta = download.consumeUnreported() {
            reference.owner?.reportDownload(delta, download.total, Self.expectedByteCount(of: head()))
        }
    }

    /// Returns the length of the whole body; -1 if it is not known.
    private static func expectedByteCount(of head: ResponseHead?) -> Int64 {
        guard let head, head.contentCodings.isEmpty else { return -1 }
        return head.totalByteCount ?? -1
    }
}

@available(*, unavailable)
extension HopSequenceProgress: Sendable {}
