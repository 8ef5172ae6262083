// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import CLinux
internal import Glibc

/// The connections of one pool key: one multi handle with its connection pool, and its easy handles. Network thread
/// only.
///
/// Connections, TLS sessions and easy handles never leave their partition, which keeps pool keys apart.
final class CurlPartition: EventLoopClient, RoundEndTask {
    private static let idleConnectionLimit = 256
    private let multi: UnsafeMutableRawPointer
    let loop: EventLoop
    private let observesFrames: Bool
    private var slot = -1
    @exclusivity(unchecked) private(set) var active: [CurlTransfer] = []  // counted for every piece of a body
    let connections: CurlConnections
    let openings: OpeningConnections
    private let handles: HandlePool
    private var origins = CurlOrigins()
    /// Transfers that have used up their read quota of a round, and continue when the deadlines are checked.
    var throttled: [CurlTransfer] = []
    /// The transfer whose held bytes arrive just now, and are taken whatever the capacity (`GrowingPause`).
    private(set) var resuming: CurlTransfer?
    /// Transfers that a limit of bytes a second holds.
    var paced: [CurlTransfer] = []
    /// Paused uploads to resume after the next read (`UnnoticedAnswer`).
    private var pendingResumes: [CurlTransfer] = []
    /// Transfers whose cookies are corrected after the present call of libcurl.
    private var correcting: [CurlTransfer] = []
    /// Transfers with a part of a response's head, and how often libcurl is called again for each.
    private var unfinishedHeads: [(transfer: CurlTransfer, callCount: Int)] = []
    /// Whether the proxy wants Digest before it makes a tunnel.
    var usesProxyDigest = false
    /// Whether libcurl is being told to stop reading a throttled transfer.
    private var isThrottling = false
    private var drainsThisRound = false
    let http2Streams = HTTP2Streams.ofThisThread()
    private var busyPause = BusyPause()
    private var curlDeadline = UInt64.max
    private var limitDeadline = UInt64.max
    /// How many transfers begin before connections are kept as usual again; 0 when they are.
    private var frugalCount = 0
    /// How often libcurl was called to go on with what is due.
    private(set) var callCount = 0
    /// When the last transfer ended, while there is none.
    private(set) var idleSince: UInt64?

    /// Nil when libcurl finds no file descriptor, which it needs from the start in newer versions, or no memory.
    init?(loop: EventLoop, observesFrames: Bool = true, poolKey: ConnectionPoolKey = ConnectionPoolKey()) {
        guard let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.loop = loop
        self.observesFrames = observesFrames
        connections = CurlConnections(
            loop: loop, limits: poolKey.connectionLimits,
            maySpeakSOCKS: poolKey.proxy?.forwardsRequests == false)
        openings = OpeningConnections(loop: loop)
        handles = HandlePool(loop: loop)
        slot = loop.add(self)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = bluebonnet_multi_setopt_socket_callback(multi, socketCallback)
        _ = bluebonnet_multi_setopt_timer_callback(multi, timerCallback)
        _ = bluebonnet_multi_setopt_pointer(multi, CURLMOPT_SOCKETDATA, context)
        _ = bluebonnet_multi_setopt_pointer(multi, CURLMOPT_TIMERDATA, context)
        // Left alone, libcurl keeps four for each transfer under way: so almost none at the end of a batch.
        keepConnections(limit: Self.idleConnectionLimit)
        if poolKey.isExclusive { CopiedBackPressure.shareNoConnection(of: multi) }
    }

    var isIdle: Bool { active.isEmpty }
    /// How the end of a response over HTTP/2 is known, once there is a connection.
    var endEvidence: HTTP2EndEvidence { endEvidence(isStreamKnown: true) }

    func endEvidence(isStreamKnown: Bool) -> HTTP2EndEvidence {
        HTTP2EndEvidence(mayObserve: observesFrames && isStreamKnown)
    }

    private func keepConnections(limit: Int) {
        _ = bluebonnet_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, limit)
    }

    /// Has each transfer that ends close an idle connection, until as many as usually are kept have begun.
    func keepFewConnections() {
        frugalCount = Self.idleConnectionLimit
        keepConnections(limit: 1)
    }

    /// Closes every connection; the partition is of no use afterwards. Only while it is idle.
    func close() {
        precondition(isIdle, "a partition was closed with transfers in it")
        openings.close()
        handles.close()
        origins = CurlOrigins()
        curl_multi_cleanup(multi)
        loop.remove(slot: slot)
    }
}

@available(*, unavailable)
extension CurlPartition: Sendable {}

// MARK: - Transfers

