// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// What one transfer received.
struct ReadQuota {
    /// Whether its body may be a small one.
    var expectsSmallResponse = false
    var totalByteCount = 0
    /// In that round of the event loop.
    var round: UInt64 = 0
    var byteCount = 0
    /// How much libcurl reads at once.
    var bufferByteCount = Int(CURL_MAX_WRITE_SIZE)
    /// Where the block of bytes began that libcurl read at once, and where its last piece ended.
    var blockStart: UnsafeRawPointer?
    var pieceEnd: UnsafeRawPointer?
}

/// Large bodies must not hold up small ones: libcurl reads a hundred times from a socket that has something, and does
/// the same for all the others that had something in the same call. So while anything small is under way, each round
/// gives each transfer a share. Large bodies among themselves are read as fast as libcurl can, and so is HTTP/2, where
/// libcurl would go on reading the connection for the others.
extension CurlPartition {
    /// About what a round reads for all transfers of a partition together: well under a millisecond's worth.
    private static let roundByteCount = 256 << 10
    /// The same when there is only one, which shares with those that are about to begin.
    private static let soleByteCount = 2 << 20
    private static let leastByteCount = 16 << 10
    /// What has more than this is not small any more.
    fileprivate static let smallByteCount = 256 << 10

    private static let soleBufferByteCount = 256 << 10
    fileprivate static let sharedBufferByteCount = 64 << 10

    /// What libcurl is to read at once for a body that begins now and goes to a file or a stream: fewer calls cost
    /// less, but a round cannot stop in the middle of one, so that those that begin beside others get less. It is
    /// active already.
    var largeBufferByteCount: Int { active.count <= 1 ? Self.soleBufferByteCount : Self.sharedBufferByteCount }

    /// What a transfer may receive in a round.
    var readQuotaByteCount: Int {
        active.count == 1 ? Self.soleByteCount : max(Self.roundByteCount / max(active.count, 1), Self.leastByteCount)
    }

    /// Notes whether a transfer's answer is waited for and may be small.
    func setExpectsSmallResponse(_ transfer: CurlTransfer, _ expectsSmallResponse: Bool) {
        guard transfer.readQuota.expectsSmallResponse != expectsSmallResponse else { return }
        transfer.readQuota.expectsSmallResponse = expectsSmallResponse
        loop.smallResponseCount += expectsSmallResponse ? 1 : -1
    }

    /// When the deadlines of this round or the next one are looked at: lets those go on that rested, and neither ended
    /// nor were paused in the meantime.
    func resumeThrottled() {
        guard !throttled.isEmpty else { return }
        let transfers = throttled
        throttled = []
        for transfer in transfers where isActive(transfer) && !transfer.isPaused && !transfer.isHeldBack {
            resume(transfer)
        }
    }

    /// Whether libcurl works on it.
    func isActive(_ transfer: CurlTransfer) -> Bool {
        active.indices.contains(transfer.activeIndex) && active[transfer.activeIndex] === transfer
    }
}

extension CurlTransfer {
    /// Stops the reading until the next round when the share is used up. Not while a body is sent that may have nothing
    /// to send: libcurl would ask for it each time.
    func consumeReadQuota(_ piece: UnsafeRawBufferPointer) {
        readQuota.totalByteCount += piece.count
        if readQuota.totalByteCount > CurlPartition.smallByteCount { partition.setExpectsSmallResponse(self, false) }
        guard let start = piece.baseAddress, !piece.isEmpty, !isMultiplexed else { return }
        if case .stream = request.body { return }
        if readQuota.round != partition.loop.roundNumber {
            readQuota.round = partition.loop.roundNumber
            readQuota.byteCount = 0
        }
        readQuota.byteCount += piece.count
        if start != readQuota.pieceEnd { readQuota.blockStart = start }
        readQuota.pieceEnd = start + piece.count
        let excess = readQuota.byteCount - partition.readQuotaByteCount
        let most = max(readQuota.bufferByteCount, CurlPartition.sharedBufferByteCount)
        guard excess >= 0, excess >= most || isBlockEnd(piece), partition.loop.hasOthersWaiting else { return }
        partition.throttle(self)
    }

    /// Whether libcurl has given all that it read at once; what it still had would be copied over the pause. It cannot
    /// always be told.
    private func isBlockEnd(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count == CURL_MAX_WRITE_SIZE, let start = readQuota.blockStart, let end = readQuota.pieceEnd else {
            return true
        }
        return end - start >= readQuota.bufferByteCount
    }
}
