// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import BluebonnetHTTP
package import Foundation

/// The body of a transfer's request. A file is read while it is sent, and never loaded as a whole. Streams, and parts
/// of a file that are not in memory, are read ahead on another queue, because reading may block.
package enum TransferBody: Sendable {
    case none
    case data(Data)
    case file(FileFeed)
    case stream(BodyFeed)

    /// The result of a read.
    package enum Piece: Equatable {
        /// The number of bytes read; 0 at the end.
        case bytes(Int)
        /// No bytes yet. The action of `whenReady` is called when there are some.
        case wouldBlock
    }

    /// The length in bytes; nil if it is not known before the end.
    package var byteCount: Int64? {
        switch self {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .file(let file): file.byteCount
        case .stream(let feed): feed.declaredByteCount
        }
    }

    package var isEmpty: Bool { byteCount == 0 }

    /// The trailer section, which is complete at the end of the body; nil if none follows the body.
    package var trailers: HeaderFields? { if case .stream(let feed) = self { feed.trailers } else { nil } }

    /// The bytes, if they are few enough to be copied, so that they are sent in one piece with the header section.
    var smallBytes: Data? {
        guard case .data(let data) = self, !data.isEmpty, data.count < Self.smallByteLimit else { return nil }
        return data
    }

    /// libcurl's limit (MAX_INITIAL_POST_SIZE).
    private static let smallByteLimit = 64 * 1024

    /// Fills a buffer with the bytes at `offset`. Network thread only.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Piece {
        switch self {
        case .none: return .bytes(0)
        case .file(let file): return try file.read(into: buffer, at: offset)
        case .stream(let feed): return try feed.copyBytes(into: buffer)
        case .data(let data):
            let start = data.startIndex + Int(offset)
            let end = min(data.endIndex, start + buffer.count)
            return .bytes(start < end ? data.copyBytes(to: buffer, from: start..<end) : 0)
        }
    }

    /// Sets the action to call when a body that returned `wouldBlock` has bytes. Network thread only.
    func whenReady(_ action: (() -> Void)?) {
        switch self {
        case .stream(let feed): feed.whenReady(action)
        case .file(let file): file.whenReady(action)
        case .none, .data: break
        }
    }

    /// Whether the body can be read from its start again.
    var canStartAgain: Bool {
        guard case .stream(let feed) = self else { return true }
        return !feed.isTouched
    }
}