extension CurlPartition {
    /// Begins a transfer. A request that libcurl refuses ends when deadlines are looked at, never inside this call.
    func begin(_ request: TransferRequest, delegate: any TransferDelegate) -> CurlTransfer {
        if frugalCount > 0 {
            frugalCount -= 1
            if frugalCount == 0 { keepConnections(limit: Self.idleConnectionLimit) }
        }
        let handle = handles.take(forJar: request.cookieJar != nil)
        let transfer = CurlTransfer(request, handle: handle, partition: self, delegate: delegate)
        note(transfer)
        if let error = Self.versionError ?? request.headFault ?? refusal(of: transfer) { failSoon(transfer, error) }
        deadlineMayBeEarlier(transfer.nextDeadline)
        return transfer
    }

    /// The error of each request when libcurl is older than the oldest supported version.
    private static let versionError = CurlVersion.current.obstacle.map { NetworkingError(.cannotConnect, $0) }

    /// Hands a transfer to libcurl; gives the error when libcurl does not take the transfer.
    private func refusal(of transfer: CurlTransfer) -> NetworkingError? {
        do throws(CurlError) {
            transfer.handle.transfer = transfer
            try HandleSetup.prepare(transfer.handle, for: transfer.request, in: self)
            transfer.readQuota.bufferByteCount = transfer.handle.bufferByteCount
            guard curl_multi_add_handle(multi, transfer.handle.raw) == CURLM_OK else {
                throw CurlError(code: CURLE_FAILED_INIT.rawValue)
            }
            transfer.hasBegun()
            return nil
        } catch {
            return NetworkingError(
                .invalidRequest, "libcurl refused the request to \(transfer.request.hostName)",
                underlying: error.libraryError)
        }
    }

    /// Fails a transfer when deadlines are looked at next, where nobody is inside a call of its own or of libcurl's.
    func failSoon(_ transfer: CurlTransfer, _ error: NetworkingError) {
        transfer.stop(with: error)
        deadlineMayBeEarlier(1)
    }

    /// Gives a transfer to libcurl again, with a connected socket: another address of the server has answered.
    func beginAgain(_ transfer: CurlTransfer) {
        forget(transfer)
        do throws(CurlError) {
            try transfer.useConnectedSocket()
        } catch {
            return transfer.end(result: CURLE_FAILED_INIT)
        }
        guard curl_multi_add_handle(multi, transfer.handle.raw) == CURLM_OK else {
            return transfer.end(result: CURLE_FAILED_INIT)
        }
        transfer.hasBegunAgain()
        note(transfer)
        deadlineMayBeEarlier(transfer.nextDeadline)
    }

    /// Takes a transfer off libcurl before its end.
    func remove(_ transfer: CurlTransfer) {
        forget(transfer)
        transfer.handle.setup = nil  // libcurl may have stopped anywhere
        recycle(transfer.handle)
    }

    /// Goes on with a transfer that was paused; what libcurl held back may arrive inside this call.
    func resume(_ transfer: CurlTransfer) {
        endBusyPause()
        resuming = GrowingPause.isPresent ? transfer : nil
        // Where the consumer has no capacity, sending alone continues.
        let result = curl_easy_pause(transfer.handle.raw, transfer.isHoldingBytes ? CURLPAUSE_RECV : CURLPAUSE_CONT)
        resuming = nil
        http2Streams.endCall()
        correctCookies()
        // Without a connection, libcurl has ended the transfer, and says so later (`UnnoticedAnswer`).
        if ![CURLE_OK, CURLE_BAD_FUNCTION_ARGUMENT].contains(result), transfer.machine.failure == nil {
            let error = CurlError(code: result.rawValue).libraryError
            transfer.stop(with: NetworkingError(.resumeRefused, "the connection could not go on", underlying: error))
        }
        deadlineMayBeEarlier(transfer.machine.failure == nil ? transfer.nextDeadline : 1)
    }

    /// Pauses a transfer until `resumeThrottled`, in both directions: libcurl would go on watching the socket for the
    /// other one.
    func throttle(_ transfer: CurlTransfer) {
        if throttled.last === transfer { return }  // libcurl gives what it has read nevertheless
        throttled.append(transfer)
        isThrottling = true
        _ = curl_easy_pause(transfer.handle.raw, CURLPAUSE_ALL)
        isThrottling = false
        updateDeadline()
    }

    /// An origin as libcurl reads it.
    func curlOrigin(of origin: Origin) -> CurlOrigin? { origins.curlOrigin(of: origin) }

    /// Takes back an easy handle that is off the multi handle.
    func recycle(_ handle: EasyHandle) { handles.recycle(handle) }

