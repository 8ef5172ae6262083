// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Generates the bytes of a multipart body while they are read. Each file or stream is opened when its part is reached.
///
/// `read` blocks for files, for streams, and for the pause of a throttled form, so call it on a separate thread, one
/// thread at a time. The library reads the stream off its network thread. If a file is missing, or its size has changed
/// since it was added, the stream ends with a `NetworkingError` (`cannotReadFile`) in `streamError`.
public final class MultipartBodyStream: InputStream, ReplayableBodyStream {
    private let body: MultipartBody
    private var status = Stream.Status.notOpen
    private var readError: NetworkingError?
    private var next = 0
    private var reader: PieceReader?

    init(_ body: MultipartBody) {
        self.body = body
        super.init(data: Data())
    }

    /// The exact number of bytes in the stream, from its start to its end.
    public var byteCount: Int64 { body.byteCount }

    public override var streamStatus: Stream.Status { status }

    public override var streamError: (any Error)? { readError }

    public override var hasBytesAvailable: Bool { status == .open }

    public override func open() {
        if status == .notOpen { status = .open }
    }

    public override func close() {
        reader?.close()
        reader = nil
        status = .closed
    }

    /// Reads at most `maxLength` bytes. Returns 0 at the end and when the stream is not open, and -1 after an error.
    ///
    /// With a throttle, the method reads at most one packet, and then sleeps.
    public override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        if status == .error { return -1 }
        guard status == .open, maxLength > 0 else { return 0 }
        let count = min(maxLength, body.throttle?.packetByteCount ?? maxLength)
        let filled = fill(UnsafeMutableRawBufferPointer(start: buffer, count: count))
        if let throttle = body.throttle, filled > 0 { Thread.sleep(forTimeInterval: throttle.delay) }
        return filled == 0 && status == .error ? -1 : filled
    }

    public override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    /// Returns a new stream of the body from its start; nil if a part is a stream that was already read.
    public func makeReplay() -> InputStream? {
        body.isReplayable ? MultipartBodyStream(body) : nil
    }

    /// Fills the buffer across the boundaries of pieces. Bytes that were read before an error are returned; the next
    /// call returns the error.
    private func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        do throws(NetworkingError) {
            while filled < buffer.count, let reader = try currentReader() {
                let count = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                filled += count
                if count == 0 { endPiece() }
            }
            if filled == 0 { status = .atEnd }
        } catch {
            reader?.close()
            reader = nil
            readError = error
            status = .error
        }
        return filled
    }

    private func currentReader() throws(NetworkingError) -> PieceReader? {
        if reader == nil, next < body.pieces.count { reader = try PieceReader(body.pieces[next]) }
        return reader
    }

    private func endPiece() {
        reader?.close()
        reader = nil
        next += 1
    }
}
