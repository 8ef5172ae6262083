// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The source from which a feed reads a request's body in pieces. On the feed's queue only; reading may block.
protocol BodySource: AnyObject {
    /// Returns the next bytes; no bytes at the end.
    func read(atMost byteCount: Int) throws -> Data
    /// Closes the source; no read follows.
    func close()
}

/// Reads a stream. The stream is made and opened at the first read.
final class StreamSource: BodySource {
    private var makeStream: (@Sendable () throws -> InputStream)?
    private var stream: InputStream?

    init(_ makeStream: @escaping @Sendable () throws -> InputStream) { self.makeStream = makeStream }

    func read(atMost byteCount: Int) throws -> Data {
        let stream = try openStream()
        var chunk = Data(count: byteCount)
        let count = chunk.withUnsafeMutableBytes { buffer in
            buffer.withMemoryRebound(to: UInt8.self) { bytes in
                bytes.baseAddress.map { stream.read($0, maxLength: byteCount) } ?? 0
            }
        }
        guard count >= 0 else { throw stream.errorIfAny ?? POSIXError(.EIO) }
        return chunk.prefix(count)
    }

    private func openStream() throws -> InputStream {
        if let stream { return stream }
        guard let made = try makeStream?() else { throw POSIXError(.EBADF) }
        makeStream = nil
        stream = made
        if made.streamStatus == .notOpen { made.open() }
        if let error = made.errorIfAny { throw error }
        return made
    }

    func close() {
        makeStream = nil
        stream?.close()
        stream = nil
    }
}

/// Reads a file from an offset to its declared end.
final class FileSource: BodySource {
    private var file: (any UploadSource)?
    private var offset: Int64

    init(_ file: any UploadSource, from offset: Int64) { (self.file, self.offset) = (file, offset) }

    func read(atMost byteCount: Int) throws -> Data {
        guard let file else { throw POSIXError(.EBADF) }
        var chunk = Data(count: Int(min(Int64(byteCount), file.byteCount - offset)))
        let result = chunk.withUnsafeMutableBytes { buffer in
            Result { () throws(NetworkingError) in try file.read(into: buffer, at: offset) }
        }
        let count = try result.get()
        offset += Int64(count)
        return chunk.prefix(count)
    }

    func close() { file = nil }
}
