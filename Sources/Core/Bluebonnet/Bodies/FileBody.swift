// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// How the bytes of a body go to its file: as a stream of blocks, or as a whole when the body is small and complete
/// within one round of the event loop. A value; it writes nothing, and says what is to be done.
///
/// Bytes are kept for one round: libcurl delivers pieces of 16 KiB, and one large write takes less time than several.
struct FileBody {
    enum Effect: Equatable {
        /// Call `roundEnds` when the round ends.
        case awaitEndOfRound
        /// Write the bytes behind those of earlier effects.
        case write(Data)
        /// The body is complete, and nothing of it is written.
        case keepWhole(Data)
    }

    /// A block of a stream.
    static let blockByteCount = 128 * 1024
    /// A complete body of at most this size is written when its file is moved into place.
    static let wholeByteCount = 64 * 1024

    private(set) var kept = Data()
    /// The body's bytes, wherever they are.
    private(set) var byteCount: Int64

    /// - Parameter byteCount: what is in the file already.
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

    /// The kept bytes go to the file.
    mutating func roundEnds() -> Effect? {
        guard hasKeptBytes else { return nil }
        defer { kept = Data() }
        return .write(kept)
    }

    /// The body is complete.
    mutating func complete() -> Effect? {
        guard hasKeptBytes, kept.count == byteCount, kept.count <= Self.wholeByteCount else { return roundEnds() }
        defer { kept = Data() }
        return .keepWhole(kept)
    }

    mutating func dropKept() { kept = Data() }
}
