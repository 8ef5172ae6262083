// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct UnreportedCloseTests {
    /// A descriptor that first belongs to one connection and then to another.
    private struct ReusedDescriptor {
        let (old, new): (TCPPair, TCPPair)
        let number: CInt

        init() throws {
            (old, new) = (try TCPPair(), try TCPPair())
            number = dup(old.near)
            try #require(number >= 0)
        }

        /// Gives the descriptor to the new connection without any report.
        func changeHands() { #expect(dup2(new.near, number) == number) }

        /// Whether the new connection can still send.
        var isNewOpen: Bool {
            new.write([7])
            return new.read(count: 1) == [7]
        }

        func close() { _ = Glibc.close(number) }
    }

    @Test func socketIsIdentifiedByItsInode() throws {
        let descriptor = try ReusedDescriptor()
        defer { descriptor.close() }
        var quirk = UnreportedClose(isPresent: true)
        #expect(!quirk.isOpen(descriptor.number), "it was not opened by libcurl")
        quirk.socketWasOpened(descriptor.number)
        #expect(quirk.isOpen(descriptor.number))
        descriptor.changeHands()
        #expect(!quirk.isOpen(descriptor.number))
        quirk.socketWasOpened(descriptor.number)
        #expect(quirk.isOpen(descriptor.number))
        quirk.socketIsClosing(descriptor.number)
        #expect(!quirk.isOpen(descriptor.number))
    }

    @Test func laterVersionsReportEachClose() {
        #expect(UnreportedClose(isPresent: false).isOpen(-1))
        #expect(UnreportedClose.versions.contains(CurlVersion(8, 1, 2)))
        #expect(!UnreportedClose.versions.contains(CurlVersion(8, 2)))
    }

    @Test func lostAddressSparesSocketsOfOtherLibraries() throws {
        let descriptor = try ReusedDescriptor()
        defer { descriptor.close() }
        let connections = CurlConnections(
            loop: EventLoop(inbox: Inbox()), limits: ConnectionLimits(), register: ConnectionRegister(),
            unreportedClose: UnreportedClose(isPresent: true))
        _ = connections.opened(descriptor.number)
        descriptor.changeHands()
        connections.shutDown(from: [try #require(IPAddress("127.0.0.1"))])
        #expect(descriptor.isNewOpen)
    }

    @Test func lostAddressShutsDownOwnSocket() throws {
        let pair = try TCPPair()
        let connections = CurlConnections(
            loop: EventLoop(inbox: Inbox()), limits: ConnectionLimits(), register: ConnectionRegister(),
            unreportedClose: UnreportedClose(isPresent: true))
        _ = connections.opened(pair.near)
        connections.shutDown(from: [try #require(IPAddress("127.0.0.1"))])
        var byte: UInt8 = 0
        #expect(recv(pair.near, &byte, 1, CInt(MSG_DONTWAIT)) == 0, "the socket is shut down")
    }

    @Test func connectionShutdownSparesSocketsOfOtherLibraries() throws {
        let descriptor = try ReusedDescriptor()
        defer { descriptor.close() }
        let connections = CurlConnections(
            loop: EventLoop(inbox: Inbox()), limits: ConnectionLimits(), register: ConnectionRegister(),
            unreportedClose: UnreportedClose(isPresent: true))
        _ = connections.opened(descriptor.number)
        descriptor.changeHands()
        let port = try #require(descriptor.new.localPort)
        "127.0.0.1".withCString {
            connections.shutDown(ConnectionEndpoints(localPort: port, peerAddress: $0, peerPort: 1))
        }
        #expect(descriptor.isNewOpen)
    }
}

extension TCPPair {
    /// The port of the near end.
    fileprivate var localPort: Int? {
        var name = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(near, $0, &length) == 0 }
        }
        return isNamed ? Int(UInt16(bigEndian: name.sin_port)) : nil
    }
}
