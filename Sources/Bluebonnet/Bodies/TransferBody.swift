// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The body of a transfer's request. A file is read as it is sent, never loaded; a stream is read ahead on a queue of
/// its own, because it may block.
enum TransferBody: Sendable {
    case none
    case data(Data)
    case file(UploadFile)
    case stream(BodyFeed)

    /// What reading gave.
    enum Piece: Equatable {
        /// The number of bytes read; 0 at the end.
        case bytes(Int)
        /// No bytes yet; the feed tells when there are more.
        case wouldBlock
    }

    /// The length, nil when it is not known before the end.
    var byteCount: Int64? {
        switch self {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .file(let file): file.byteCount
        case .stream(let feed): feed.declaredByteCount
        }
    }

    var isEmpty: Bool { byteCount == 0 }

    /// The bytes when they are few enough to be copied, so that they leave in one piece with the header section.
    var smallBytes: Data? {
        guard case .data(let data) = self, !data.isEmpty, data.count < Self.smallByteLimit else { return nil }
        return data
    }

    /// libcurl's own (MAX_INITIAL_POST_SIZE).
    private static let smallByteLimit = 64 * 1024

    /// Fills a buffer with the bytes at `offset`. Network thread only.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Piece {
        switch self {
        case .none: return .bytes(0)
        case .file(let file): return .bytes(try file.read(into: buffer, at: offset))
        case .stream(let feed): return try feed.take(into: buffer)
        case .data(let data):
            let start = data.startIndex + Int(offset)
            let end = min(data.endIndex, start + buffer.count)
            return .bytes(start < end ? data.copyBytes(to: buffer, from: start..<end) : 0)
        }
    }

    /// Whether the body can be read from its start again.
    var canStartAgain: Bool {
        guard case .stream(let feed) = self else { return true }
        return !feed.isTouched
    }
}
