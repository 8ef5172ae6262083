// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux

/// The sockets of connections, those that are being made and those that are kept. It does not own them.
struct ConnectionSockets: Sequence {
    private var descriptors = DescriptorSet()
    /// By their local ports, once somebody has asked.
    private var named: [Int: CInt] = [:]
    /// Those whose local ports nobody has looked at.
    private var unnamed: [CInt] = []

    func contains(_ descriptor: CInt) -> Bool { descriptors.contains(descriptor) }

    /// Adds a new socket. One with the same number was closed without a word.
    mutating func insert(_ descriptor: CInt) {
        if contains(descriptor) {
            unnamed.removeAll { $0 == descriptor }
            named = named.filter { $0.value != descriptor }
        }
        descriptors.insert(descriptor)
        unnamed.append(descriptor)
    }

    /// Forgets a socket that is about to be closed.
    mutating func remove(_ descriptor: CInt) {
        descriptors.remove(descriptor)
        unnamed.removeAll { $0 == descriptor }
        if let port = Self.localPort(of: descriptor), named[port] == descriptor { named[port] = nil }
    }

    /// The socket with a local port, of those that have been connected, or tried to.
    mutating func descriptor(localPort: Int) -> CInt? {
        if let descriptor = named[localPort] { return descriptor }
        for descriptor in unnamed { Self.localPort(of: descriptor).map { named[$0] = descriptor } }
        unnamed.removeAll(keepingCapacity: true)
        return named[localPort]
    }

    func makeIterator() -> some IteratorProtocol<CInt> { descriptors.makeIterator() }

    private static func localPort(of descriptor: CInt) -> Int? {
        var port: UInt16 = 0
        let hasAddress = bluebonnet_local_address(descriptor, &port).byte_count > 0
        return hasAddress && port > 0 ? Int(port) : nil
    }
}
