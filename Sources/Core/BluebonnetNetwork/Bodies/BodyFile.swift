// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
package import Foundation
internal import Glibc

/// Writes a body stream to a file, for servers that do not accept a body that is generated while it is sent. Blocks.
package enum BodyFile {
    private static let pieceByteCount = 64 * 1024

    /// Copies a stream to its end. Replaces an existing file; after an error no file is left.
    package static func write(_ stream: InputStream, to url: URL) throws(NetworkingError) {
        guard url.isFileURL, !url.path.utf8.contains(0) else {
            throw NetworkingError(.cannotOpenFile, "\(url) is not a file URL")
        }
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw NetworkingError(.cannotOpenFile, "cannot create \(url.path)", underlying: POSIXError.last)
        }
        stream.open()
        defer { stream.close() }
        var opened = bluebonnet_file()
        let isRegular = bluebonnet_look_at(descriptor, &opened) == 0 && opened.is_regular
        let copied = Result { () throws(NetworkingError) in try copy(stream, to: descriptor, path: url.path) }
        let isClosed = close(descriptor) == 0
        do throws(NetworkingError) {
            try copied.get()
            guard isClosed else { throw failure(url.path) }
        } catch {
            if isRegular { unlink(url.path) }
            throw error
        }
    }

    private static func copy(_ stream: InputStream, to descriptor: CInt, path: String) throws(NetworkingError) {
        try read(stream) { piece throws(NetworkingError) in try write(piece, to: descriptor, path: path) }
    }

    /// Reads an open stream to its end.
    static func read(
        _ stream: InputStream, _ consume: (ArraySlice<UInt8>) throws(NetworkingError) -> Void
    ) throws(NetworkingError) {
        var buffer = [UInt8](repeating: 0, count: pieceByteCount)
        while true {
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count == 0, stream.streamStatus != .error { return }
            guard count > 0 else {
                if let error = stream.errorIfAny as? NetworkingError { throw error }
                throw NetworkingError(
                    .cannotReadFile, "the body stream cannot be read", underlying: stream.errorIfAny)
            }
            try consume(buffer.prefix(count))
        }
    }

    private static func write(
        _ bytes: ArraySlice<UInt8>, to descriptor: CInt, path: String
    ) throws(NetworkingError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func failure(_ path: String) -> NetworkingError {
        NetworkingError(.cannotWriteFile, "cannot write the body to \(path)", underlying: POSIXError.last)
    }
}
