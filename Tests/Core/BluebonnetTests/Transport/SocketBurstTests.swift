// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import BluebonnetTestServer
import CLinux
import Foundation
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// No wake-up is lost when more sockets become readable at once than one call of epoll returns. Each test runs in its
/// own process, so that its many descriptors do not affect other tests.
@Suite(.timeLimit(.minutes(2)), .serialized) struct SocketBurstTests {
    static let socketCount = 1_000

    @Test func thousandReadableSocketsLoseNoEvents() async {
        await #expect(processExitsWith: .success) {
            let pairs = try SocketPairs(count: Self.socketCount)
            let reader = BurstReader.start(on: pairs)
            for round in 1...20 {
                Thread.detachNewThread { pairs.writeToAll() }
                await reader.total.becomes { $0 >= Self.socketCount * round }
                #expect(reader.total.value == Self.socketCount * round)
            }
            await reader.stop()
            #expect(reader.counts == pairs.readable.reduce(into: [:]) { $0[$1] = 20 })
        }
    }

    @Test func writersAheadOfTheReaderLoseNothing() async {
        await #expect(processExitsWith: .success) {
            let pairs = try SocketPairs(count: Self.socketCount)
            let reader = BurstReader.start(on: pairs)
            for _ in 0..<4 {
                Thread.detachNewThread { for _ in 0..<10 { pairs.writeToAll() } }
            }
            await reader.total.becomes { $0 >= Self.socketCount * 40 }
            await reader.stop()
            #expect(reader.counts == pairs.readable.reduce(into: [:]) { $0[$1] = 40 })
        }
    }
}

/// Socket pairs, closed with the last reference.
private final class SocketPairs: Sendable {
    let readable: [CInt]
    private let writable: [CInt]

    init(count: Int) throws {
        try Self.allowDescriptors(2 * count + 200)
        var readable: [CInt] = []
        var writable: [CInt] = []
        for _ in 0..<count {
            var ends: [CInt] = [0, 0]
            let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, type, 0, &ends) == 0, "no descriptor is left")
            readable.append(ends[0])
            writable.append(ends[1])
        }
        self.readable = readable
        self.writable = writable
    }

    /// Writes one byte to each socket.
    func writeToAll() {
        for descriptor in writable { _ = send(descriptor, "x", 1, 0) }
    }

    private static func allowDescriptors(_ count: Int) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < rlim_t(count) else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        try #require(limit.rlim_cur >= rlim_t(count), "the system allows too few descriptors for this test")
    }

    deinit {
        for descriptor in readable + writable { close(descriptor) }
    }
}

/// Watches sockets on the network thread's event loop and reads one byte for each event.
private final class BurstReader: Sendable {
    let total = Observed(0)
    private let countsByDescriptor = Mutex<[CInt: Int]>([:])
    private let client: NetworkBound<Client>

    private init() { client = NetworkBound(Client()) }

    var counts: [CInt: Int] { countsByDescriptor.withLock { $0 } }

    static func start(on pairs: SocketPairs) -> BurstReader {
        let reader = BurstReader()
        NetworkThread.shared.submit { reader.client.value.start(reader, pairs) }
        return reader
    }

    /// Stops watching, and returns when watching has stopped.
    func stop() async {
        let hasStopped = Gate()
        NetworkThread.shared.submit { [self] in
            client.value.stop()
            hasStopped.open()
        }
        await hasStopped.wait()
    }

    fileprivate func read(_ descriptor: CInt) {
        var byte: UInt8 = 0
        guard recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT)) == 1 else { return }
        countsByDescriptor.withLock { $0[descriptor, default: 0] += 1 }
        total.increment()
    }

    /// The part on the network thread.
    fileprivate final class Client: EventLoopClient {
        private var reader: BurstReader?
        private var pairs: SocketPairs?
        private var slot = -1

        func start(_ reader: BurstReader, _ pairs: SocketPairs) {
            self.reader = reader
            self.pairs = pairs
            let loop = NetworkThread.shared.eventLoop
            slot = loop.add(self)
            for descriptor in pairs.readable {
                loop.watch(descriptor, events: EPOLLIN.rawValue, isNew: true, slot: slot)
            }
        }

        func stop() {
            for descriptor in pairs?.readable ?? [] { NetworkThread.shared.eventLoop.unwatch(descriptor) }
            NetworkThread.shared.eventLoop.remove(slot: slot)
            (reader, pairs) = (nil, nil)
        }

        func socketIsReady(_ descriptor: CInt, events: UInt32) { reader?.read(descriptor) }
        func deadlineHasPassed() {}
    }
}
