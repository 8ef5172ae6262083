// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import CLinux
internal import Glibc

/// The connections of a partition, as far as libcurl tells of them: which sockets are open, what the event loop watches
/// them for, what waits on them. Network thread only.
///
/// Connections outlive the handles that they were made by, so libcurl calls this object for them.
final class CurlConnections {
    private let loop: EventLoop
    private var sockets: ConnectionSockets
    private var unreportedClose: UnreportedClose
    /// The requests that libcurl is writing now.
    private var corkedWrites = CorkedWrites()
    private var uses: ConnectionUses
    private var silent = SilentConnections()
    private var timeouts = AnnouncedTimeouts()
    /// A socket that libcurl is about to get, and that is connected already.
    private var connectedSocket: CInt = -1
    /// The sockets that were closed since transfers were last ended.
    private var closedSockets: [CInt] = []

    /// - Parameter maySpeakSOCKS: whether connections may end at a SOCKS proxy.
    init(
        loop: EventLoop, limits: ConnectionLimits, maySpeakSOCKS: Bool = false,
        unreportedClose: UnreportedClose = UnreportedClose()
    ) {
        (self.loop, self.unreportedClose, uses) = (loop, unreportedClose, ConnectionUses(limits))
        sockets = ConnectionSockets(maySpeakSOCKS: maySpeakSOCKS)
    }

    /// Has libcurl tell of the sockets that are opened and closed for a handle's connections.
    func watch(_ handle: EasyHandle) throws(CurlError) {
        let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        try handle.set(CURLOPT_SOCKOPTDATA, pointer: context)
        try handle.set(CURLOPT_CLOSESOCKETDATA, pointer: context)
        try bluebonnet_easy_setopt_sockopt_callback(handle.raw, connectionOpened).check()
        try bluebonnet_easy_setopt_closesocket_callback(handle.raw, connectionClosed).check()
    }

    /// Forgets an earlier socket with the same descriptor, which libcurl may have closed without a report. A child
    /// process must not inherit the connection.
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

    /// libcurl is about to get a socket that is connected already.
    func expectConnected(_ descriptor: CInt) { connectedSocket = descriptor }

    fileprivate func close(_ descriptor: CInt) -> CInt {
        sockets.remove(descriptor)
        unreportedClose.socketIsClosing(descriptor)
        uses.forget(descriptor)
        silent.forget(descriptor)
        timeouts.forget(descriptor)
        closedSockets.append(descriptor)
        corkedWrites.forget(descriptor)
        loop.forget(descriptor)
        return Glibc.close(descriptor)
    }

    /// All open sockets.
    var descriptors: some Sequence<CInt> { sockets }

    /// A connection that was being read from is kept, most likely. One that was still being made may be closed next.
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

// libcurl does not say which socket a transfer uses before the transfer is over (CURLINFO_ACTIVESOCKET), so it is found
// by its ends. What guards a rule looks at all the sockets that it may be, and takes the worst for the truth: a wrong
// guess may cost a connection, and never lets one be used that should not be.
extension CurlConnections {
    /// Whether nothing waits on a kept connection that nobody asked for. HTTP/2 tells responses apart by itself.
    ///
    /// - Parameters:
    ///   - tls: the connection's `SSL` object; nil without TLS.
    ///   - isMultiplexed: whether the connection speaks HTTP/2 without TLS.
    func areClean(_ endpoints: ConnectionEndpoints, tls: UnsafeMutableRawPointer?, isMultiplexed: Bool) -> Bool {
        if let tls {
            if TLSConnection.isMultiplexed(tls) { return true }
            if TLSConnection.hasPendingBytes(tls) { return false }
        } else if isMultiplexed {
            return true
        }
        return ConnectionSockets.areSilent(candidates(for: endpoints))
    }

