// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// Counts the bytes that one transfer received, to limit them in each round.
struct ReadQuota {
    /// Whether the response's body may be small.
    var expectsSmallResponse = false
    var totalByteCount = 0
    /// How often the body is read, in all rounds.
    var cadence = PieceCadence()
    /// The round of the event loop in which `byteCount` bytes were received.
    private var round: UInt64 = 0
    private(set) var byteCount = 0
    /// The size of libcurl's receive buffer, in bytes.
    var bufferByteCount = Int(CURL_MAX_WRITE_SIZE)
    /// The start of the block that libcurl read at once, and the end of its last piece.
    private var blockStart: UnsafeRawPointer?
    private var pieceEnd: UnsafeRawPointer?
}

/// Keeps large bodies from delaying small ones. In one call, libcurl reads up to a hundred times from each readable
/// socket. While a small response is expected, each transfer therefore has a read quota for each round. There is no
/// quota without small responses, nor over HTTP/2, where libcurl keeps reading the connection for other streams.
extension CurlPartition {
    /// The approximate quota of a round for all transfers of a partition together: well under a millisecond of
    /// reading.
    private static let roundByteCount = 256 << 10
    /// The quota of a single transfer. It leaves time for transfers that are about to begin.
    private static let soleByteCount = 2 << 20
    private static let leastByteCount = 16 << 10
    /// A larger body is not small.
    private static let smallByteCount = 256 << 10

    private static let soleBufferByteCount = 256 << 10
    private static let sharedBufferByteCount = 64 << 10

    /// The size of libcurl's buffer for a body that begins now and goes to a file or a stream. A larger buffer needs
    /// fewer calls, but a round cannot stop inside a call, so concurrent transfers get a smaller buffer. The transfer
    /// itself counts as active already.
    var largeBufferByteCount: Int { active.count <= 1 ? Self.soleBufferByteCount : Self.sharedBufferByteCount }

    /// The read quota of one transfer in a round.
    private var readQuotaByteCount: Int {
        active.count == 1 ? Self.soleByteCount : max(Self.roundByteCount / max(active.count, 1), Self.leastByteCount)
    }

    /// Records whether a transfer's response is expected to be small.
    func setExpectsSmallResponse(_ transfer: CurlTransfer, _ expectsSmallResponse: Bool) {
        guard transfer.readQuota.expectsSmallResponse != expectsSmallResponse else { return }
        transfer.readQuota.expectsSmallResponse = expectsSmallResponse
        loop.smallResponseCount += expectsSmallResponse ? 1 : -1
    }

    /// When the first throttled transfer continues.
    var throttledDeadline: UInt64 { throttled.reduce(.max) { min($0, $1.until) } }

    /// Resumes the throttled transfers whose time has come, and that have neither ended nor been paused since. Called
    /// when deadlines are checked, in this round or the next.
    func resumeThrottled(now: UInt64) {
        guard !throttled.isEmpty else { return }
        let due = throttled.filter { $0.until <= now }
        throttled.removeAll { $0.until <= now }
        for (transfer, _) in due where isActive(transfer) && !transfer.mayHaveBufferedBytes {
            resume(transfer)
        }
    }

    /// Makes a transfer rest after a read, if its body arrives in many small pieces. Not over HTTP/2, where the
    /// connection is read for other streams anyway. Not over TLS, where one read returns one record, although more may
    /// have arrived.
    func restAfterRead(of transfer: CurlTransfer, byteCount: Int) {
        guard !transfer.isMultiplexed, !transfer.request.isSecure, resuming !== transfer else { return }
        if case .stream = transfer.request.body { return }
        let now = MonotonicClock.now()
        guard transfer.readQuota.cadence.record(byteCount: byteCount, now: now) else { return }
        throttle(transfer, until: now + PieceCadence.rest)
    }

    /// Returns whether libcurl is processing the transfer.
    func isActive(_ transfer: CurlTransfer) -> Bool {
        active.indices.contains(transfer.activeIndex) && active[transfer.activeIndex] === transfer
    }

    /// Counts the bytes of a piece and, if the quota is used up, throttles the transfer until the next round. A
    /// transfer that sends a streamed body is not throttled, because libcurl would read the stream each time.
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

// MARK: - Rate limits

extension CurlPartition {
    /// Returns whether a rate limit currently denies a piece of a transfer. The transfer continues automatically.
    func throttleIfLimited(_ transfer: CurlTransfer, _ direction: TransferPacing.Direction, byteCount: Int) -> Bool {
        guard let pacing = transfer.pacing,
            pacing.reserveIfLimited(direction, byteCount: byteCount, now: MonotonicClock.now())
        else { return false }
        if !paced.contains(where: { $0 === transfer }) { paced.append(transfer) }
        updateDeadline()
        return true
    }

    /// The instant at which the first rate-limited transfer may continue.
    var pacedDeadline: UInt64 { paced.reduce(.max) { min($0, $1.pacing?.nextTurn ?? .max) } }

    /// Resumes the rate-limited transfers whose turn has come.
    func resumePaced(now: UInt64) {
        let due = paced.filter { $0.pacing?.releaseDue(now: now) == true }
        paced.removeAll { $0.pacing?.nextTurn == nil }
        for transfer in due where isActive(transfer) { transfer.resumePaced() }
    }

    /// Releases the reservations of a transfer that moves no bytes for now, or has ended. Other transfers may use
    /// them.
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

    /// Returns whether libcurl has delivered the whole block that it read at once. During a pause, libcurl would have
    /// to copy the rest of a block. The end of a block cannot always be detected.
    fileprivate func isBlockEnd(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count == CURL_MAX_WRITE_SIZE, let blockStart, let pieceEnd else { return true }
        return pieceEnd - blockStart >= bufferByteCount
    }
}
