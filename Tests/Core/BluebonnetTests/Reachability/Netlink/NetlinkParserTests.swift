// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

// A kernel (6.18) sent these messages in a network namespace whose addresses and routes were set by hand.
@Suite struct NetlinkParserTests {
    private func parse(_ hex: String) throws -> [NetlinkMessage] {
        try bytes(hex).withUnsafeBytes { NetlinkParser.messages(in: $0) }
    }

    private func bytes(_ hex: String) throws -> [UInt8] {
        let digits = Array(hex.filter { !$0.isWhitespace })
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...($0 + 1)]), radix: 16))
        }
    }

    private func answer(_ body: NetlinkMessage.Body) -> NetlinkMessage {
        NetlinkMessage(port: 77, sequence: 5, body: body)
    }

    private static let routeByRouter = """
        7000000018000000050000004d00000002200000fe0000010002000008000f00fe00000008000100c629000408000400
        03000000080007000a4d0002080005000a4d0001080019000000000024000c0002000000000000000000000000000000
        00000000000000000000000000000000
        """
    private static let addressOfV0 = """
        4c00000014000200050000004d0000000218800003000000080001000a4d0002080002000a4d00020700030076300000
        080008008000000014000600ffffffffffffffffeee21400eee21400
        """
    private static let end = "1400000003000200050000004d00000000000000"

    @Test func routeThroughAGatewayIsParsed() throws {
        let route = RouteAnswer.Route(
            interface: 3, gateway: IPAddress("10.77.0.1"), source: IPAddress("10.77.0.2"))
        #expect(try parse(Self.routeByRouter) == [answer(.route(route))])
    }

    @Test func routeThroughAGatewayOfTheOtherFamilyIsParsed() throws {
        let route = RouteAnswer.Route(interface: 3, gateway: IPAddress("fd77::9"), source: IPAddress("10.77.0.2"))
        let messages = try parse(
            """
            8000000018000000050000004d00000002200000fe0000010002000008000f00fe000000080001000a63000108000400
            03000000080007000a4d0002160012000a00fd7700000000000000000000000000090000080019000000000024000c00
            0200000000000000000000000000000000000000000000000000000000000000
            """)
        #expect(messages == [answer(.route(route))])
    }

    @Test func routeToThisMachineIsParsed() throws {
        let messages = try parse(
            """
            6800000018000000050000004d00000002200000fe0000020002008008000f00fe000000080001007f00000108000400
            01000000080007007f000001080019000000000024000c00020000000000000000000000000000000000000000000000
            0000000000000000
            """)
        #expect(messages == [answer(.route(RouteAnswer.Route(interface: 1, source: IPAddress("127.0.0.1"))))])
    }

    @Test func routeOverIPv6IsParsed() throws {
        let messages = try parse(
            """
            b000000018000000050000004d0000000a808000fe0300010000000008000f00fe0000001400010020010503ba3e0000
            0000000000020030140002000000000000000000000000000000000014000700fd770000000000000000000000000002
            080006000004000014000500fd770000000000000000000000000001080004000300000024000c000200000000000000
            0000000000000000000000000000000000000000000000000500140000000000
            """)
        let route = RouteAnswer.Route(interface: 3, gateway: IPAddress("fd77::1"), source: IPAddress("fd77::2"))
        #expect(messages == [answer(.route(route))])
    }

    @Test func missingRouteIsParsedAsAnErrorNumber() throws {
        let messages = try parse(
            """
            3800000002000000050000004d0000009bffffff240000001a0001000500000000000000022000000000000000000000
            08000100c6290004
            """)
        #expect(messages == [answer(.error(ENETUNREACH))])
    }

    @Test func addressesAreParsedWithTheirInterface() throws {
        let address = NetworkTable.Address(address: try #require(IPAddress("10.77.0.2")), interface: 3)
        #expect(try parse(Self.addressOfV0) == [answer(.address(address))])
        // 10.88.0.1 with the peer 10.88.0.2: the machine's own address counts.
        let pointToPoint = try parse(
            """
            4c00000014000200050000004d0000000220800003000000080001000a580002080002000a5800010700030076300000
            080008008000000014000600fffffffffffffffff1e21400f1e21400
            """)
        let own = NetworkTable.Address(address: try #require(IPAddress("10.88.0.1")), interface: 3)
        #expect(pointToPoint == [answer(.address(own))])
    }

    @Test func addressOverIPv6IsParsed() throws {
        let messages = try parse(
            """
            4800000014000200050000004d0000000a4082000300000014000100fd77000000000000000000000000000214000600
            fffffffffffffffff0e21400f0e214000800080082000000
            """)
        let address = NetworkTable.Address(address: try #require(IPAddress("fd77::2")), interface: 3)
        #expect(messages == [answer(.address(address))])
    }

    @Test func linkIsParsedWithItsNameAndDriver() throws {
        let messages = try parse(
            """
            4000000010000000050000004d00000000000100030000004310010000000000070003007630000008000d00e8030000
            10001200090001007665746800000000
            """)
        #expect(messages == [answer(.link(NetworkTable.Link(index: 3, type: 1, name: "v0", driver: "veth")))])
    }

    @Test func allMessagesOfADatagramAreParsed() throws {
        let messages = try parse(Self.addressOfV0 + Self.routeByRouter + Self.end)
        #expect(messages.count == 3)
        #expect(messages.last == answer(.done))
    }

    @Test func interruptedListIsMarked() throws {
        // NLM_F_DUMP_INTR is 0x10, in the second byte pair of the flags 0x0012.
        let messages = try parse("1400000003001200050000004d00000000000000")
        #expect(messages.map(\.isInterrupted) == [true])
    }

    @Test func truncatedDatagramIsParsedSafely() throws {
        let whole = try bytes(Self.addressOfV0 + Self.routeByRouter + Self.end)
        for count in 0...whole.count {
            let messages = whole[..<count].withUnsafeBytes { NetlinkParser.messages(in: UnsafeRawBufferPointer($0)) }
            #expect(messages.count == (count >= 76 ? 1 : 0) + (count >= 188 ? 1 : 0) + (count >= 208 ? 1 : 0))
        }
    }

    @Test func damagedDatagramIsParsedSafely() throws {
        var random = SeededGenerator(seed: 20_261_121)
        let whole = try bytes(Self.addressOfV0 + Self.routeByRouter + Self.end)
        for _ in 0..<20_000 {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // A read past the end would trap. A message is at least as long as a header.
            #expect(damaged.withUnsafeBytes { NetlinkParser.messages(in: $0).count } <= whole.count / 16)
        }
    }
}