    /// The sockets that the connection may have: its own is one of them.
    func candidates(for endpoints: ConnectionEndpoints) -> [CInt] {
        let found = sockets.candidates(for: endpoints)
        // Unix sockets have no port. One that libcurl takes up again is not watched yet.
        return endpoints.localPort > 0 ? found : found.filter { !loop.isWatching($0) }
    }

    /// Whether a connection may have been closed, or be at its end, since transfers were last ended
    /// (`KeptEndedStream`).
    ///
    /// - Parameter candidates: the sockets that it may have; any when there are none.
    func mayHaveEnded(_ candidates: [CInt]) -> Bool {
        guard KeptEndedStream.isPresent else { return false }
        guard candidates.isEmpty else {
            return candidates.contains { closedSockets.contains($0) || ConnectionSockets.isAtEnd($0) }
        }
        return !closedSockets.isEmpty || sockets.contains { ConnectionSockets.isAtEnd($0) }
    }

    /// A request is about to use a connection; nil where none has a limit. Unix sockets have none.
    func use(_ endpoints: ConnectionEndpoints) -> ConnectionUses.Verdict? {
        guard uses.areLimited || !silent.isEmpty || !timeouts.isEmpty else { return nil }
        guard endpoints.localPort > 0, let socket = sockets.descriptor(of: endpoints) else { return .mayUse }
        let now = MonotonicClock.now()
        if !silent.isEmpty, silent.contains(socket, dataAge: Self.dataAge(socket), now: now) { return .isWornOut }
        if timeouts.use(socket, now: now) { return .isWornOut }
        return uses.areLimited ? uses.use(socket, now: now) : .mayUse
    }

    /// The server of a connection has said how many seconds it keeps the connection without a request.
    func setTimeout(_ seconds: Int, of endpoints: ConnectionEndpoints) {
        guard endpoints.localPort > 0, let socket = sockets.descriptor(of: endpoints) else { return }
        timeouts.set(socket, seconds: seconds, now: MonotonicClock.now())
    }

    /// A request that has waited since an instant ends at a time limit; its connection may be others' too.
    func noteSilence(of endpoints: ConnectionEndpoints, since start: UInt64) {
        guard endpoints.localPort > 0, let socket = sockets.descriptor(of: endpoints) else { return }
        let now = MonotonicClock.now()
        silent.note(socket, waited: now - min(now, start), dataAge: Self.dataAge(socket), now: now)
    }

    /// How many nanoseconds ago bytes came over a connection last; nil when its socket is not known.
    func dataAge(of endpoints: ConnectionEndpoints) -> UInt64? {
        guard endpoints.localPort > 0, let socket = sockets.descriptor(of: endpoints) else { return nil }
        return Self.dataAge(socket)
    }

    /// In nanoseconds.
    private static func dataAge(_ socket: CInt) -> UInt64 { UInt64(bluebonnet_data_age(socket)) * 1_000_000 }

    func forgetClosedSockets() { closedSockets.removeAll(keepingCapacity: true) }

    /// A request is about to be written to a connection that others use too.
    func sharedRequestIsWritten(over endpoints: ConnectionEndpoints) {
        guard Tuning.current.contains(.corkedWrites), let socket = sockets.descriptor(of: endpoints),
            unreportedClose.isOpen(socket)
        else { return }
        corkedWrites.requestIsWritten(to: socket)
    }

    /// libcurl has written what it could.
    func endWrites() { corkedWrites.end() }

    /// A connection is of no use any more: libcurl is to find it closed.
    func shutDown(_ endpoints: ConnectionEndpoints) {
        guard endpoints.localPort > 0, let socket = sockets.descriptor(of: endpoints) else { return }
        shutDown(socket)
    }

    /// A descriptor that libcurl has closed without a report is left alone: it may be another library's.
    private func shutDown(_ socket: CInt) {
        if unreportedClose.isOpen(socket) { shutdown(socket, CInt(SHUT_RDWR)) }
    }

    /// Nothing comes back to connections from these addresses any more: libcurl is to find the idle ones closed when it
    /// wants to use them again.
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
