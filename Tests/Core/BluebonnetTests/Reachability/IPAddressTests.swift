// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct IPAddressTests {
    @Test(arguments: ["192.0.2.1", "0.0.0.0", "2001:db8::1", "::", "::ffff:192.0.2.1", "fe80::1%eth0", "fe80::1%3"])
    func addressKeepsItsText(_ text: String) {
        #expect(IPAddress(text)?.description == text)
    }

    @Test(arguments: [
        "", "%", "192.0.2", "192.0.2.256", "192.0.2.1%eth0", "fe80::1%", "2001:db8::g", "example.com", " 192.0.2.1",
        "192.0.2.1\0x",
    ])
    func invalidTextIsRefused(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func addressConvertsToAndFromBytes() {
        #expect(IPAddress("192.0.2.1")?.bytes == [192, 0, 2, 1])
        #expect(IPAddress("fe80::1%eth0")?.bytes == [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1])
        #expect(IPAddress(bytes: [192, 0, 2, 1]) == IPAddress("192.0.2.1"))
        #expect(IPAddress(bytes: [192, 0, 2]) == nil)
    }

    @Test func longAndShortTextsAreEqual() {
        #expect(IPAddress("2001:0db8:0:0:0:0:0:1") == IPAddress("2001:db8::1"))
    }

    @Test func addressesDifferByFamilyAndZone() {
        #expect(IPAddress("192.0.2.1")?.isIPv6 == false)
        #expect(IPAddress("::1")?.isIPv6 == true)
        #expect(IPAddress("fe80::1%eth0") != IPAddress("fe80::1"))
        #expect(IPAddress("fe80::1%eth0")?.withoutZone == IPAddress("fe80::1"))
        #expect(IPAddress("0.0.0.0")?.isUnspecified == true)
        #expect(IPAddress("::")?.isUnspecified == true)
        #expect(IPAddress("0.0.0.1")?.isUnspecified == false)
    }
}
