// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import CLinux
internal import Glibc

/// Tracks the connections of a partition as libcurl reports them: which sockets are open, which events the event loop
/// watches them for, and which sockets have unread bytes. Network thread only.
///
/// Connections outlive the handles that made them, so libcurl's socket callbacks call this object.
final class CurlConnections {
    private let loop: EventLoop
    private var sockets: ConnectionSockets
    private var unreportedClose: UnreportedClose
    /// Corks the requests that libcurl is writing now.
    private var corkedWrites = CorkedWrites()
    private var uses: ConnectionUses
    private var silent = SilentConnections()
    private var timeouts = AnnouncedTimeouts()
    /// A socket that is passed to libcurl next and that is connected already.
    private var connectedSocket: CInt = -1
    /// The sockets that were closed since transfers were last ended.
    private var closedSockets: [CInt] = []
    /// The open connections, for statistics and event monitors.
    private(set) var register: any ConnectionRecords

    /// - Parameters:
    ///   - register: an empty register of connections.
    ///   - maySpeakSOCKS: whether connections may end at a SOCKS proxy.
    init(
        loop: EventLoop, limits: ConnectionLimits, register: any ConnectionRecords, maySpeakSOCKS: Bool = false,
        unreportedClose: UnreportedClose = UnreportedClose()
    ) {
        (self.loop, self.unreportedClose, uses) = (loop, unreportedClose, ConnectionUses(limits))
        self.register = register
        sockets = ConnectionSockets(maySpeakSOCKS: maySpeakSOCKS)
    }

    /// Makes libcurl report the sockets that it opens and closes for a handle's connections.
    func watch(_ handle: EasyHandle) throws(CurlError) {
        let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        try handle.set(CURLOPT_SOCKOPTDATA, pointer: context)
        try handle.set(CURLOPT_CLOSESOCKETDATA, pointer: context)
        try bluebonnet_easy_setopt_sockopt_callback(handle.raw, connectionOpened).check()
        try bluebonnet_easy_setopt_closesocket_callback(handle.raw, connectionClosed).check()
    }

    /// Records a new socket. An earlier socket with the same descriptor is forgotten, because libcurl may have closed
    /// it without a report. A child process must not inherit the connection.
    ///
    /// - Returns: whether the socket is connected already.
    func opened(_ descriptor: CInt) -> Bool {
        loop.forget(descriptor)
        uses.open(descriptor, now: MonotonicClock.now())
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        sockets.insert(descriptor)
        unreportedClose.socketWasOpened(descriptor)
        defer { connectedSocket = -1 }
        return connectedSocket == descriptor
    }

    /// Records the origin of a socket that is being connected.
    func recordOrigin(_ origin: Origin, of descriptor: CInt) { register.open(descriptor, to: origin) }

    /// Records that a transfer uses a connection; nil if its socket is not known.
    func beginUse(
        _ endpoints: ConnectionEndpoints, to origin: Origin, isKept: Bool
    ) -> (socket: CInt, use: ConnectionUseFacts)? {
        let found =
            endpoints.localPort > 0
            ? sockets.descriptor(of: endpoints) : candidates(for: endpoints).first { register.contains($0) }
        guard let socket = found else { return nil }
        return (
            socket,
            register.beginUse(
                of: socket, (String(cString: endpoints.peerAddress), endpoints.peerPort), to: origin, isKept: isKept)
        )
    }

    /// - Parameter hasFailed: whether the transfer has failed or was stopped.
    func endUse(of socket: CInt, hasFailed: Bool) { register.endUse(of: socket, hasFailed: hasFailed) }

    /// Returns the socket of a connection, if it can be determined.
    func socket(of endpoints: ConnectionEndpoints) -> CInt? {
        endpoints.localPort > 0 ? sockets.descriptor(of: endpoints) : nil
    }

    /// Records that libcurl receives a connected socket next.
    func expectConnected(_ descriptor: CInt) { connectedSocket = descriptor }

    fileprivate func close(_ descriptor: CInt) -> CInt {
        sockets.remove(descriptor)
        unreportedClose.socketIsClosing(descriptor)
        uses.forget(descriptor)
        silent.forget(descriptor)
        timeouts.forget(descriptor)
        closedSockets.append(descriptor)
        corkedWrites.forget(descriptor)
        register.close(descriptor) { ConnectionSockets.isAtEnd(descriptor) }
        loop.forget(descriptor)
        return Glibc.close(descriptor)
    }

    /// All open sockets.
    var descriptors: some Sequence<CInt> { sockets }

    /// Stops watching a socket. A connection that was being read from is most likely kept, and is only muted. A
    /// connection that was still being made may be closed next.
    ///
    /// - Parameter isBrief: whether libcurl will watch the socket again by the next round.
    func stopWatching(_ descriptor: CInt, isBrief: Bool) {
        guard sockets.contains(descriptor), loop.isReading(descriptor) else { return loop.unwatch(descriptor) }
        loop.mute(descriptor, isBrief: isBrief)
    }
}

@available(*, unavailable)
extension CurlConnections: Sendable {}

// MARK: - The connection of a transfer

// libcurl does not report which socket a transfer uses until the transfer has ended (CURLINFO_ACTIVESOCKET), so the
// socket is found by its endpoints. Code that enforces a rule considers every socket that may be the right one and
// assumes the worst case: a wrong guess may cost a connection, but never permits the use of a connection that must not
// be used.
extension CurlConnections {
    /// Returns whether a kept connection has no unread, unsolicited bytes. With HTTP/2, responses are identified by
    /// their streams.
    ///
    /// - Parameters:
    ///   - tls: the connection's `SSL` object; nil without TLS.
    ///   - isMultiplexed: whether the connection uses HTTP/2 without TLS.
    func areClean(_ endpoints: ConnectionEndpoints, tls: UnsafeMutableRawPointer?, isMultiplexed: Bool) -> Bool {
        if let tls {
            if TLSConnection.isMultiplexed(tls) { return true }
            if TLSConnection.hasPendingBytes(tls) { return false }
        } else if isMultiplexed {
            return true
        }
        return ConnectionSockets.areSilent(candidates(for: endpoints))
    }