    /// This machine has lost some addresses: nothing comes back to connections from them any more. Transfers over them
    /// end now, not when a limit has passed.
    func dropConnections(from lost: Set<IPAddress>) {
        drainMessages()  // what is over has lost nothing
        let orphans = active.filter { $0.handle.localAddress.map(lost.contains) ?? false }
        connections.shutDown(from: lost)
        for transfer in orphans {
            let text = "this machine has lost the address that it was connected to \(transfer.request.hostName) from"
            transfer.fail(NetworkingError(.connectionLost, text))
        }
    }

    private func note(_ transfer: CurlTransfer) {
        transfer.activeIndex = active.count
        active.append(transfer)
        endBusyPause()
        idleSince = nil
        loop.transferCount += 1
        setExpectsSmallResponse(transfer, true)
    }

    private func forget(_ transfer: CurlTransfer) {
        setExpectsSmallResponse(transfer, false)
        if !pendingResumes.isEmpty { pendingResumes.removeAll { $0 === transfer } }
        stopPacing(transfer)
        loop.transferCount -= 1
        _ = curl_multi_remove_handle(multi, transfer.handle.raw)
        http2Streams.remove(transfer)
        let index = transfer.activeIndex
        active.swapAt(index, active.count - 1)
        active[index].activeIndex = index
        active.removeLast()
        if active.isEmpty { idleSince = MonotonicClock.now() }
    }
}

// MARK: - Events

