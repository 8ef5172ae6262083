// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import Glibc

/// The body of a request, for a request adapter: its source, and its digest for a signature.
public struct OutgoingBody: Sendable {
    /// The source of a body.
    public enum Source: Sendable {
        /// The request has no body.
        case none
        /// Bytes in memory, the request's `httpBody`.
        case data(Data)
        /// A file that is read while it is sent.
        case file(URL)
        /// A stream, such as a multipart form.
        case stream
    }

    /// The source of the body.
    public let source: Source
    /// Makes another stream with the same bytes; nil if that is not possible.
    private let makeStream: (@Sendable () -> InputStream?)?

    /// - Parameter makeStream: makes another stream with the same bytes; nil for bodies that are not streams.
    package init(_ source: Source, makeStream: (@Sendable () -> InputStream?)? = nil) {
        (self.source, self.makeStream) = (source, makeStream)
    }

    /// Returns the SHA-256 digest of the whole body in lower-case hexadecimal. The digest of a request without a body
    /// is the digest of no bytes.
    ///
    /// A file or a stream is read to its end, on a queue of the library. The stream can be a multipart form or another
    /// `ReplayableBodyStream`, or come from `onNeedNewBodyStream`.
    ///
    /// - Throws: `NetworkingError` with `cannotReadFile` if the file or the stream cannot be read, and with
    ///   `bodyStreamExhausted` if the stream can be read only once, for sending.
    public func sha256() async throws(NetworkingError) -> String {
        switch source {
        case .none: return MessageDigest.hexadecimalDigest(of: Data())
        case .data(let data): return MessageDigest.hexadecimalDigest(of: data)
        case .file(let file):
            return try await Queues.blocking.run { () throws(NetworkingError) in try Self.digest(ofFile: file.path) }
        case .stream:
            return try await Queues.blocking.run { [makeStream] () throws(NetworkingError) in
                guard let stream = makeStream?() else {
                    throw NetworkingError(
                        .bodyStreamExhausted,
                        "the body stream can be read only once, so its digest is not available before it is sent: "
                            + "sign it as unsigned, or use a ReplayableBodyStream or onNeedNewBodyStream")
                }
                return try Self.digest(of: stream)
            }
        }
    }

    private static func digest(ofFile path: String) throws(NetworkingError) -> String {
        _ = try UploadFile(path: path)  // rejects a FIFO, for instance, which would block here
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw NetworkingError(.cannotReadFile, "cannot open \(path)", underlying: POSIXError.last)
        }
        defer { close(descriptor) }
        let digest = IncrementalDigest()
        do throws(POSIXError) {
            try digest.finish(descriptor)
        } catch {
            throw NetworkingError(.cannotReadFile, "cannot read \(path)", underlying: error)
        }
        return digest.value
    }

    private static func digest(of stream: InputStream) throws(NetworkingError) -> String {
        let digest = MessageDigest(.sha256)
        stream.open()
        defer { stream.close() }
        try BodyFile.read(stream) { piece throws(NetworkingError) in piece.withUnsafeBytes { digest.update($0) } }
        return digest.finish()
    }
}
