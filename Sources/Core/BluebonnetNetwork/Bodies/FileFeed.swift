// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A body on a disk, of known length and readable from any offset.
package protocol UploadSource: Sendable {
    var byteCount: Int64 { get }
    /// May block for as long as the file system does.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Int
    /// Reads without waiting for a disk. Returns nil if `read` has to be called.
    func readCached(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Int?
}

extension UploadSource {
    /// The part of a buffer that the rest of the body fills.
    func room(in buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> UnsafeMutableRawBufferPointer {
        let rest = min(Int64(buffer.count), max(0, byteCount - offset))
        return UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(rest)))
    }
}

/// Reads a file for a request, from any offset and any number of times. The network thread copies the bytes that are in
/// memory. From the first byte that is not in memory, a feed reads ahead on its own queue, so that an unresponsive disk
/// delays only this request.
package final class FileFeed: Sendable {
    private let file: any UploadSource
    private let reading: NetworkBound<Reading>

    /// The feed, and the offset of the next byte that it returns. Network thread only.
    private final class Reading {
        var feed: BodyFeed?
        var offset: Int64 = 0

        /// The last reference may be released on any thread.
        deinit { feed?.cancel() }
    }

    package init(_ file: any UploadSource) {
        self.file = file
        reading = NetworkBound(Reading())
    }

    var byteCount: Int64 { file.byteCount }

    /// Copies the bytes at `offset`. If no bytes are ready, the action of `whenReady` is called when some are. Network
    /// thread only.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(NetworkingError) -> TransferBody.Piece {
        let reading = reading.value
        if let feed = reading.feed {
            guard reading.offset != offset else { return try read(feed, into: buffer) }
            feed.whenReady(nil)
            feed.cancel()
            reading.feed = nil
        }
        if let count = try file.readCached(into: buffer, at: offset) { return .bytes(count) }
        let feed = BodyFeed(file, from: offset)
        (reading.feed, reading.offset) = (feed, offset)
        return try read(feed, into: buffer)
    }

    private func read(
        _ feed: BodyFeed, into buffer: UnsafeMutableRawBufferPointer
    ) throws(NetworkingError) -> TransferBody.Piece {
        let piece = try feed.copyBytes(into: buffer)
        if case .bytes(let count) = piece { reading.value.offset += Int64(count) }
        return piece
    }

    /// Network thread only.
    package func whenReady(_ action: (() -> Void)?) { reading.value.feed?.whenReady(action) }
}
