// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Undoes the content codings of one body while it arrives, and notices when it is cut short, damaged or a bomb.
///
/// It belongs to whoever receives the body and is used by one thread at a time. Without a coding it hands the bytes on
/// as they are and holds nothing.
final class ContentDecoder {
    /// How large a body may become.
    struct Limits: Sendable {
        /// Decoded bytes at most; nil for any number.
        var decodedByteCount: Int64?
        /// Decoded bytes for each received byte at most; at least 1; looked at once a body has grown over 1 MiB.
        var expansionRatio: Int64 = 500
    }

    /// Takes a piece of the decoded body, of 64 KiB at most; the bytes are valid during the call only.
    typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    /// The codings that can be undone, as `Accept-Encoding` names them.
    static let acceptedCodings = "gzip, deflate"
    /// Bytes in a piece at most.
    static let pieceByteCount = 64 * 1024
    private static let maximumCodingCount = 5
    private static let ratioFreeByteCount: Int64 = 1024 * 1024

    /// Bytes that came in.
    private(set) var receivedByteCount: Int64 = 0
    /// Bytes that went to the sink.
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

    /// Decodes the next bytes of the body into the sink. After an error the decoder is closed.
    func decode(_ bytes: UnsafeRawBufferPointer, into sink: Sink) throws {
        guard !isClosed else { throw NetworkingError(.cannotDecodeBody, "more of the body came after its end") }
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

    /// Ends the body: throws when a coding's own end has not come.
    ///
    /// - Parameter isDeclaredEmpty: whether the server said that the body has no bytes (`Content-Length: 0`); such a
    ///   body needs no coding's end.
    func finish(isDeclaredEmpty: Bool = false) throws(NetworkingError) {
        defer { close() }
        if isDeclaredEmpty && receivedByteCount == 0 { return }
        for stage in stages where !stage.isAtEnd {
            throw NetworkingError(.cannotDecodeBody, "the body ended early: its \(stage.coding) coding is not complete")
        }
    }

    /// Gives zlib's memory back; may be called any number of times.
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
            throw NetworkingError(.bodyTooLarge, "the body is larger than \(limit) bytes, the limit")
        }
        try sink(piece)
        decodedByteCount = total
    }

    /// Checked at every stage, so that a small inner body cannot hide a huge one between two codings.
    private func checkExpansion(of stage: InflateStage) throws {
        let produced = stage.producedByteCount
        let ratio = max(limits.expansionRatio, 1)
        guard produced > Self.ratioFreeByteCount, (produced - 1) / ratio >= receivedByteCount else { return }
        throw NetworkingError(
            .bodyTooLarge, "the body expands over the limit of \(ratio) to 1: from \(receivedByteCount) bytes")
    }
}

@available(*, unavailable)
extension ContentDecoder: Sendable {}