    /// Returns the sockets that the connection may use. The right socket is among them.
    func candidates(for endpoints: ConnectionEndpoints) -> [CInt] {
        let found = sockets.candidates(for: endpoints)
        // Unix sockets have no port. A Unix socket that libcurl reuses is not watched yet.
        return endpoints.localPort > 0 ? found : found.filter { !loop.isWatching($0) }
    }

    /// Returns whether a connection may have been closed, or be at its end, since transfers were last ended
    /// (`KeptEndedStream`).
    ///
    /// - Parameter candidates: the sockets that the connection may use; any socket if the array is empty.
    func hasPossiblyEnded(_ candidates: [CInt]) -> Bool {
        guard KeptEndedStream.isPresent else { return false }
        guard candidates.isEmpty else {
            return candidates.contains { closedSockets.contains($0) || ConnectionSockets.isAtEnd($0) }
        }
        return !closedSockets.isEmpty || sockets.contains { ConnectionSockets.isAtEnd($0) }
    }

    /// Records that a request is about to use a connection. Returns nil if no connection has a limit. Unix sockets
    /// have no limits.
    func use(_ endpoints: ConnectionEndpoints) -> ConnectionUses.Verdict? {
        guard uses.areLimited || !silent.isEmpty || !timeouts.isEmpty else { return nil }
        guard endpoints.localPort > 0, let socket = sockets.descriptor(of: endpoints) else { return .mayUse }
        let now = MonotonicClock.now()
        if !silent.isEmpty, silent.confirmSilent(socket, dataAge: Self.dataAge(socket), now: now) { return .mustNotUse }
        if timeouts.consumeTimeout(of: socket, now: now) { return .mustNotUse }
        return uses.areLimited ? uses.use(socket, now: now) : .mayUse
    }

    /// Records the time, in seconds, for which the server keeps the connection without a request.
    func setTimeout(_ seconds: Int, of endpoints: ConnectionEndpoints) {
        guard endpoints.localPort > 0, let socket = sockets.descriptor(of: endpoints) else { return }
        timeouts.set(socket, seconds: seconds, now: MonotonicClock.now())
    }

    /// Records that a request has waited since `start` and ends at a time limit. Its connection may be shared with
    /// other requests.
    func recordSilence(of endpoints: ConnectionEndpoints, since start: UInt64) {
        guard endpoints.localPort > 0, let socket = sockets.descriptor(of: endpoints) else { return }
        let now = MonotonicClock.now()
        silent.record(socket, waited: now - min(now, start), dataAge: Self.dataAge(socket), now: now)
    }

    /// Returns how many nanoseconds ago a connection last received bytes; nil if its socket is not known.
    func dataAge(of endpoints: ConnectionEndpoints) -> UInt64? {
        guard endpoints.localPort > 0, let socket = sockets.descriptor(of: endpoints) else { return nil }
        return Self.dataAge(socket)
    }

    /// In nanoseconds.
    private static func dataAge(_ socket: CInt) -> UInt64 { UInt64(bluebonnet_data_age(socket)) * 1_000_000 }

    func forgetClosedSockets() { closedSockets.removeAll(keepingCapacity: true) }

    /// Records that a request is about to be written to a connection that is shared with other requests.
    func sharedRequestIsWritten(over endpoints: ConnectionEndpoints) {
        guard Tuning.current.contains(.corkedWrites), let socket = sockets.descriptor(of: endpoints),
            unreportedClose.isOpen(socket)
        else { return }
        corkedWrites.requestIsWritten(to: socket)
    }

    /// Ends corking, because libcurl has written what it could.
    func endWrites() { corkedWrites.end() }

    /// Shuts a connection down that must not be used again, so that libcurl finds it closed.
    func shutDown(_ endpoints: ConnectionEndpoints) {
        guard endpoints.localPort > 0, let socket = sockets.descriptor(of: endpoints) else { return }
        shutDown(socket)
    }

    /// Shuts a socket down, unless libcurl has closed its descriptor without a report: the descriptor may belong to
    /// another library.
    private func shutDown(_ socket: CInt) {
        if unreportedClose.isOpen(socket) { shutdown(socket, CInt(SHUT_RDWR)) }
    }

    /// Shuts down the connections from lost addresses, which receive nothing any more. libcurl finds the idle ones
    /// closed when it wants to reuse them.
    func shutDown(from lost: Set<IPAddress>) {
        for socket in sockets {
            var port: UInt16 = 0
            guard let address = IPAddress(bluebonnet_local_address(socket, &port)) else { continue }
            if lost.contains(address.withoutZone) { shutDown(socket) }
        }
    }
}

private func connectionOpened(
    _ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t, _: curlsocktype
) -> CInt {
    guard let context else { return CInt(CURL_SOCKOPT_ERROR) }
    let isConnected = Unmanaged<CurlConnections>.fromOpaque(context).takeUnretainedValue().opened(descriptor)
    return CInt(isConnected ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_OK)
}

private func connectionClosed(_ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> CInt {
    guard let context else { return -1 }
    return Unmanaged<CurlConnections>.fromOpaque(context).takeUnretainedValue().close(descriptor)
}
