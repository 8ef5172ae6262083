// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// The endpoints of a connection, as libcurl reports them (CURLOPT_PREREQFUNCTION). Valid while its callback runs.
struct ConnectionEndpoints {
    let localPort: Int
    /// The address in text.
    let peerAddress: UnsafePointer<CChar>
    /// Behind a SOCKS proxy the server's port, although the connection ends at the proxy.
    let peerPort: Int
}

/// The sockets of all open and opening connections. It does not own them.
///
/// libcurl may close some without notice. Such a descriptor is invalid, or belongs to another file, until it is
/// inserted or removed.
struct ConnectionSockets: Sequence {
    private var descriptors = DescriptorSet()
    /// The sockets whose local ports have not been read yet.
    private var unnamed: [CInt] = []
    /// The local ports of the others, and the way back.
    private var ports: [CInt: Int] = [:]
    private var named: [Int: [CInt]] = [:]
    /// Whether connections may end at a SOCKS proxy.
    private let maySpeakSOCKS: Bool

    init(maySpeakSOCKS: Bool = false) { self.maySpeakSOCKS = maySpeakSOCKS }

    func contains(_ descriptor: CInt) -> Bool { descriptors.contains(descriptor) }

    /// Adds a new socket.
    mutating func insert(_ descriptor: CInt) {
        if contains(descriptor) { remove(descriptor) }
        descriptors.insert(descriptor)
        unnamed.append(descriptor)
    }

    /// Forgets a socket that is about to be closed.
    mutating func remove(_ descriptor: CInt) {
        descriptors.remove(descriptor)
        guard let port = ports.removeValue(forKey: descriptor) else { return unnamed.removeAll { $0 == descriptor } }
        named[port]?.removeAll { $0 == descriptor }
        if named[port]?.isEmpty == true { named[port] = nil }
    }

    /// The sockets that an open connection may have. Its own is one of them, because libcurl tells of every socket
    /// before it connects it, and of every connected one before it closes it. Of several with the same local port,
    /// those that are connected to the server; all of them if the peer is unknown.
    mutating func candidates(for endpoints: ConnectionEndpoints) -> [CInt] {
        let found = sharingPort(of: endpoints)
        guard found.count > 1, !maySpeakSOCKS else { return found }
        let atServer = found.filter { Self.isConnected($0, to: endpoints) }
        return atServer.isEmpty ? found : atServer
    }

    /// The socket of a connection that is open, as far as can be told.
    mutating func descriptor(of endpoints: ConnectionEndpoints) -> CInt? {
        let found = sharingPort(of: endpoints)
        guard found.count > 1 else { return found.first }
        return found.first { Self.isConnected($0, to: endpoints) }
            ?? found.first { Self.isConnected($0, to: endpoints, atAnyPort: true) }
    }

    /// The sockets that have or had a connection's local port: connections to different servers may share it, and some
    /// may be closed.
    private mutating func sharingPort(of endpoints: ConnectionEndpoints) -> [CInt] {
        nameAll()
        return named[endpoints.localPort] ?? []
    }

    func makeIterator() -> some IteratorProtocol<CInt> { descriptors.makeIterator() }

    private mutating func nameAll() {
        guard !unnamed.isEmpty else { return }
        for descriptor in unnamed {
            // Before it connects it has none, and it may be closed by now.
            let port = SocketEnd.local(of: descriptor).map { Int($0.port) } ?? 0
            ports[descriptor] = port
            named[port, default: []].append(descriptor)
        }
        unnamed.removeAll(keepingCapacity: true)
    }

    private static func isConnected(
        _ descriptor: CInt, to endpoints: ConnectionEndpoints, atAnyPort: Bool = false
    ) -> Bool {
        guard SocketEnd.local(of: descriptor)?.port == UInt16(truncatingIfNeeded: endpoints.localPort),
            let peer = SocketEnd.peer(of: descriptor)
        else { return false }
        return peer.hasAddress(bluebonnet_address_parse(endpoints.peerAddress))
            && (atAnyPort || peer.port == UInt16(truncatingIfNeeded: endpoints.peerPort))
    }
}

// MARK: - What a socket says

extension ConnectionSockets {
    private enum Answer {
        /// Open, and nothing to read.
        case silent
        case bytes
        /// Closed by the peer, or broken.
        case end
        /// No connection: libcurl has closed the socket without a word.
        case none
    }

    /// Whether a connection that has one of these sockets is open, and nothing waits on it; false when there is none.
    static func areSilent(_ descriptors: [CInt]) -> Bool {
        var isFound = false
        for descriptor in descriptors {
            switch answer(of: descriptor) {
            case .silent: isFound = true
            case .none: break
            case .bytes, .end: return false
            }
        }
        return isFound
    }

    /// Whether the peer has closed an open connection.
    static func isAtEnd(_ descriptor: CInt) -> Bool { answer(of: descriptor) == .end }

    /// Whether a TCP connection is established.
    static func isConnected(_ descriptor: CInt) -> Bool { SocketEnd.peer(of: descriptor) != nil }

    private static func answer(of descriptor: CInt) -> Answer {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        guard count < 0 else { return count > 0 ? .bytes : .end }
        return switch errno {
        case EAGAIN: .silent
        case EBADF, ENOTSOCK, ENOTCONN: .none
        default: .end
        }
    }
}

/// One end of an Internet connection.
private struct SocketEnd {
    private let address: bluebonnet_address
    let port: UInt16

    static func local(of descriptor: CInt) -> SocketEnd? { SocketEnd { bluebonnet_local_address(descriptor, &$0) } }
    static func peer(of descriptor: CInt) -> SocketEnd? { SocketEnd { bluebonnet_peer_address(descriptor, &$0) } }

    private init?(_ read: (inout UInt16) -> bluebonnet_address) {
        var port: UInt16 = 0
        address = read(&port)
        self.port = port
        guard address.byte_count > 0, port > 0 else { return nil }
    }

    func hasAddress(_ other: bluebonnet_address) -> Bool {
        withUnsafeBytes(of: address.bytes) { bytes in
            withUnsafeBytes(of: other.bytes) { other in bytes.elementsEqual(other) }
        } && address.byte_count == other.byte_count
    }
}
