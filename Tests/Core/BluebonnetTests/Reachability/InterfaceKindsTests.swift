// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct InterfaceKindsTests {
    // ARPHRD_ETHER, ARPHRD_LOOPBACK, ARPHRD_NONE, ARPHRD_PPP, ARPHRD_SIT, ARPHRD_RAWIP of linux/if_arp.h.
    @Test(arguments: [
        (1, "", NetworkInterface.Kind.wired), (1, "veth", .wired), (1, "bridge", .wired), (772, "", .loopback),
        (65534, "wireguard", .tunnel), (65534, "tun", .tunnel), (1, "tun", .tunnel), (512, "", .tunnel),
        (776, "sit", .tunnel), (519, "wwan", .cellular), (801, "", .wireless),
    ])
    func kernelTypeAndDriverDetermineTheKind(type: Int, driver: String, kind: NetworkInterface.Kind) {
        let link = NetworkTable.Link(index: 4, type: type, name: "x0", driver: driver)
        #expect(InterfaceKinds.kind(of: link, folder: "/nowhere") == kind)
    }

    @Test(arguments: [
        ("wlan", NetworkInterface.Kind.wireless), ("wwan", .cellular), ("bond", .wired), ("vlan", .wired),
    ])
    func deviceTypeDeterminesTheKind(type: String, kind: NetworkInterface.Kind) throws {
        let folder = try interface("DEVTYPE=\(type)\nINTERFACE=x0\nIFINDEX=4\n")
        #expect(InterfaceKinds.kind(of: Self.ethernet, folder: folder.url.path) == kind)
    }

    @Test func wirelessFolderDeterminesTheKind() throws {
        let folder = try interface("INTERFACE=x0\nIFINDEX=4\n")
        #expect(InterfaceKinds.kind(of: Self.ethernet, folder: folder.url.path) == .wired)
        try FileManager.default.createDirectory(atPath: folder.path("x0/wireless"), withIntermediateDirectories: true)
        #expect(InterfaceKinds.kind(of: Self.ethernet, folder: folder.url.path) == .wireless)
    }

    @Test func folderOfAnotherNamespacesInterfaceIsIgnored() throws {
        let folder = try interface("DEVTYPE=wlan\nINTERFACE=x0\nIFINDEX=5\n")
        #expect(InterfaceKinds.kind(of: Self.ethernet, folder: folder.url.path) == .wired)
    }

    @Test func kindIsCachedUntilTheInterfaceChanges() throws {
        let folder = try interface("DEVTYPE=wlan\nINTERFACE=x0\nIFINDEX=4\n")
        var kinds = InterfaceKinds(folder: folder.url.path)
        #expect(kinds.kind(of: Self.ethernet) == .wireless)
        try FileManager.default.removeItem(atPath: folder.path("x0"))
        #expect(kinds.kind(of: Self.ethernet) == .wireless)
        #expect(kinds.kind(of: NetworkTable.Link(index: 4, type: 1, name: "x1")) == .wired)
    }

    private static let ethernet = NetworkTable.Link(index: 4, type: 1, name: "x0")

    /// A folder like `/sys/class/net` with an interface `x0`.
    private func interface(_ event: String) throws -> ScratchFolder {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(atPath: folder.path("x0"), withIntermediateDirectories: true)
        try folder.write(event, to: "x0/uevent")
        return folder
    }
}
