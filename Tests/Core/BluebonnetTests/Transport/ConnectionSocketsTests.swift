// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct ConnectionSocketsTests {
    /// The endpoints of a connection. They are known even after the socket is closed.
    private struct Ends {
        var localPort = 0
        var peerAddress = "127.0.0.1"
        var peerPort = 0

        init() {}

        init(of pair: TCPPair) {
            var (local, peer): (UInt16, UInt16) = (0, 0)
            _ = bluebonnet_local_address(pair.near, &local)
            _ = bluebonnet_peer_address(pair.near, &peer)
            (localPort, peerPort) = (Int(local), Int(peer))
        }

        func candidates(in sockets: inout ConnectionSockets) -> [CInt] {
            peerAddress.withCString {
                sockets.candidates(
                    for: ConnectionEndpoints(localPort: localPort, peerAddress: $0, peerPort: peerPort))
            }
        }

        func find(in sockets: inout ConnectionSockets) -> CInt? {
            peerAddress.withCString {
                sockets.descriptor(of: ConnectionEndpoints(localPort: localPort, peerAddress: $0, peerPort: peerPort))
            }
        }
    }

    private static func find(_ ends: [Ends], in sockets: inout ConnectionSockets) -> [CInt?] {
        var found: [CInt?] = []
        for ends in ends { found.append(ends.find(in: &sockets)) }
        return found
    }

    @Test func socketIsFoundByItsLocalPort() throws {
        let pairs = try (0..<3).map { _ in try TCPPair() }
        let ends = pairs.map(Ends.init)
        var sockets = ConnectionSockets()
        for (number, pair) in pairs.enumerated() {
            sockets.insert(pair.near)
            #expect(sockets.contains(pair.near))
            let found = Self.find(ends, in: &sockets)
            #expect(found == pairs.enumerated().map { $0 <= number ? $1.near : nil })
        }
        #expect(Set(sockets) == Set(pairs.map(\.near)))
        sockets.remove(pairs[1].near)
        let found = Self.find(ends, in: &sockets)
        #expect(found == [pairs[0].near, nil, pairs[2].near])
        #expect(!sockets.contains(pairs[1].near))
        #expect(Set(sockets) == [pairs[0].near, pairs[2].near])
    }

    @Test func socketIsForgottenEvenWithoutALookup() throws {
        let pair = try TCPPair()
        var sockets = ConnectionSockets()
        sockets.insert(pair.near)
        sockets.remove(pair.near)
        let found = Self.find([Ends(of: pair)], in: &sockets)
        #expect(found == [nil])
    }

    /// libcurl can close a socket without a report. Then another connection can get the same descriptor.
    @Test(arguments: [false, true]) func reusedDescriptorIsFoundByItsNewPort(isKnown: Bool) throws {
        let (old, new) = (try TCPPair(), try TCPPair())
        let ends = [Ends(of: old), Ends(of: new)]
        var sockets = ConnectionSockets()
        sockets.insert(old.near)
        if isKnown { _ = ends[0].find(in: &sockets) }
        #expect(dup2(new.near, old.near) == old.near)
        sockets.insert(old.near)
        let found = Self.find(ends, in: &sockets)
        #expect(found == [nil, old.near])
        sockets.remove(old.near)
        let later = Self.find(ends, in: &sockets)
        #expect(later == [nil, nil])
    }

    /// The kernel identifies a connection by both endpoints. Connections to different servers can share a local port.
    @Test func socketsWithTheSameLocalPortDifferByServer() throws {
        let first = try TCPPair()
        let second = try TCPPair(localPort: Ends(of: first).localPort)
        let ends = [Ends(of: first), Ends(of: second)]
        try #require(ends[0].localPort == ends[1].localPort && ends[0].peerPort != ends[1].peerPort)
        for pairs in [[first, second], [second, first]] {
            var sockets = ConnectionSockets()
            for pair in pairs { sockets.insert(pair.near) }
            let found = Self.find(ends, in: &sockets)
            #expect(found == [first.near, second.near])
            sockets.remove(first.near)
            let left = ends[1].find(in: &sockets)
            #expect(left == second.near)
        }
    }

    /// With a SOCKS proxy, the peer is not the named server.
    @Test func socketToASOCKSProxyIsFoundByAddress() throws {
        let first = try TCPPair(peerAddress: 0x7F00_0002)
        let second = try TCPPair(localPort: Ends(of: first).localPort)
        var sockets = ConnectionSockets()
        for pair in [first, second] { sockets.insert(pair.near) }
        var ends = Ends(of: second)
        ends.peerPort = 80
        let found = ends.find(in: &sockets)
        #expect(found == second.near)
        ends.peerAddress = "127.0.0.2"
        let other = ends.find(in: &sockets)
        #expect(other == first.near)
    }

    /// libcurl can close a socket without a report, and the descriptor can stay unused.
    @Test(arguments: [false, true]) func closedSocketIsNotTakenForAnotherWithItsPort(isKnown: Bool) throws {
        let old = try TCPPair()
        let new = try TCPPair(localPort: Ends(of: old).localPort)
        var sockets = ConnectionSockets()
        let number = dup(old.near)
        sockets.insert(number)
        if isKnown { _ = Ends(of: old).find(in: &sockets) }
        sockets.insert(new.near)
        close(number)
        let found = Ends(of: new).find(in: &sockets)
        #expect(found == new.near)
    }

    @Test func socketWithoutPortIsNotFound() throws {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { for end in pair { close(end) } }
        let unconnected = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(unconnected) }
        var sockets = ConnectionSockets()
        for descriptor in pair + [unconnected] { sockets.insert(descriptor) }
        let found = Ends().find(in: &sockets)
        #expect(found == nil)
        #expect(Set(sockets) == Set(pair + [unconnected]))
    }

    // MARK: - Candidate sockets and their states

    /// A connection to another server may be at its end or have bytes. That says nothing about this connection.
    @Test func connectionToAnotherServerIsNoCandidate() throws {
        let first = try TCPPair()
        let second = try TCPPair(localPort: Ends(of: first).localPort)
        var sockets = ConnectionSockets()
        for pair in [first, second] { sockets.insert(pair.near) }
        for pair in [first, second] {
            let found = Ends(of: pair).candidates(in: &sockets)
            #expect(found == [pair.near])
        }
        var unknown = Ends(of: first)
        unknown.peerPort = 1
        let all = unknown.candidates(in: &sockets)
        #expect(Set(all) == [first.near, second.near])
    }

    /// With a SOCKS proxy, every socket with the same port is a candidate. This includes a socket that had the port
    /// before libcurl closed it without a report.
    @Test func candidatesIncludeEverySocketWithThePort() throws {
        let first = try TCPPair()
        let second = try TCPPair(localPort: Ends(of: first).localPort)
        var sockets = ConnectionSockets(maySpeakSOCKS: true)
        let closed = dup(first.near)
        for descriptor in [closed, first.near, second.near] { sockets.insert(descriptor) }
        var unix: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &unix) == 0)
        defer { for end in unix { close(end) } }
        for descriptor in unix { sockets.insert(descriptor) }
        for isClosed in [false, true] {
            if isClosed { close(closed) }
            for pair in [first, second] {
                let found = Ends(of: pair).candidates(in: &sockets)
                #expect(Set(found) == [closed, first.near, second.near])
            }
            let portless = Ends().candidates(in: &sockets)
            #expect(Set(portless) == Set(unix))
        }
        var other = Ends()
        other.localPort = 1
        let none = other.candidates(in: &sockets)
        #expect(none.isEmpty)
    }

    /// The state of one of several sockets that a connection may have.
    enum State: CaseIterable, Sendable { case silent, bytes, end, closed, noSocket }

    @Test(arguments: State.allCases, State.allCases) func connectionIsSilentWhicheverOpenSocketItHas(
        one: State, other: State
    ) throws {
        var open: [CInt] = []
        defer { for descriptor in open { close(descriptor) } }
        let descriptors = try [one, other].map { state in
            var ends: [CInt] = [0, 0]
            try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
            switch state {
            case .silent: break
            case .bytes: try #require(write(ends[1], "x", 1) == 1)
            case .end: shutdown(ends[1], CInt(SHUT_WR))
            case .closed:
                close(ends[0])
                open.append(ends[1])
                return CInt(1 << 20)  // a number that no descriptor has
            case .noSocket:
                var pipe: [CInt] = [0, 0]
                try #require(Glibc.pipe(&pipe) == 0)
                open += ends + [pipe[1], pipe[0]]
                return pipe[0]
            }
            open += ends
            return ends[0]
        }
        let isSilent = ConnectionSockets.areSilent(descriptors)
        #expect(isSilent == ([one, other].contains(.silent) && ![one, other].contains { $0 == .bytes || $0 == .end }))
        #expect(descriptors.map(ConnectionSockets.isAtEnd) == [one == .end, other == .end])
    }

    @Test func connectionWithoutASocketIsNotSilent() {
        #expect(!ConnectionSockets.areSilent([]))
    }
}
