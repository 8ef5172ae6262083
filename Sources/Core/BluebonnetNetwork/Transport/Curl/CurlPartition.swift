// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import CLinux
internal import Glibc

/// The connections of one pool key: one multi handle with its connection pool, and its easy handles. Network thread
/// only.
///
/// Connections, TLS sessions and easy handles never leave their partition, so pool keys stay separate.
final class CurlPartition: EventLoopClient, RoundEndTask {
    private static let idleConnectionLimit = 256
    private let multi: UnsafeMutableRawPointer
    let loop: EventLoop
    private let observesFrames: Bool
    private var slot = -1
    @exclusivity(unchecked) private(set) var active: [CurlTransfer] = []  // read for every piece of a body
    let connections: CurlConnections
    let openings: OpeningConnections
    private let handles: HandlePool
    private var origins = CurlOrigins()
    /// Transfers that have used up their read quota of a round, or rest, and when they continue.
    var throttled: [(transfer: CurlTransfer, until: UInt64)] = []
    /// The transfer that is being resumed. Its buffered bytes are taken even if there is no capacity (`GrowingPause`).
    private(set) var resuming: CurlTransfer?
    /// Rate-limited transfers.
    var paced: [CurlTransfer] = []
    /// Paused uploads to resume after the next read (`UnnoticedAnswer`).
    private var pendingResumes: [CurlTransfer] = []
    private var correcting: [CurlTransfer] = []  // their cookies are corrected after the current libcurl call
    @exclusivity(unchecked) var sending = SendingTransfers()
    private var unfinishedHeads = StalledHead.Transfers<CurlTransfer>()
    /// Whether the proxy requires Digest before it makes a tunnel.
    var usesProxyDigest = false
    /// Whether the partition is making libcurl stop reading a throttled transfer.
    private var isThrottling = false
    private var drainsThisRound = false
    let http2Streams = HTTP2Streams.ofThisThread()
    private var busyPause = BusyPause()
    private var curlDeadline = UInt64.max
    private var limitDeadline = UInt64.max
    /// The number of transfers that must begin before the usual number of connections is kept again; 0 if it is kept.
    private var frugalCount = 0
    /// The number of calls in which libcurl processed due work.
    private(set) var callCount = 0
    /// The instant at which the last transfer ended; nil while there are transfers.
    private(set) var idleSince: UInt64?

    /// Nil if libcurl finds no file descriptor, which newer versions need from the start, or no memory.
    init?(
        loop: EventLoop, register: any ConnectionRecords, observesFrames: Bool = true,
        poolKey: ConnectionPoolKey = ConnectionPoolKey()
    ) {
        guard let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.loop = loop
        self.observesFrames = observesFrames
        connections = CurlConnections(
            loop: loop, limits: poolKey.connectionLimits, register: register, maySpeakSOCKS: poolKey.maySpeakSOCKS)
        openings = OpeningConnections(loop: loop)
        handles = HandlePool(loop: loop)
        slot = loop.add(self)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = bluebonnet_multi_setopt_socket_callback(multi, socketCallback)
        _ = bluebonnet_multi_setopt_timer_callback(multi, timerCallback)
        _ = bluebonnet_multi_setopt_pointer(multi, CURLMOPT_SOCKETDATA, context)
        _ = bluebonnet_multi_setopt_pointer(multi, CURLMOPT_TIMERDATA, context)
        // By default, libcurl keeps four connections for each running transfer, which leaves almost none at the end of
        // a batch.
        keepConnections(limit: Self.idleConnectionLimit)
        if poolKey.isExclusive { CopiedBackPressure.shareNoConnection(of: multi) }
    }

    var isIdle: Bool { active.isEmpty }
    /// How the library knows the end of a response over HTTP/2, once there is a connection.
    var endEvidence: HTTP2EndEvidence { endEvidence(isStreamKnown: true) }

    func endEvidence(isStreamKnown: Bool) -> HTTP2EndEvidence {
        HTTP2EndEvidence(mayObserve: observesFrames && isStreamKnown)
    }

