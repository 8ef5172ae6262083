// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// Connects to further addresses of a server whose first address is silent, one after another, until one answers (RFC
/// 8305, 5). Does not look up names and does not depend on transfers. Network thread only.
///
/// An attempt continues when the next one begins: its address may be slow instead of silent.
final class ConnectionRace: EventLoopClient {
    /// The delay before the next address is tried, in nanoseconds, as RFC 8305 recommends.
    static let delay: UInt64 = 250_000_000
    /// The largest number of addresses that are tried.
    private static let addressLimit = 8

    private let loop: EventLoop
    private let port: UInt16
    private var waiting: Deque<IPAddress>
    private var attempts: [CInt: IPAddress] = [:]
    private var slot = -1
    /// Receives a connected socket and becomes its owner. Called at most once.
    private let won: (CInt, IPAddress) -> Void

    /// - Parameters:
    ///   - addresses: the addresses to try, in this order. Addresses with a zone are skipped, because the interface of
    ///     a link-local address is not known.
    init(_ addresses: [IPAddress], port: UInt16, loop: EventLoop, won: @escaping (CInt, IPAddress) -> Void) {
        (self.loop, self.port, self.won) = (loop, port, won)
        waiting = Deque()
        for address in addresses.prefix(Self.addressLimit) where address.zone == nil { waiting.append(address) }
        guard !waiting.isEmpty else { return }
        slot = loop.add(self)
        tryNext()
    }

    /// Ends all attempts. A second call does nothing.
    func close() {
        for socket in attempts.keys { abandon(socket) }
        (attempts, waiting) = ([:], Deque())
        if slot >= 0 { loop.remove(slot: slot) }
        slot = -1
    }

    func socketIsReady(_ descriptor: CInt, events: UInt32) {
        guard let address = attempts.removeValue(forKey: descriptor) else { return }
        var port: UInt16 = 0
        guard bluebonnet_peer_address(descriptor, &port).byte_count > 0 else {
            abandon(descriptor)
            return tryNext()
        }
        loop.forget(descriptor)
        close()
        won(descriptor, address)
    }

    func deadlineHasPassed() { tryNext() }

    private func tryNext() {
        while !waiting.isEmpty {
            let address = waiting.removeFirst()
            let socket = bluebonnet_begin_connecting(address.bytes, UInt32(address.bytes.count), port)
            guard socket >= 0 else { continue }
            attempts[socket] = address
            loop.watch(socket, events: EPOLLOUT.rawValue, isNew: true, slot: slot)
            return loop.setDeadline(MonotonicClock.now() + Self.delay, slot: slot)
        }
    }

    private func abandon(_ socket: CInt) {
        loop.forget(socket)
        Glibc.close(socket)
    }
}

@available(*, unavailable)
extension ConnectionRace: Sendable {}
