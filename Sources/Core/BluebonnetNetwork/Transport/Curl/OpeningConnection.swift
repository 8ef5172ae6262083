// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import CLinux
internal import Glibc

/// The connection that libcurl is making for a transfer. It records the addresses that libcurl has tried and, if they
/// stay silent, races the other addresses. Network thread only.
///
/// If another address answers first, the transfer begins again and libcurl gets the connected socket.
/// `SlowNextAddress` explains why.
final class OpeningConnection {
    /// The name whose addresses are tried.
    let name: String
    let begunAt = MonotonicClock.now()
    private let loop: EventLoop
    private var port: UInt16 = 0
    private var tried: [IPAddress] = []
    private var sockets: [CInt] = []
    private var race: ConnectionRace?
    private var ready: (socket: CInt, address: IPAddress)?
    /// Called when an address has answered and the transfer has to begin again; nil after `close()`.
    private var answered: (() -> Void)?

    init(name: String, loop: EventLoop, answered: @escaping () -> Void) {
        (self.name, self.loop, self.answered) = (name, loop, answered)
    }

    /// Returns the socket for libcurl's next attempt, or -1 (CURLOPT_OPENSOCKETFUNCTION).
    ///
    /// - Parameter willGiveConnected: called with a socket that is connected already, before libcurl gets it.
    func openSocket(to target: UnsafeMutablePointer<curl_sockaddr>, willGiveConnected: (CInt) -> Void) -> CInt {
        if let (socket, address) = ready {
            ready = nil
            willGiveConnected(socket)
            set(address, in: target)
            return socket
        }
        let new = Self.socket(for: target)
        if new >= 0 {
            sockets.append(new)
            if let address = IPAddress(bluebonnet_socket_address(&target.pointee.addr, &port)) {
                tried.append(address.withoutZone)
            }
        }
        return new
    }

    static func socket(for target: UnsafeMutablePointer<curl_sockaddr>) -> CInt {
        Glibc.socket(
            target.pointee.family, target.pointee.socktype | CInt(SOCK_CLOEXEC.rawValue), target.pointee.protocol)
    }

    /// Sets the address that the socket is connected to in libcurl's structure, which has space for an address of any
    /// family.
    private func set(_ address: IPAddress, in target: UnsafeMutablePointer<curl_sockaddr>) {
        target.pointee.addrlen = bluebonnet_set_socket_address(
            &target.pointee.addr, address.bytes, UInt32(address.bytes.count), port)
        target.pointee.family = address.isIPv6 ? AF_INET6 : AF_INET
    }

    /// Whether no address has answered yet and no race has begun.
    var isSilent: Bool { answered != nil && race == nil && !isConnected }

    private var isConnected: Bool { sockets.contains(where: ConnectionSockets.isConnected) }

    /// Races the addresses that libcurl has not tried.
    func race(among addresses: [IPAddress]) {
        guard isSilent else { return }
        let others = addresses.filter { !tried.contains($0.withoutZone) }
        race = ConnectionRace(others, port: port, loop: loop) { [weak self] in self?.addressAnswered($0, $1) }
    }

    private func addressAnswered(_ socket: CInt, _ address: IPAddress) {
        race = nil
        guard let answered, !isConnected else {
            Glibc.close(socket)
            return
        }
        ready = (socket, address)
        answered()
    }

    /// Ends the race, because the connection is made or no longer needed. A second call does nothing.
    func close() {
        answered = nil
        race?.close()
        race = nil
        if let (socket, _) = ready { Glibc.close(socket) }
        ready = nil
    }
}

@available(*, unavailable)
extension OpeningConnection: Sendable {}

// MARK: - Opening sockets for libcurl

extension EasyHandle {
    /// Makes libcurl open its sockets through the library.
    func setOpenSocketCallback() throws(CurlError) {
        try bluebonnet_easy_setopt_opensocket_callback(raw, openSocketCallback).check()
        try set(CURLOPT_OPENSOCKETDATA, pointer: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    }
}

private func openSocketCallback(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ target: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let target else { return -1 }
    guard let transfer = EasyHandle.recover(context).transfer else { return OpeningConnection.socket(for: target) }
    return transfer.openSocket(to: target)
}

extension CurlTransfer {
    fileprivate func openSocket(to target: UnsafeMutablePointer<curl_sockaddr>) -> CInt {
        if SlowNextAddress.isPresent, opening == nil, let name = request.lookedUpName,
            target.pointee.socktype == CInt(SOCK_STREAM.rawValue)
        {
            let opening = OpeningConnection(name: name, loop: partition.loop) { [weak self] in self?.addressAnswered() }
            beginOpening(opening)
            partition.openings.add(opening, addresses: request.givenAddresses(of: name))
        }
        let socket =
            opening?.openSocket(to: target) { partition.connections.expectConnected($0) }
            ?? OpeningConnection.socket(for: target)
        if socket >= 0 { partition.connections.recordOrigin(request.origin, of: socket) }
        socketWasOpened(socket < 0 ? DescriptorShortage(errorNumber: errno) : nil)
        return socket
    }

