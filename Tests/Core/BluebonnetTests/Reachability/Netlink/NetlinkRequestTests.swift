// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

// The bytes follow netlink(7) and rtnetlink(7), and were written by hand.
@Suite struct NetlinkRequestTests {
    @Test func linksAreRequestedByADump() {
        // Length 32, RTM_GETLINK 18, NLM_F_REQUEST | NLM_F_DUMP 0x301, number 9, port 0, an empty ifinfomsg.
        #expect(
            NetlinkRequest.allLinks.message(sequence: 9)
                == [32, 0, 0, 0, 18, 0, 1, 3, 9, 0, 0, 0, 0, 0, 0, 0] + Array(repeating: 0, count: 16))
    }

    @Test func addressesAreRequestedByADump() {
        #expect(
            NetlinkRequest.allAddresses.message(sequence: 0x0102_0304)
                == [24, 0, 0, 0, 22, 0, 1, 3, 4, 3, 2, 1, 0, 0, 0, 0] + Array(repeating: 0, count: 8))
    }

    @Test func routeIsRequestedForTheWholeAddress() throws {
        let address = try #require(IPAddress("198.41.0.4"))
        // An rtmsg of AF_INET 2 with 32 bits, then RTA_DST 1.
        #expect(
            NetlinkRequest.route(to: address, interface: nil).message(sequence: 1)
                == [36, 0, 0, 0, 26, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0] + [2, 32] + Array(repeating: 0, count: 10)
                + [8, 0, 1, 0, 198, 41, 0, 4])
    }

    @Test func linkLocalAddressIsRequestedByItsInterface() throws {
        let address = try #require(IPAddress("fe80::1%eth0"))
        // AF_INET6 10 with 128 bits, RTA_DST 1, RTA_OIF 4.
        #expect(
            NetlinkRequest.route(to: address, interface: 7).message(sequence: 1)
                == [56, 0, 0, 0, 26, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0] + [10, 128] + Array(repeating: 0, count: 10)
                + [20, 0, 1, 0, 0xFE, 0x80] + Array(repeating: 0, count: 13) + [1] + [8, 0, 4, 0, 7, 0, 0, 0])
    }
}
