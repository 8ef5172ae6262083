// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// What one transfer received.
struct RoundShare {
    /// Whether its body may be a small one.
    var isAwaited = false
    var totalByteCount = 0
    /// In that round of the event loop.
    var round: UInt64 = 0
    var byteCount = 0
    /// Where the block of bytes began that libcurl read at once, and where its last piece ended.
    var blockStart: UnsafeRawPointer?
    var pieceEnd: UnsafeRawPointer?
}

/// Large bodies must not hold up small ones: libcurl reads a hundred times from a socket that has something, and does the
/// same for all the others that had something in the same call. So while anything small is under way, each round gives
/// each transfer a share. Large bodies among themselves are read as fast as libcurl can.
extension CurlPartition {
    /// About what a round reads for all transfers of a partition together: well under a millisecond's worth.
    private static let roundByteCount = 256 << 10
    /// The same when there is only one, which shares with those that are about to begin.
    private static let soleByteCount = 2 << 20
    private static let leastByteCount = 16 << 10
    /// What has more than this is not small any more.
    fileprivate static let smallByteCount = 256 << 10

    /// What a transfer may receive in a round.
    var shareByteCount: Int {
        active.count == 1 ? Self.soleByteCount : max(Self.roundByteCount / max(active.count, 1), Self.leastByteCount)
    }

    /// Notes whether a transfer's answer is waited for and may be small.
    func setAwaited(_ transfer: CurlTransfer, _ isAwaited: Bool) {
        guard transfer.share.isAwaited != isAwaited else { return }
        transfer.share.isAwaited = isAwaited
        loop.awaitedCount += isAwaited ? 1 : -1
    }

    /// In the round after: lets those go on that rested, and neither ended nor were paused in the meantime.
    func resumeResting() {
        guard !resting.isEmpty else { return }
        let transfers = resting
        resting = []
        for transfer in transfers where isActive(transfer) && !transfer.isPaused && !transfer.isHeldBack {
            resume(transfer)
        }
    }

    private func isActive(_ transfer: CurlTransfer) -> Bool {
        active.indices.contains(transfer.activeIndex) && active[transfer.activeIndex] === transfer
    }
}

extension CurlTransfer {
    /// What libcurl reads at once for a body that goes to a file or a stream.
    static let largeBufferByteCount = 64 << 10

    /// Stops the reading until the next round when the share is used up. Streams of HTTP/2 share their connection, whose
    /// windows see to that; and while a body is sent that has nothing to send, libcurl would ask for it each time.
    func takeShare(_ piece: UnsafeRawBufferPointer) {
        guard let start = piece.baseAddress, !piece.isEmpty, !isMultiplexed else { return }
        if case .stream = request.body { return }
        if share.round != partition.loop.roundNumber {
            share.round = partition.loop.roundNumber
            share.byteCount = 0
        }
        share.byteCount += piece.count
        share.totalByteCount += piece.count
        if share.totalByteCount > CurlPartition.smallByteCount { partition.setAwaited(self, false) }
        if start != share.pieceEnd { share.blockStart = start }
        share.pieceEnd = start + piece.count
        guard share.byteCount >= partition.shareByteCount, isBlockEnd(piece), partition.loop.isAwaited else { return }
        partition.rest(self)
    }

    /// Whether libcurl has given all that it read at once; what it still had would be copied over the pause.
    private func isBlockEnd(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count == CURL_MAX_WRITE_SIZE, let start = share.blockStart, let end = share.pieceEnd else {
            return true
        }
        return end - start >= (request.expectsLargeBody ? Self.largeBufferByteCount : Int(CURL_MAX_WRITE_SIZE))
    }
}
