// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// The bytes that one transfer received, for limiting them in each round.
struct ReadQuota {
    /// Whether its body may be a small one.
    var expectsSmallResponse = false
    var totalByteCount = 0
    /// In that round of the event loop.
    private var round: UInt64 = 0
    private(set) var byteCount = 0
    /// How much libcurl reads at once.
    var bufferByteCount = Int(CURL_MAX_WRITE_SIZE)
    /// Where the block of bytes began that libcurl read at once, and where its last piece ended.
    private var blockStart: UnsafeRawPointer?
    private var pieceEnd: UnsafeRawPointer?
}

/// Keeps large bodies from delaying small ones: in one call libcurl reads up to a hundred times from each readable
/// socket. So while a small response is expected, each transfer has a read quota for each round. Without small
/// responses, and over HTTP/2, where libcurl goes on reading the connection for other streams, there is no quota.
extension CurlPartition {
    /// The approximate quota of a round for all transfers of a partition together: well under a millisecond of reading.
    private static let roundByteCount = 256 << 10
    /// The quota of a single transfer, which leaves time for transfers that are about to begin.
    private static let soleByteCount = 2 << 20
    private static let leastByteCount = 16 << 10
    /// A body with more bytes than this is not small.
    private static let smallByteCount = 256 << 10

    private static let soleBufferByteCount = 256 << 10
    private static let sharedBufferByteCount = 64 << 10

    /// The size of libcurl's buffer for a body that begins now and goes to a file or a stream. A larger buffer needs
    /// fewer calls, but a round cannot stop inside a call, so a transfer beside others gets a smaller one. The transfer
    /// counts as active already.
    var largeBufferByteCount: Int { active.count <= 1 ? Self.soleBufferByteCount : Self.sharedBufferByteCount }

    /// The read quota of a transfer in a round.
    private var readQuotaByteCount: Int {
        active.count == 1 ? Self.soleByteCount : max(Self.roundByteCount / max(active.count, 1), Self.leastByteCount)
    }

    /// Notes whether a transfer's response is expected to be small.
    func setExpectsSmallResponse(_ transfer: CurlTransfer, _ expectsSmallResponse: Bool) {
        guard transfer.readQuota.expectsSmallResponse != expectsSmallResponse else { return }
        transfer.readQuota.expectsSmallResponse = expectsSmallResponse
        loop.smallResponseCount += expectsSmallResponse ? 1 : -1
    }

    /// Resumes throttled transfers that have neither ended nor been paused meanwhile. Called when deadlines are
    /// checked, in this round or the next.
    func resumeThrottled() {
        guard !throttled.isEmpty else { return }
        let transfers = throttled
        throttled = []
        for transfer in transfers where isActive(transfer) && !transfer.isHoldingBytes {
            resume(transfer)
        }
    }

    /// Whether libcurl works on it.
    func isActive(_ transfer: CurlTransfer) -> Bool {
        active.indices.contains(transfer.activeIndex) && active[transfer.activeIndex] === transfer
    }

    /// Throttles a transfer until the next round when its quota is used up; not while it sends a streamed body, which
    /// libcurl would ask for each time.
    func consumeReadQuota(of transfer: CurlTransfer, _ piece: UnsafeRawBufferPointer) {
        transfer.readQuota.totalByteCount += piece.count
        if transfer.readQuota.totalByteCount > Self.smallByteCount { setExpectsSmallResponse(transfer, false) }
        guard !piece.isEmpty, !transfer.isMultiplexed else { return }
        if case .stream = transfer.request.body { return }
        transfer.readQuota.add(piece, round: loop.roundNumber)
        let excess = transfer.readQuota.byteCount - readQuotaByteCount
        let most = max(transfer.readQuota.bufferByteCount, Self.sharedBufferByteCount)
        guard excess >= 0, excess >= most || transfer.readQuota.isBlockEnd(piece), loop.hasOthersWaiting else { return }
        throttle(transfer)
    }
}

// MARK: - Limits of bytes a second

extension CurlPartition {
    /// Whether a limit of bytes a second holds a piece of a transfer now; the transfer goes on by itself.
    func holdsByRate(_ transfer: CurlTransfer, _ direction: TransferPacing.Direction, byteCount: Int) -> Bool {
        guard let pacing = transfer.pacing,
            pacing.holds(direction, byteCount: byteCount, now: MonotonicClock.now())
        else { return false }
        if !paced.contains(where: { $0 === transfer }) { paced.append(transfer) }
        updateDeadline()
        return true
    }

    /// When the first transfer may go on that a limit of bytes a second holds.
    var pacedDeadline: UInt64 { paced.reduce(.max) { min($0, $1.pacing?.nextTurn ?? .max) } }

    /// Resumes the transfers whose turn has come.
    func resumePaced(now: UInt64) {
        let due = paced.filter { $0.pacing?.letGo(now: now) == true }
        paced.removeAll { $0.pacing?.nextTurn == nil }
        for transfer in due where isActive(transfer) { transfer.resumePaced() }
    }

    /// A transfer moves no bytes for now, or no more: what was reserved for it is others'.
    func stopPacing(_ transfer: CurlTransfer) {
        guard let pacing = transfer.pacing else { return }
        pacing.giveBack()
        if !paced.isEmpty { paced.removeAll { $0 === transfer } }
    }
}

extension ReadQuota {
    fileprivate mutating func add(_ piece: UnsafeRawBufferPointer, round: UInt64) {
        if self.round != round { (self.round, byteCount) = (round, 0) }
        byteCount += piece.count
        if piece.baseAddress != pieceEnd { blockStart = piece.baseAddress }
        pieceEnd = piece.baseAddress.map { $0 + piece.count }
    }

    /// Whether libcurl has given all that it read at once; what it still had would be copied over the pause. It cannot
    /// always be told.
    fileprivate func isBlockEnd(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count == CURL_MAX_WRITE_SIZE, let blockStart, let pieceEnd else { return true }
        return pieceEnd - blockStart >= bufferByteCount
    }
}
