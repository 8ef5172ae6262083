// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Dispatch
package import Foundation
internal import Glibc

/// A regular file opened for sending, with its declared size. Closed when the last reference is released.
///
/// A file that the kernel generates while it is read, as in `/proc` and `/sys`, reports a meaningless size. Such a file
/// is read when it is opened.
package final class UploadFile: UploadSource {
    package let path: String
    package let byteCount: Int64
    /// The bytes of a file whose size is meaningless, or of a small file without blocks on its disk; nil for other
    /// files.
    package let contents: Data?
    private let descriptor: CInt

    /// The maximum number of bytes that are read from a file whose size is meaningless.
    private static let contentsLimit = 16 << 20
    /// A larger file without blocks on its disk is a sparse file.
    private static let sparseByteCount = 64 << 10

    /// Opens the file. Throws if it is not a regular file, because reading it could block the network thread. Not on
    /// the network thread.
    package init(path: String) throws(NetworkingError) {
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else {
            throw NetworkingError(.cannotReadFile, "cannot open \(path)", underlying: POSIXError.last)
        }
        var file = bluebonnet_file()
        guard bluebonnet_look_at(opened, &file) == 0, file.is_regular else {
            close(opened)
            throw NetworkingError(.cannotReadFile, "cannot send \(path): it is not a regular file")
        }
        self.path = path
        descriptor = opened
        guard file.block_count == 0, file.byte_count <= Self.sparseByteCount else {
            (contents, byteCount) = (nil, file.byte_count)
            return
        }
        do throws(NetworkingError) {
            let data = try Self.contents(of: opened, path)
            (contents, byteCount) = (data, Int64(data.count))
        } catch {
            close(opened)
            throw error
        }
    }

    private static func contents(of descriptor: CInt, _ path: String) throws(NetworkingError) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: sparseByteCount)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw NetworkingError(.cannotReadFile, "cannot read \(path)", underlying: POSIXError.last)
            }
            guard count > 0 else { return data }
            data.append(contentsOf: buffer[..<count])
            guard data.count <= contentsLimit else {
                let reason = "its size is unknown and over \(contentsLimit >> 20) MiB"
                throw NetworkingError(.cannotReadFile, "cannot send \(path): \(reason)")
            }
        }
    }

    /// Reads at `offset`; may block for as long as the file system does. Throws if the file has become shorter than
    /// declared.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError) -> Int {
        let room = room(in: buffer, at: offset)
        if let count = copyContents(to: room, from: offset) { return count }
        var count = pread(descriptor, room.baseAddress, room.count, off_t(offset))
        while count < 0, errno == EINTR { count = pread(descriptor, room.baseAddress, room.count, off_t(offset)) }
        guard count >= 0 else {
            throw NetworkingError(.cannotReadFile, "cannot read \(path)", underlying: POSIXError.last)
        }
        return try checked(count, at: offset)
    }

    /// Reads at `offset`, as `read` does, but only bytes of the file that are in memory. Never waits for a disk:
    /// returns nil if `read` has to be called.
    package func readCached(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkingError)
        -> Int?
    {
        let room = room(in: buffer, at: offset)
        if let count = copyContents(to: room, from: offset) { return count }
        let count = bluebonnet_read_cached(descriptor, room.baseAddress, room.count, offset)
        return count < 0 ? nil : try checked(count, at: offset)
    }

    /// Copies from `contents`. Returns nil if the file has to be read.
    private func copyContents(to room: UnsafeMutableRawBufferPointer, from offset: Int64) -> Int? {
        guard !room.isEmpty else { return 0 }
        guard let contents else { return nil }
        let start = contents.startIndex + Int(offset)
        return contents.copyBytes(to: room, from: start..<start + room.count)
    }

    private func checked(_ count: Int, at offset: Int64) throws(NetworkingError) -> Int {
        guard count == 0 else { return count }
        throw NetworkingError(
            .cannotReadFile, "\(path) was truncated during the upload: \(offset) of \(byteCount) bytes are left")
    }

    deinit { closeOffNetworkThread(descriptor) }
}

/// Closes a file, but never on the network thread, because some file systems then wait for their server.
func closeOffNetworkThread(_ descriptor: CInt) {
    if NetworkThread.isCurrent {
        Queues.blocking.async { close(descriptor) }
    } else {
        close(descriptor)
    }
}

extension POSIXError {
    /// The error of the current `errno`.
    package static var last: POSIXError { POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
}