    private func addressAnswered() {
        // libcurl would forget the pause.
        if machine.flow == .paused { endOpening() } else { partition.beginAgain(self) }
    }

    /// Makes libcurl begin again with the connected socket, in the time that is left for connecting.
    func useConnectedSocket() throws(CurlError) {
        try handle.useNewConnection()
        let limit = request.limits.connectTimeout
        guard limit > 0, let begunAt = opening?.begunAt else { return }
        let used = MonotonicClock.now() - begunAt
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(min(limit - min(limit, used), 1 << 60) / 1_000_000)))
    }
}

extension TransferRequest {
    /// The name that libcurl looks up for a new connection; nil if the host is an address already.
    fileprivate var lookedUpName: String? {
        guard poolKey.unixSocketPath == nil else { return nil }
        let host = poolKey.proxy.map { URLText($0.url).host.lowercased() } ?? origin.host
        return host.hasPrefix("[") || bluebonnet_is_address(host) ? nil : host
    }

    /// Returns the addresses that the caller has set for a name; nil if the name has to be looked up.
    fileprivate func givenAddresses(of name: String) -> [IPAddress]? {
        guard poolKey.proxy == nil, let text = poolKey.addressOverrides[name] else { return nil }
        return text.split(separator: ",").compactMap { IPAddress(String($0)) }
    }
}

// MARK: - The opening connections of a partition

/// The connections of a partition that are being made. A connection that is silent for a quarter of a second is raced
/// against the other addresses of its name. Network thread only.
final class OpeningConnections: EventLoopClient {
    /// An opening connection and the instant at which the race begins if it is still silent.
    private struct Entry {
        let opening: OpeningConnection
        /// Nil if the name has to be looked up.
        let addresses: [IPAddress]?
        let due: UInt64
    }

    /// A weak reference to this object for the threads that look names up.
    private final class Reference {
        weak var openings: OpeningConnections?
    }

    private let reference = NetworkBound(Reference())
    private let loop: EventLoop
    private var slot = -1
    /// Ordered by due time.
    private var entries = Deque<Entry>()
    /// The connections that wait for the addresses of a name.
    private var lookups: [String: [OpeningConnection]] = [:]

    init(loop: EventLoop) {
        self.loop = loop
        slot = loop.add(self)
        reference.value.openings = self
    }

    func close() { loop.remove(slot: slot) }

    /// - Parameter addresses: the caller's addresses; nil if the name has to be looked up.
    func add(_ opening: OpeningConnection, addresses: [IPAddress]?) {
        let due = MonotonicClock.now() + ConnectionRace.delay
        if entries.isEmpty { loop.setDeadline(due, slot: slot) }
        entries.append(Entry(opening: opening, addresses: addresses, due: due))
    }

    func socketIsReady(_ descriptor: CInt, events: UInt32) {}

    func deadlineHasPassed() {
        let now = MonotonicClock.now()
        while let entry = entries.first, entry.due <= now || !entry.opening.isSilent {
            entries.removeFirst()
            guard entry.opening.isSilent else { continue }
            if let addresses = entry.addresses {
                entry.opening.race(among: addresses)
            } else {
                lookUp(for: entry.opening)
            }
        }
        if let due = entries.first?.due { loop.setDeadline(due, slot: slot) }
    }

    private func lookUp(for opening: OpeningConnection) {
        let name = opening.name
        lookups[name, default: []].append(opening)
        guard lookups[name]?.count == 1 else { return }
        NameResolver.shared.resolve(name) { [reference] addresses in
            NetworkThread.shared.submit { reference.value.openings?.lookUpEnded(name, addresses) }
        }
    }

    private func lookUpEnded(_ name: String, _ addresses: [IPAddress]) {
        for opening in lookups.removeValue(forKey: name) ?? [] { opening.race(among: addresses) }
    }
}

@available(*, unavailable)
extension OpeningConnections: Sendable {}
