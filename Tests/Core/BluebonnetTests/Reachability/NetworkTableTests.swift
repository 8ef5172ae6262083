// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct NetworkTableTests {
    private let first = NetworkTable.Address(address: IPAddress(bytes: [10, 0, 0, 2])!, interface: 2)
    private let elsewhere = NetworkTable.Address(address: IPAddress(bytes: [10, 0, 0, 2])!, interface: 3)

    private func table(_ bodies: NetlinkMessage.Body...) -> NetworkTable {
        var table = NetworkTable()
        for body in bodies { table.apply(body) }
        return table
    }

    @Test func linksAreAddedChangedAndRemoved() {
        let named = NetlinkMessage.Body.link(NetworkTable.Link(index: 2, name: "eth0"))
        let renamed = NetlinkMessage.Body.link(NetworkTable.Link(index: 2, name: "lan0"))
        #expect(table(named, renamed).links.values.map(\.name) == ["lan0"])
        #expect(table(named, .linkRemoved(index: 2)).links.isEmpty)
        #expect(table(.linkRemoved(index: 2)).links.isEmpty)
    }

    @Test func addressIsLocalWhileAnyInterfaceHasIt() {
        #expect(table(.address(first), .address(elsewhere), .addressRemoved(first)).localAddresses == [first.address])
        #expect(table(.address(first), .address(first), .addressRemoved(first)).localAddresses.isEmpty)
    }

    @Test func removedInterfaceLosesItsAddresses() {
        #expect(table(.address(first), .linkRemoved(index: 2)).localAddresses.isEmpty)
        #expect(table(.address(first), .linkRemoved(index: 3)).localAddresses == [first.address])
    }

    @Test func zoneIsANameOrANumber() {
        let table = table(
            .link(NetworkTable.Link(index: 2, name: "eth0")), .link(NetworkTable.Link(index: 3, name: "2")))
        #expect(table.index(ofZone: "eth0") == 2)
        #expect(table.index(ofZone: "3") == 3)
        #expect(table.index(ofZone: "2") == 3)
        #expect(table.index(ofZone: "4") == nil)
        #expect(table.index(ofZone: "eth1") == nil)
    }
}
