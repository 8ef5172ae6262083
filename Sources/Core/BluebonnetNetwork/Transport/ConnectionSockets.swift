// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import Synchronization

/// The endpoints of a connection, as libcurl reports them (CURLOPT_PREREQFUNCTION). Valid during the callback only.
struct ConnectionEndpoints {
    let localPort: Int
    /// The address as text.
    let peerAddress: UnsafePointer<CChar>
    /// With a SOCKS proxy, the port of the server, although the connection ends at the proxy.
    let peerPort: Int
}

/// The sockets of all open and opening connections. The collection does not own them.
///
/// libcurl may close a socket without notice. The descriptor is then invalid, or belongs to another file, until it is
/// inserted or removed.
struct ConnectionSockets: Sequence {
    private var descriptors = DescriptorSet()
    /// The sockets whose local ports have not been read yet.
    private var unnamed: [CInt] = []
    /// The local ports of the other sockets, and the reverse mapping.
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

    /// Removes a socket that is about to be closed.
    mutating func remove(_ descriptor: CInt) {
        descriptors.remove(descriptor)
        guard let port = ports.removeValue(forKey: descriptor) else { return unnamed.removeAll { $0 == descriptor } }
        named[port]?.removeAll { $0 == descriptor }
        if named[port]?.isEmpty == true { named[port] = nil }
    }

    /// Returns the sockets that an open connection may use. The right socket is among them, because libcurl reports
    /// every socket before connecting it, and every connected socket before closing it. If several sockets have the
    /// same local port, only those connected to the server are returned, or all of them if the peer is unknown.
    mutating func candidates(for endpoints: ConnectionEndpoints) -> [CInt] {
        let found = sharingPort(of: endpoints)
        guard found.count > 1, !maySpeakSOCKS else { return found }
        let atServer = found.filter { Self.isConnected($0, to: endpoints) }
        return atServer.isEmpty ? found : atServer
    }

    /// Returns the socket of an open connection, if it can be determined.
    mutating func descriptor(of endpoints: ConnectionEndpoints) -> CInt? {
        let found = sharingPort(of: endpoints)
        guard found.count > 1 else { return found.first }
        return found.first { Self.isConnected($0, to: endpoints) }
            ?? found.first { Self.isConnected($0, to: endpoints, atAnyPort: true) }
    }

    /// Returns the sockets that have, or had, a connection's local port. Connections to different servers may share a
    /// port, and some sockets may be closed.
    private mutating func sharingPort(of endpoints: ConnectionEndpoints) -> [CInt] {
        nameAll()
        return named[endpoints.localPort] ?? []
    }

    func makeIterator() -> some IteratorProtocol<CInt> { descriptors.makeIterator() }

    private mutating func nameAll() {
        guard !unnamed.isEmpty else { return }
        for descriptor in unnamed {
            // A socket has no port before it connects, and it may be closed by now.
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

// MARK: - Socket state

extension ConnectionSockets {
    /// The state of a socket.
    private enum Answer {
        /// The socket is open, without bytes to read.
        case silent
        case bytes
        /// The connection was closed by the peer, or is broken.
        case end
        /// The descriptor is not a connection: libcurl has closed the socket without notice.
        case none
    }

    /// Returns whether a connection that uses one of these sockets is open and has no unread bytes; false if no socket
    /// is a connection.
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

    /// Returns whether the peer has closed an open connection.
    static func isAtEnd(_ descriptor: CInt) -> Bool { answer(of: descriptor) == .end }

    /// Returns whether a TCP connection is established.
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

// MARK: - The register

/// A register of the open connections of a partition by their sockets: origin, number and use. A value of the module
/// above, which reports connections to event monitors. Network thread only.
package protocol ConnectionRecords {
    /// The origin of each open connection, with its socket.
    var origins: [(socket: CInt, origin: Origin)] { get }
    func contains(_ socket: CInt) -> Bool
    /// Records a socket that is being connected.
    mutating func open(_ socket: CInt, to origin: Origin)
    /// Records that a transfer begins to use a connection.
    ///
    /// - Parameters:
    ///   - peer: the address and the port of the other end; called at most once.
    ///   - isKept: whether the connection was made for an earlier transfer.
    mutating func beginUse(
        of socket: CInt, _ peer: @autoclosure () -> (address: String, port: Int), to origin: Origin, isKept: Bool
    ) -> ConnectionUseFacts
    /// Records that a transfer has left its connection.
    mutating func endUse(of socket: CInt, hasFailed: Bool)
    /// Records that a connection is about to be closed.
    ///
    /// - Parameter isAtEnd: whether the server has closed it; called only for a reported connection.
    mutating func close(_ socket: CInt, isAtEnd: () -> Bool)
}

/// Whether connections are reported to event monitors. Not in the registers, because each request asks. Any thread.
package enum ConnectionReports {
    private static let areWanted = Atomic(false)

    package static var areEnabled: Bool {
        get { areWanted.load(ordering: .relaxed) }
        set { areWanted.store(newValue, ordering: .relaxed) }
    }
}

/// A connection, for event monitors. Shared by all events about it.
package final class ConnectionFacts: Sendable {
    package let number: Int
    package let peerAddress: String
    package let peerPort: Int
    package let openedAt: UInt64

    package init(number: Int, peerAddress: String, peerPort: Int, openedAt: UInt64) {
        self.number = number
        self.peerAddress = peerAddress
        self.peerPort = peerPort
        self.openedAt = openedAt
    }
}

/// The connection that a transfer uses, for event monitors.
package struct ConnectionUseFacts: Sendable {
    package let connection: ConnectionFacts
    package let isReused: Bool
    /// How long the connection was idle before, in nanoseconds; nil if it is new or shared.
    package let idleTime: UInt64?

    package init(_ connection: ConnectionFacts, isReused: Bool, idleTime: UInt64?) {
        self.connection = connection
        self.isReused = isReused
        self.idleTime = idleTime
    }
}
