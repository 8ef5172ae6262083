// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct ReachabilityTargetTests {
    @Test func zeroAddressMeansTheWholeNetwork() throws {
        for text in ["0.0.0.0", "::"] {
            #expect(ReachabilityTarget(address: try #require(IPAddress(text))) == .any)
            #expect(ReachabilityTarget(host: text) == .any)
        }
    }

    @Test func hostThatIsAnAddressIsNotLookedUp() throws {
        #expect(ReachabilityTarget(host: "192.0.2.1") == .address(try #require(IPAddress("192.0.2.1"))))
        #expect(ReachabilityTarget(host: "[2001:db8::1]") == .address(try #require(IPAddress("2001:db8::1"))))
        #expect(ReachabilityTarget(host: "example.com") == .domain("example.com"))
    }

    @Test func wholeNetworkIsCheckedOverBothProtocols() {
        #expect(ReachabilityTarget.any.knownAddresses?.map(\.isIPv6) == [false, true])
        #expect(ReachabilityTarget.domain("example.com").knownAddresses == nil)
    }
}