extension CurlPartition {
    func socketIsReady(_ descriptor: CInt, events: UInt32) {
        var mask: CInt = 0
        if events & EPOLLIN.rawValue != 0 { mask |= CURL_CSELECT_IN }
        if events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_ERR }
        endBusyPause()
        act(on: descriptor, mask: mask)
        if mask != CURL_CSELECT_OUT && !pendingResumes.isEmpty { runPendingResumes() }
        drainWhenAllIsRead()
    }

    /// Resumes a transfer's upload after the next read.
    func resumeAfterReading(_ transfer: CurlTransfer) {
        guard UnnoticedAnswer.isPresent else { return }
        if !pendingResumes.contains(where: { $0 === transfer }) { pendingResumes.append(transfer) }
    }

    private func runPendingResumes() {
        let transfers = pendingResumes
        pendingResumes = []
        for transfer in transfers { transfer.resumeSending() }
    }

    func roundEnds() {
        drainsThisRound = false
        drainMessages()
    }

    func deadlineHasPassed() {
        resumeThrottled()
        let now = MonotonicClock.now()
        if !paced.isEmpty { resumePaced(now: now) }
        if curlDeadline <= now {
            curlDeadline = .max
            act(on: CURL_SOCKET_TIMEOUT, mask: 0)
            drainMessages()
            if curlDeadline == .max { askForTimer() }
            spareBusyPause(now: now)
        }
        if limitDeadline <= now { enforceLimits(now: now) }
        updateDeadline()
    }

    /// Delays a call that libcurl wants at once while a transfer is paused.
    private func spareBusyPause(now: UInt64) {
        guard BusyPause.isPresent, curlDeadline != .max, curlDeadline <= MonotonicClock.now(),
            active.contains(where: { $0.machine.flow == .paused })
        else { return }
        curlDeadline = now + busyPause.nextDelay()
    }

    /// libcurl may have to act at once. Where its earliest instant has passed already, it does not say so
    /// again.
    private func endBusyPause() {
        let wasDelaying = busyPause.isDelaying
        busyPause.reset()
        guard wasDelaying else { return }
        curlDeadline = min(curlDeadline, MonotonicClock.now())
        updateDeadline()
    }

    /// A limit may have come nearer; limits that move away are noticed when the old instant comes.
    func deadlineMayBeEarlier(_ deadline: UInt64) {
        guard deadline < limitDeadline else { return }
        limitDeadline = deadline
        updateDeadline()
    }

    private func act(on descriptor: curl_socket_t, mask: CInt) {
        var runningCount: CInt = 0
        callCount += 1
        _ = curl_multi_socket_action(multi, descriptor, mask, &runningCount)
        http2Streams.endCall()
        connections.endWrites()
        correctCookies()
        continueHeads()
    }

    /// libcurl may hold the rest of the response's head (`StalledHead`).
    func continueHeadAfterCall(of transfer: CurlTransfer) {
        if let last = unfinishedHeads.indices.last, unfinishedHeads[last].transfer === transfer {
            unfinishedHeads[last].callCount = StalledHead.callCount
        } else {
            unfinishedHeads.append((transfer, StalledHead.callCount))
        }
    }

    /// libcurl looks at a transfer again when a pause ends. The next line may be longer than its buffer, and another
    /// transfer of the connection may come first: so it is called several times without a line.
    private func continueHeads() {
        guard !unfinishedHeads.isEmpty else { return }
        let entries = unfinishedHeads
        unfinishedHeads = []
        for (transfer, callCount) in entries where isActive(transfer) && transfer.machine.flow == .open {
            guard !transfer.machine.response.hasHead else { continue }
            if callCount > 1 { unfinishedHeads.append((transfer, callCount - 1)) }
            isThrottling = true
            _ = curl_easy_pause(transfer.handle.raw, CURLPAUSE_RECV)
            isThrottling = false
            _ = curl_easy_pause(transfer.handle.raw, CURLPAUSE_CONT)
        }
    }

    /// A cookie of the transfer's response must be corrected before another request is sent.
    func correctCookiesAfterCall(of transfer: CurlTransfer) {
        if correcting.last !== transfer { correcting.append(transfer) }
    }

    private func correctCookies() {
        guard !correcting.isEmpty else { return }
        let transfers = correcting
        correcting = []
        for transfer in transfers { transfer.correctCookies() }
    }

    /// Ends finished transfers after the round has read all sockets: alternating between reading and ending small
    /// responses exceeds the processor's first-level instruction cache.
    ///
    /// Ends them immediately when larger bodies are read in the same round, because their quota depends on the number
    /// of transfers.
    private func drainWhenAllIsRead() {
        guard loop.transferCount == loop.smallResponseCount else { return drainMessages() }
        guard !drainsThisRound else { return }
        drainsThisRound = true
        loop.atEndOfRound(.reading, self)
    }

    /// Ends what libcurl says is over. Also without a socket event: transfers can end inside any call.
    func drainMessages() {
        var remaining: CInt = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let result = bluebonnet_message_result(message)
            guard let transfer = EasyHandle.of(handle)?.transfer else { continue }
            forget(transfer)
            if transfer.mayBeginAgain(after: result), curl_multi_add_handle(multi, handle) == CURLM_OK {
                transfer.hasBegunAgain()
                note(transfer)
            } else {
                transfer.end(result: result)
            }
        }
        connections.forgetClosedSockets()
    }

    private func enforceLimits(now: UInt64) {
        limitDeadline = .max
        for transfer in active.filter({ $0.isAnsweredEarly(now: now) }) where isActive(transfer) { transfer.endEarly() }
        let overdue = active.compactMap { transfer in
            (transfer.machine.failure ?? transfer.limitError(now: now)).map { (transfer, $0) }
        }
        for (transfer, error) in overdue where isActive(transfer) { transfer.fail(error) }
        for transfer in active { limitDeadline = min(limitDeadline, transfer.nextDeadline) }
    }

    func updateDeadline() {
        let pacedDeadline = paced.isEmpty ? UInt64.max : pacedDeadline
        loop.setDeadline(throttled.isEmpty ? min(curlDeadline, limitDeadline, pacedDeadline) : 1, slot: slot)
    }

    /// libcurl tells of its timer when the timer changes. When it was called a little too early, it does nothing, and
    /// says nothing.
    private func askForTimer() {
        var milliseconds = -1
        guard curl_multi_timeout(multi, &milliseconds) == CURLM_OK, milliseconds >= 0 else { return }
        setCurlTimer(milliseconds: max(1, milliseconds))
    }

    fileprivate func setCurlTimer(milliseconds: Int) {
        curlDeadline = milliseconds < 0 ? .max : MonotonicClock.now() + UInt64(milliseconds) * 1_000_000
        updateDeadline()
    }

    /// libcurl remembers a mark for each socket it has told of (curl_multi_assign), so that new ones can be told apart.
    fileprivate func socketChanged(_ descriptor: curl_socket_t, what: CInt, isNew: Bool) {
        var events: UInt32 = 0
        if what & CURL_POLL_IN != 0 { events |= EPOLLIN.rawValue }
        if what & CURL_POLL_OUT != 0 { events |= EPOLLOUT.rawValue }
        if events == 0 {  // CURL_POLL_REMOVE
            connections.stopWatching(descriptor, isBrief: isThrottling)
        } else {
            loop.watch(descriptor, events: events, isNew: isNew, slot: slot)
        }
        if isNew { curl_multi_assign(multi, descriptor, Unmanaged.passUnretained(self).toOpaque()) }
    }
}

private func socketCallback(
    _: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t, _ what: CInt, _ context: UnsafeMutableRawPointer?,
    _ known: UnsafeMutableRawPointer?
) -> CInt {
    guard let context else { return 0 }
    let partition = Unmanaged<CurlPartition>.fromOpaque(context).takeUnretainedValue()
    partition.socketChanged(descriptor, what: what, isNew: known == nil)
    return 0
}

private func timerCallback(
    _: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> CInt {
    guard let context else { return 0 }
    Unmanaged<CurlPartition>.fromOpaque(context).takeUnretainedValue().setCurlTimer(milliseconds: milliseconds)
    return 0
}
