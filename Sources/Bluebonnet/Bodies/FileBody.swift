// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// How the bytes of a body go to its file: together, while the body is small, or as a stream of blocks. A value; it
/// writes nothing, and says what is to be done.
struct FileBody {
    /// Both modes keep bytes for one round of the event loop: libcurl hands them on in pieces of 16 KiB, and one large
    /// write takes less time than several.
    enum Mode: Equatable {
        /// The bytes are written when the round ends. A body that is complete before that is written as a whole, when
        /// its file is moved into place.
        case small(Data)
        /// Blocks are written by another thread.
        case streaming(Data)
    }

    enum Effect: Equatable {
        /// Call `roundEnds` when the round ends.
        case awaitEndOfRound
        case write(Data, at: Int64)
        /// The body is complete, and nothing of it is written.
        case keepWhole(Data)
        case beginStream(Data, at: Int64)
        case stream(Data)
        case endStream(Data)
    }

    /// A body of at least this size is a stream.
    static let streamByteCount: Int64 = 256 * 1024
    /// A block of a stream.
    static let blockByteCount = 128 * 1024
    /// A complete body of at most this size may be written by another thread than the network thread, later.
    static let wholeByteCount = 64 * 1024

    private(set) var mode = Mode.small(Data())
    /// The body's bytes, wherever they are.
    private(set) var byteCount: Int64
    /// The byte count when the body began or continued.
    private var startByteCount: Int64

    /// - Parameter byteCount: what is in the file already.
    init(byteCount: Int64 = 0) { (self.byteCount, startByteCount) = (byteCount, byteCount) }

    var hasKeptBytes: Bool {
        switch mode {
        case .small(let kept), .streaming(let kept): !kept.isEmpty
        }
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Effect? {
        let isFirst = !hasKeptBytes && !bytes.isEmpty
        byteCount += Int64(bytes.count)
        switch takeKept() {
        case .small(var kept):
            kept.append(contentsOf: bytes)
            let isSmall = byteCount - startByteCount < Self.streamByteCount
            mode = isSmall ? .small(kept) : .streaming(Data())
            if !isSmall { return .beginStream(kept, at: byteCount - Int64(kept.count)) }
        case .streaming(var kept):
            if kept.isEmpty { kept.reserveCapacity(Self.blockByteCount) }
            kept.append(contentsOf: bytes)
            if kept.count >= Self.blockByteCount { return .stream(kept) }
            mode = .streaming(kept)
        }
        return isFirst ? .awaitEndOfRound : nil
    }

    mutating func roundEnds() -> Effect? {
        guard hasKeptBytes else { return nil }
        switch takeKept() {
        case .small(let kept): return .write(kept, at: byteCount - Int64(kept.count))
        case .streaming(let kept): return .stream(kept)
        }
    }

    /// All bytes have to be in the file. A stream that continues after this starts as a small body, because many may be
    /// paused and each stream has a buffer.
    mutating func settle() -> Effect? {
        guard case .streaming(let kept) = mode else { return roundEnds() }
        (mode, startByteCount) = (.small(Data()), byteCount)
        return .endStream(kept)
    }

    /// The body is complete.
    mutating func complete() -> Effect? {
        guard case .small(let kept) = mode, !kept.isEmpty, kept.count == byteCount, kept.count <= Self.wholeByteCount
        else { return settle() }
        dropKept()
        return .keepWhole(kept)
    }

    mutating func dropKept() { _ = takeKept() }

    /// Takes the kept bytes out, so that there is one reference to them.
    private mutating func takeKept() -> Mode {
        let taken = mode
        if case .small = taken { mode = .small(Data()) } else { mode = .streaming(Data()) }
        return taken
    }
}
