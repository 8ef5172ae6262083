// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Decides how the bytes of a body are written to its file: in blocks, or as a whole if the body is small and complete
/// within one round of the event loop. A value type: it writes nothing, and returns the effects that its caller carries
/// out.
///
/// Bytes are buffered for one round, because libcurl delivers pieces of 16 KiB, and one large write takes less time
/// than several small ones.
struct FileBody {
    /// The work that the caller carries out.
    enum Effect: Equatable {
        /// Call `roundEnds` when the round ends.
        case awaitEndOfRound
        /// Write the bytes after the bytes of earlier effects.
        case write(Data)
        /// The body is complete, and no byte of it is written. Keep all bytes together.
        case keepWhole(Data)
    }

    /// The number of buffered bytes at which a block is written.
    static let blockByteCount = 128 * 1024
    /// The size of the largest complete body that is written only when its file is moved into place.
    static let wholeByteCount = 64 * 1024

    private(set) var kept = Data()
    /// The size of the body in bytes, written and buffered.
    private(set) var byteCount: Int64

    /// - Parameter byteCount: the number of bytes already in the file.
    init(byteCount: Int64 = 0) { self.byteCount = byteCount }

    var hasKeptBytes: Bool { !kept.isEmpty }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Effect? {
        guard !bytes.isEmpty else { return nil }
        let isFirst = kept.isEmpty
        byteCount += Int64(bytes.count)
        kept.append(contentsOf: bytes)
        if kept.count >= Self.blockByteCount { return roundEnds() }
        return isFirst ? .awaitEndOfRound : nil
    }

    /// Returns the effect that writes the buffered bytes.
    mutating func roundEnds() -> Effect? {
        guard hasKeptBytes else { return nil }
        defer { kept = Data() }
        return .write(kept)
    }

    /// Ends a complete body.
    mutating func complete() -> Effect? {
        guard hasKeptBytes, kept.count == byteCount, kept.count <= Self.wholeByteCount else { return roundEnds() }
        defer { kept = Data() }
        return .keepWhole(kept)
    }

    mutating func dropKept() { kept = Data() }
}
