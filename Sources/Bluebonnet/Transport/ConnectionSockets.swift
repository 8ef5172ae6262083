// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux

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

    /// The socket of a connection that is open.
    mutating func descriptor(of endpoints: ConnectionEndpoints) -> CInt? {
        nameAll()
        guard let found = named[endpoints.localPort] else { return nil }
        return found.count == 1 ? found[0] : Self.descriptor(of: endpoints, among: found)
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

    /// The right one of several with one local port: connections to different servers may share it, and some may be
    /// closed.
    private static func descriptor(of endpoints: ConnectionEndpoints, among found: [CInt]) -> CInt? {
        let address = bluebonnet_address_parse(endpoints.peerAddress)
        let atServer = found.filter {
            SocketEnd.local(of: $0)?.port == UInt16(truncatingIfNeeded: endpoints.localPort)
                && SocketEnd.peer(of: $0)?.hasAddress(address) == true
        }
        return atServer.first { SocketEnd.peer(of: $0)?.port == UInt16(truncatingIfNeeded: endpoints.peerPort) }
            ?? atServer.first
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
