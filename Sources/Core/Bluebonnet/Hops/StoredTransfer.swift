// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Delivers a stored response to a hop sequence, like the response of a transfer. Network thread only.
final class StoredTransfer: Transfer {
    /// How the delivery ended.
    struct End {
        let error: NetworkingError?
    }

    private enum State {
        case head, body, ended
    }

    /// The maximum number of bytes that are delivered in one turn of the network thread, and in one piece.
    private static let turnByteCount = 1 << 20
    private static let pieceByteCount = 1 << 18

    private let head: ResponseHead
    private let body: CacheQuestion.Body
    /// Reads the body; nil if it is in memory.
    private let feed: FileFeed?
    /// The bytes of a file that were read and not delivered.
    private var kept = Data()
    private let delegate: HopSequence
    /// Makes the network thread call `resumeReceiving` in a later turn.
    private let receiveLater: () -> Void
    private var offset = 0
    private var state = State.head

    init(
        _ head: ResponseHead, _ body: CacheQuestion.Body, to delegate: HopSequence, receiveLater: @escaping () -> Void
    ) {
        (self.head, self.body, self.delegate, self.receiveLater) = (head, body, delegate, receiveLater)
        if case .file(let file) = body { feed = FileFeed(file) } else { feed = nil }
    }

    /// Begins the delivery.
    ///
    /// - Returns: the end, if the response was delivered at once; nil if the delegate is informed later.
    func begin() -> End? { deliver() }

    private func deliver() -> End? {
        do throws(NetworkingError) {
            if case .head = state {
                state = .body
                try delegate.transferDidReceive(head: head)
            }
            guard case .body = state, !delegate.awaitsDecision else { return nil }
            guard try deliverBody() else { return nil }
            return end(nil)
        } catch {
            return end(error)
        }
    }

    /// Delivers the body, or a part of it.
    ///
    /// - Returns: whether the body is complete.
    private func deliverBody() throws(NetworkingError) -> Bool {
        if case .file(let file) = body, offset == 0, kept.isEmpty, try delegate.copyBody(file) { return true }
        let turnEnd = offset + Self.turnByteCount
        while offset < byteCount {
            guard offset < turnEnd else {
                receiveLater()
                return false
            }
            guard let piece = try nextPiece() else { return false }
            let intake = piece.withUnsafeBytes { bytes in
                Result { () throws(NetworkingError) in
                    try delegate.transferDidReceive(bytes: bytes, mustTake: false)
                }
            }
            guard case .taken = try intake.get() else { return false }
            offset += piece.count
            kept = Data()
        }
        return true
    }

    private var byteCount: Int {
        switch body {
        case .data(let data): data.count
        case .file(let file): Int(file.byteCount)
        }
    }

    /// Returns the bytes to deliver next; nil if they are still being read.
    private func nextPiece() throws(NetworkingError) -> Data? {
        let count = min(Self.pieceByteCount, byteCount - offset)
        switch body {
        case .data(let data):
            let start = data.startIndex + offset
            return data[start..<(start + count)]
        case .file: return try kept.isEmpty ? readPiece(count) : kept
        }
    }

    private func readPiece(_ count: Int) throws(NetworkingError) -> Data? {
        guard let feed else { return nil }
        var piece = Data(count: count)
        let position = Int64(offset)
        let result = piece.withUnsafeMutableBytes { buffer in
            Result { () throws(NetworkingError) in try feed.read(into: buffer, at: position) }
        }
        guard case .bytes(let readCount) = try result.get() else {
            feed.whenReady { [weak self] in self?.resumeReceiving() }
            return nil
        }
        kept = piece.prefix(readCount)
        return kept
    }

    private func end(_ error: NetworkingError?) -> End? {
        guard case .body = state else { return nil }
        state = .ended
        return End(error: error)
    }

    // MARK: Transfer

    func abort() -> TransferMetrics {
        state = .ended
        return TransferMetrics()
    }

    var hasBegunSending: Bool { false }

    func pause() {}

    func resume(deadline: UInt64) { resumeReceiving() }

    func resumeReceiving() {
        if let end = deliver() { delegate.transferDidEnd(error: end.error, metrics: TransferMetrics()) }
    }
}

@available(*, unavailable)
extension StoredTransfer: Sendable {}

// MARK: - Stored responses

extension HopSequence {
    /// The fields that ask for the rest of an interrupted body, or the cache's fields. The cache has no part in an
    /// interrupted body.
    var addedFields: [(name: String, value: String)] {
        assembly.rangeFields.isEmpty ? cache?.fields ?? [] : assembly.rangeFields
    }

    func beginResponse(isReplaying: Bool) {
        incoming = IncomingResponse()
        incoming.isReplay = isReplaying
        assembly.isDecoded = false
    }

    /// Prepares the delivery of a stored response.
    ///
    /// - Returns: its head.
    func beginReplay(_ reply: CacheQuestion.Found) -> ResponseHead {
        beginResponse(isReplaying: true)
        assembly.startOver()
        assembly.isDecoded = reply.answer.stored.body.isDecoded
        return reply.answer.head(of: hops.request)
    }

    /// Makes the body of the result a copy of a file, if possible.
    func copyBody(_ file: CacheBodyFile) throws(NetworkingError) -> Bool {
        guard try incoming.copy(file) else { return false }
        let count = Int(file.byteCount)
        progress.received(count, of: incoming.head)
        events?.received(byteCount: count, decodedByteCount: incoming.isDecoded ? count : nil)
        return true
    }

    /// Makes the operation continue to receive in a later turn of the network thread.
    func receiveLater() {
        guard let owner else { return }
        NetworkThread.shared.submit { owner.handle(.sinkBecameWritable) }
    }

    /// Applies the head of the server's response to the cache.
    ///
    /// - Returns: whether another response replaces it.
    func applyToCache(_ head: ResponseHead) -> Bool {
        guard let cache, assembly.rangeFields.isEmpty else { return false }
        let isPersonal =
            hops.hasAuthenticated && (prepared.options.credential == nil || prepared.blocks.challenge != nil)
        switch cache.receive(head, isPersonal: isPersonal) {
        case nil: return false
        case .stored: incoming.setDisposition(.discard(.stored), method: hops.request.method)
        case .completed: incoming.setDisposition(.collect)
        case .another: incoming.setDisposition(.discard(.sameRequest), method: hops.request.method)
        }
        return true
    }

    /// Returns the step after a failed transfer, if a stored response answers; nil otherwise.
    func stepFromCache(after error: NetworkingError) -> NextStep? {
        guard let cache, incoming.head == nil, error.meansNoResponse, let origin = nextOrigin,
            cache.answerWithoutResponse()
        else { return nil }
        return .stored(origin)
    }

    /// Prepares what the cache receives of the body.
    func prepareCache(_ cache: HopCache, for decision: HopDecision) {
        switch decision {
        case .send(.redirect), .ask(.redirect): cache.collectDiscardedBody()
        case .send, .ask(.challenge): cache.stopStoring()
        case .deliver, .alreadyComplete, .ask, .fail: break
        }
    }

    /// The request of the next or current hop.
    var nextHop: HopRequest { hops.request }

    /// Returns the files to open before a stored response is delivered; nil if there are none.
    func openingForStored() -> HopOpening? { outgoing.openingForStored() }
}

extension StoredAnswer {
    /// Returns the head of the response to a hop.
    func head(of hop: HopRequest) -> ResponseHead {
        ResponseHead(
            url: hop.url, statusCode: statusCode, reasonPhrase: stored.reasonPhrase, headers: headers,
            method: hop.method)
    }
}