    private func keepConnections(limit: Int) {
        _ = bluebonnet_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, limit)
    }

    /// Makes each transfer that ends close an idle connection, until as many transfers have begun as connections are
    /// usually kept.
    func keepFewConnections() {
        frugalCount = Self.idleConnectionLimit
        keepConnections(limit: 1)
    }

    /// Closes every connection. The partition must be idle, and must not be used afterwards.
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
    /// Begins a transfer. If libcurl refuses the request, the transfer ends when deadlines are checked, never inside
    /// this call.
    func begin(_ request: TransferRequest, delegate: any TransferDelegate) -> CurlTransfer {
        if frugalCount > 0 {
            frugalCount -= 1
            if frugalCount == 0 { keepConnections(limit: Self.idleConnectionLimit) }
        }
        let handle = handles.acquire(forJar: request.cookieJar != nil)
        let transfer = CurlTransfer(request, handle: handle, partition: self, delegate: delegate)
        addActive(transfer)
        if let error = Self.versionError ?? request.headError ?? refusal(of: transfer) { failSoon(transfer, error) }
        deadlineMayBeEarlier(transfer.nextDeadline)
        return transfer
    }

    /// The error of every request if libcurl is older than the oldest supported version.
    private static let versionError = CurlVersion.current.obstacle.map { NetworkingError(.cannotConnect, $0) }

    /// Passes a transfer to libcurl. Returns the error if libcurl does not accept the transfer.
    private func refusal(of transfer: CurlTransfer) -> NetworkingError? {
        do throws(CurlError) {
            transfer.handle.transfer = transfer
            try HandleSetup.prepare(transfer.handle, for: transfer.request, in: self)
            transfer.readQuota.bufferByteCount = transfer.handle.bufferByteCount
            guard curl_multi_add_handle(multi, transfer.handle.raw) == CURLM_OK else {
                throw CurlError(code: CURLE_FAILED_INIT.rawValue)
            }
            transfer.didBegin()
            return nil
        } catch {
            return NetworkingError(
                .invalidRequest, "libcurl refused the request to \(transfer.request.hostName)",
                underlying: error.libraryError)
        }
    }

    /// Fails a transfer when deadlines are next checked, outside of the caller's and libcurl's calls.
    func failSoon(_ transfer: CurlTransfer, _ error: NetworkingError) {
        transfer.stop(with: error)
        deadlineMayBeEarlier(1)
    }

    /// Passes a transfer to libcurl again with a connected socket, because another address of the server has answered.
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
        transfer.didBeginAgain()
        addActive(transfer)
        deadlineMayBeEarlier(transfer.nextDeadline)
    }

    /// Removes a transfer from libcurl before its end.
    func remove(_ transfer: CurlTransfer) {
        forget(transfer)
        transfer.handle.setup = nil  // libcurl may have stopped anywhere
        recycle(transfer.handle)
    }

    /// Continues a transfer that was paused. Bytes that libcurl has buffered may arrive inside this call.
    func resume(_ transfer: CurlTransfer) {
        endBusyPause()
        resuming = GrowingPause.isPresent ? transfer : nil
        // If the consumer has no capacity, only sending continues.
        let bits = transfer.mayHaveBufferedBytes ? CURLPAUSE_RECV : CURLPAUSE_CONT
        let result = curl_easy_pause(transfer.handle.raw, bits)
        resuming = nil
        http2Streams.endCall()
        correctCookies()
        // Without a connection, libcurl has ended the transfer and reports the end later (`UnnoticedAnswer`).
        if ![CURLE_OK, CURLE_BAD_FUNCTION_ARGUMENT].contains(result), transfer.machine.failure == nil {
            let error = CurlError(code: result.rawValue).libraryError
            transfer.stop(with: NetworkingError(.resumeRefused, "the connection could not continue", underlying: error))
        }
        deadlineMayBeEarlier(transfer.machine.failure == nil ? transfer.nextDeadline : 1)
    }

    /// Pauses a transfer until `resumeThrottled`, in both directions: otherwise libcurl would keep watching the socket
    /// for the other direction.
    func throttle(_ transfer: CurlTransfer, until instant: UInt64 = 1) {
        if throttled.last?.transfer === transfer { return }  // libcurl still delivers what it has read
        throttled.append((transfer, instant))
        isThrottling = true
        _ = curl_easy_pause(transfer.handle.raw, CURLPAUSE_ALL)
        isThrottling = false
        updateDeadline()
    }

    /// Returns an origin in libcurl's format.
    func curlOrigin(of origin: Origin) -> CurlOrigin? { origins.curlOrigin(of: origin) }

    /// Returns an easy handle to the pool. The handle must not be on the multi handle.
    func recycle(_ handle: EasyHandle) { handles.recycle(handle) }

    /// Ends the transfers over lost local addresses, which receive nothing any more. They end now instead of at a time
    /// limit.
    func dropConnections(from lost: Set<IPAddress>) {
        drainMessages()  // ended transfers have lost nothing
        let orphans = active.filter { $0.handle.localAddress.map(lost.contains) ?? false }
        connections.shutDown(from: lost)
        for transfer in orphans {
            let text = "this machine lost the local address of its connection to \(transfer.request.hostName)"
            transfer.fail(NetworkingError(.connectionLost, text))
        }
    }

    private func addActive(_ transfer: CurlTransfer) {
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
        sending.remove(transfer)
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

    /// Schedules resuming a transfer's upload after the next read.
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
        let now = MonotonicClock.now()
        resumeThrottled(now: now)
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

    /// Stops delaying, because libcurl may have to act at once. If its earliest timer has expired already, libcurl
    /// does not report it again.
    private func endBusyPause() {
        let wasDelaying = busyPause.isDelaying
        busyPause.reset()
        guard wasDelaying else { return }
        curlDeadline = min(curlDeadline, MonotonicClock.now())
        updateDeadline()
    }

    /// Moves the limit deadline forward if a limit may pass earlier. Limits that move later are noticed at the old
    /// instant.
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
        sending.endCall()
        correctCookies()
        continueHeads()
    }

    /// Schedules further calls of libcurl, because it may have buffered the rest of the response's head.
    func continueHeadAfterCall(of transfer: CurlTransfer) { unfinishedHeads.add(transfer) }

    /// Makes libcurl process the transfers with incomplete heads: libcurl processes a transfer again when a pause ends.
    /// The next line may be longer than its buffer, and another transfer of the connection may come first, so libcurl
    /// is called several times without a line.
    private func continueHeads() {
        for (transfer, callCount) in unfinishedHeads.removeAll()
        where isActive(transfer) && transfer.machine.flow == .open && !transfer.machine.response.hasHead {
            unfinishedHeads.add(transfer, callCount: callCount - 1)
            isThrottling = true
            _ = curl_easy_pause(transfer.handle.raw, CURLPAUSE_RECV)
            isThrottling = false
            _ = curl_easy_pause(transfer.handle.raw, CURLPAUSE_CONT)
        }
    }

    /// Schedules correcting the cookies of the transfer's response before another request is sent.
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
    /// If larger bodies are read in the same round, finished transfers end immediately, because the read quota depends
    /// on the number of transfers.
    private func drainWhenAllIsRead() {
        guard loop.transferCount == loop.smallResponseCount else { return drainMessages() }
        guard !drainsThisRound else { return }
        drainsThisRound = true
        loop.atEndOfRound(.reading, self)
    }

    /// Ends the transfers that libcurl reports as finished. Needed without a socket event too, because transfers can
    /// end inside any call.
    func drainMessages() {
        var remaining: CInt = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let result = bluebonnet_message_result(message)
            guard let transfer = EasyHandle.of(handle)?.transfer else { continue }
            forget(transfer)
            if transfer.prepareRetry(after: result), curl_multi_add_handle(multi, handle) == CURLM_OK {
                transfer.didBeginAgain()
                addActive(transfer)
            } else {
                transfer.end(result: result)
            }
        }
        connections.forgetClosedSockets()
    }

    private func enforceLimits(now: UInt64) {
        limitDeadline = .max
        let answered = active.filter { $0.checkAnsweredEarly(now: now) }
        for transfer in answered where isActive(transfer) { transfer.endEarly() }
        let overdue = active.compactMap { transfer in
            (transfer.machine.failure ?? transfer.limitError(now: now)).map { (transfer, $0) }
        }
        for (transfer, error) in overdue where isActive(transfer) { transfer.fail(error) }
        for transfer in active { limitDeadline = min(limitDeadline, transfer.nextDeadline) }
    }

    func updateDeadline() {
        let pacedDeadline = paced.isEmpty ? UInt64.max : pacedDeadline
        loop.setDeadline(min(curlDeadline, limitDeadline, pacedDeadline, throttledDeadline), slot: slot)
    }

    /// Asks libcurl for its timer. libcurl reports its timer only when the timer changes. If libcurl was called
    /// slightly too early, it does nothing and reports nothing.
    private func askForTimer() {
        var milliseconds = -1
        guard curl_multi_timeout(multi, &milliseconds) == CURLM_OK, milliseconds >= 0 else { return }
        setCurlTimer(milliseconds: max(1, milliseconds))
    }

    fileprivate func setCurlTimer(milliseconds: Int) {
        curlDeadline = milliseconds < 0 ? .max : MonotonicClock.now() + UInt64(milliseconds) * 1_000_000
        updateDeadline()
    }

    /// Updates the watched events of a socket. libcurl stores a mark for each socket that it has reported
    /// (curl_multi_assign), which distinguishes new sockets.
    fileprivate func socketChanged(_ descriptor: curl_socket_t, what: CInt, isNew: Bool) {
        let input = what & CURL_POLL_IN != 0 ? EPOLLIN.rawValue : 0
        let output = what & CURL_POLL_OUT != 0 ? EPOLLOUT.rawValue : 0
        if input | output == 0 {  // CURL_POLL_REMOVE
            connections.stopWatching(descriptor, isBrief: isThrottling)
        } else {
            loop.watch(descriptor, events: input | output, isNew: isNew, slot: slot)
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
