// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Decodes the content codings of one body while the body arrives, and detects truncated and damaged bodies and
/// decompression bombs.
///
/// The receiver of the body owns the decoder; one thread at a time uses it. Without a coding it passes the bytes on
/// unchanged and buffers nothing.
package final class ContentDecoder {
    /// The limits for the size of a decoded body.
    struct Limits: Sendable {
        /// The maximum number of decoded bytes; nil without a limit.
        var decodedByteCount: Int64?
        /// The maximum number of decoded bytes for each received byte; at least 1. Checked once a coding has produced
        /// more than 1 MiB.
        var expansionRatio: Int64 = 500
    }

    /// Receives a piece of the decoded body, of at most 64 KiB. The bytes are valid only during the call.
    typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    /// The codings that can be decoded, as a value of `Accept-Encoding`.
    package static let acceptedCodings = "gzip, deflate"
    /// The maximum number of bytes in a piece.
    static let pieceByteCount = 64 * 1024
    private static let maximumCodingCount = 5
    private static let ratioFreeByteCount: Int64 = 1024 * 1024

    /// The number of bytes received.
    private(set) var receivedByteCount: Int64 = 0
    /// The number of bytes passed to the sink.
    private(set) var decodedByteCount: Int64 = 0
    private let limits: Limits
    private var stages: [InflateStage]
    private var isClosed = false

    /// - Parameter codings: the members of `Content-Encoding` that change the bytes, in lower case and in the field's
    ///   order.
    init(codings: [String], limits: Limits = Limits()) throws(NetworkingError) {
        self.limits = limits
        stages = []
        for coding in codings.reversed() {
            stages.append(try InflateStage(coding: coding))
        }
        guard stages.count <= Self.maximumCodingCount else {
            let limit = Self.maximumCodingCount
            throw NetworkingError(.cannotDecodeBody, "the body has more than \(limit) content codings")
        }
    }

    /// Decodes the next bytes of the body into the sink. An error closes the decoder.
    func decode(_ bytes: UnsafeRawBufferPointer, into sink: Sink) throws {
        guard !isClosed else { throw NetworkingError(.cannotDecodeBody, "the body has data after its end") }
        do {
            for start in stride(from: 0, to: bytes.count, by: Self.pieceByteCount) {
                let end = min(start + Self.pieceByteCount, bytes.count)
                receivedByteCount += Int64(end - start)
                try pass(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), through: 0, into: sink)
            }
        } catch {
            close()
            throw error
        }
    }

    /// Ends the body. Throws if a coding is incomplete.
    ///
    /// - Parameter isDeclaredEmpty: whether the framing says that the body has no bytes, such as `Content-Length: 0`;
    ///   such a body needs no end of a coding.
    func finish(isDeclaredEmpty: Bool = false) throws(NetworkingError) {
        defer { close() }
        if isDeclaredEmpty && receivedByteCount == 0 { return }
        for stage in stages where !stage.isAtEnd {
            throw NetworkingError(.cannotDecodeBody, "the body is truncated: its \(stage.coding) coding is incomplete")
        }
    }

    /// Frees zlib's memory. May be called any number of times.
    func close() {
        isClosed = true
        for stage in stages { stage.close() }
    }

    private func pass(_ piece: UnsafeRawBufferPointer, through index: Int, into sink: Sink) throws {
        guard index < stages.count else { return try deliver(piece, into: sink) }
        let stage = stages[index]
        try stage.inflate(piece) { output in
            try checkExpansion(of: stage)
            try pass(output, through: index + 1, into: sink)
        }
    }

    private func deliver(_ piece: UnsafeRawBufferPointer, into sink: Sink) throws {
        let total = decodedByteCount + Int64(piece.count)
        if let limit = limits.decodedByteCount, total > limit {
            throw NetworkingError(.bodyTooLarge, "the body is larger than the limit of \(limit) bytes")
        }
        try sink(piece)
        decodedByteCount = total
    }

    /// Checked at every stage, so that a small inner body cannot hide a large body between two codings.
    private func checkExpansion(of stage: InflateStage) throws {
        let produced = stage.producedByteCount
        let ratio = max(limits.expansionRatio, 1)
        guard produced > Self.ratioFreeByteCount, (produced - 1) / ratio >= receivedByteCount else { return }
        throw NetworkingError(
            .bodyTooLarge, "the body expands by more than the limit of \(ratio) to 1, from \(receivedByteCount) bytes")
    }
}

@available(*, unavailable)
extension ContentDecoder: Sendable {}
