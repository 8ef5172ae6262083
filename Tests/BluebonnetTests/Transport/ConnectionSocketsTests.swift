// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import Testing

@testable import Bluebonnet

@Suite struct ConnectionSocketsTests {
    private static func localPort(of pair: TCPPair) -> Int {
        var port: UInt16 = 0
        _ = bluebonnet_local_address(pair.near, &port)
        return Int(port)
    }

    @Test func eachIsFoundByItsLocalPort() throws {
        let pairs = try (0..<3).map { _ in try TCPPair() }
        var sockets = ConnectionSockets()
        for (number, pair) in pairs.enumerated() {
            sockets.insert(pair.near)
            #expect(sockets.contains(pair.near))
            let found = pairs.map { sockets.descriptor(localPort: Self.localPort(of: $0)) }
            #expect(found == pairs.enumerated().map { $0 <= number ? $1.near : nil })
        }
        #expect(Set(sockets) == Set(pairs.map(\.near)))
        sockets.remove(pairs[1].near)
        let found = pairs.map { sockets.descriptor(localPort: Self.localPort(of: $0)) }
        #expect(found == [pairs[0].near, nil, pairs[2].near])
        #expect(!sockets.contains(pairs[1].near))
        #expect(Set(sockets) == [pairs[0].near, pairs[2].near])
    }

    @Test func oneThatNobodyAskedForIsForgottenToo() throws {
        let pair = try TCPPair()
        var sockets = ConnectionSockets()
        sockets.insert(pair.near)
        sockets.remove(pair.near)
        let found = sockets.descriptor(localPort: Self.localPort(of: pair))
        #expect(found == nil)
    }

    /// libcurl may close one without a word, and its number is another connection's.
    @Test func aNumberThatIsUsedAgainIsFoundByItsNewPort() throws {
        let (old, new) = (try TCPPair(), try TCPPair())
        let (oldPort, newPort) = (Self.localPort(of: old), Self.localPort(of: new))
        var sockets = ConnectionSockets()
        sockets.insert(old.near)
        _ = sockets.descriptor(localPort: oldPort)
        #expect(dup2(new.near, old.near) == old.near)
        sockets.insert(old.near)
        let found = [oldPort, newPort].map { sockets.descriptor(localPort: $0) }
        #expect(found == [nil, old.near])
        sockets.remove(old.near)
        let later = sockets.descriptor(localPort: newPort)
        #expect(later == nil)
    }

    @Test func aSocketWithoutPortIsNobodys() throws {
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let unconnected = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(unconnected) }
        var sockets = ConnectionSockets()
        for descriptor in ends + [unconnected] { sockets.insert(descriptor) }
        let found = sockets.descriptor(localPort: 0)
        #expect(found == nil)
        #expect(Set(sockets) == Set(ends + [unconnected]))
    }
}
