// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Reads the bytes of one piece of a multipart body, exactly as many as declared. Fewer or more bytes are an error that
/// names the file or the part. Used by one thread at a time.
final class PieceReader {
    /// The source of the bytes, after it was opened.
    private enum Opened {
        case data(Data)
        case file(UploadFile)
        case stream(InputStream)
    }

    private let name: String
    private let byteCount: Int64
    private let opened: Opened
    private var offset: Int64 = 0

    /// Opens the file or the stream.
    init(_ piece: MultipartBody.Piece) throws(NetworkingError) {
        name = piece.name
        byteCount = piece.source.byteCount
        switch piece.source {
        case .data(let data): opened = .data(data)
        case .file(let path, let byteCount): opened = .file(try Self.file(path, byteCount))
        case .stream(_, let makeStream, _):
            guard let stream = makeStream() else {
                throw NetworkingError(
                    .cannotReadFile, "the form's part \"\(piece.name)\" has no stream, or its stream was already read")
            }
            stream.open()
            opened = .stream(stream)
        }
    }

    private static func file(_ path: String, _ byteCount: Int64) throws(NetworkingError) -> UploadFile {
        let file = try UploadFile(path: path)
        guard file.byteCount == byteCount else { throw changed(path, from: byteCount, to: file.byteCount) }
        return file
    }

    private static func changed(_ path: String, from old: Int64, to new: Int64) -> NetworkingError {
        NetworkingError(
            .cannotReadFile, "\(path) had \(old) bytes when it was added to the form, but now has \(new) bytes")
    }

    /// Reads the next bytes. Returns 0 after the declared bytes, if the source has ended there too.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkingError) -> Int {
        let room = UnsafeMutableRawBufferPointer(
            rebasing: buffer.prefix(Int(min(Int64(buffer.count), byteCount - offset))))
        if room.isEmpty {
            try checkEnd()
            return 0
        }
        let count: Int
        switch opened {
        case .data(let data): count = data.copyBytes(to: room, from: data.startIndex + Int(offset)..<data.endIndex)
        case .file(let file): count = try file.read(into: room, at: offset)
        case .stream(let stream): count = try read(stream, into: room)
        }
        offset += Int64(count)
        return count
    }

    private func read(_ stream: InputStream, into room: UnsafeMutableRawBufferPointer) throws(NetworkingError) -> Int {
        guard let start = room.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        let count = stream.read(start, maxLength: room.count)
        if count > 0 { return count }
        if count < 0 || stream.streamStatus == .error {
            throw NetworkingError(
                .cannotReadFile, "the stream of the part \"\(name)\" failed", underlying: stream.errorIfAny)
        }
        throw NetworkingError(
            .cannotReadFile, "the stream of the part \"\(name)\" ended after \(offset) of \(byteCount) bytes")
    }

    private func checkEnd() throws(NetworkingError) {
        switch opened {
        case .data: return
        case .file(let file):
            let now = try UploadFile(path: file.path).byteCount
            guard now == byteCount else { throw Self.changed(file.path, from: byteCount, to: now) }
        case .stream(let stream):
            // Does not wait for a stream without available bytes, because the other end of a pipe may stay open.
            var extra: UInt8 = 0
            guard stream.hasBytesAvailable, stream.read(&extra, maxLength: 1) > 0 else { return }
            throw NetworkingError(
                .cannotReadFile, "the stream of the part \"\(name)\" has more than the \(byteCount) bytes declared")
        }
    }

    /// Closes a stream.
    func close() {
        if case .stream(let stream) = opened { stream.close() }
    }
}
