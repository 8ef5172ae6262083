// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct SilentConnectionsTests {
    private static let second: UInt64 = 1_000_000_000

    /// The state after a request that waited for two seconds and reached a time limit at the instant of 100 s.
    private func connections(dataAge: UInt64) -> SilentConnections {
        var connections = SilentConnections()
        connections.record(5, waited: 2 * Self.second, dataAge: dataAge, now: 100 * Self.second)
        return connections
    }

    @Test func connectionWithoutBytesDuringWaitIsSilent() {
        var connections = connections(dataAge: 3 * Self.second)
        let (next, now) = (3 * Self.second, 100 * Self.second)
        let isSilent = connections.confirmSilent(5, dataAge: next, now: now)
        #expect(isSilent)
        let isOtherSilent = connections.confirmSilent(6, dataAge: next, now: now)
        #expect(!isOtherSilent)
    }

    @Test func connectionServingOtherRequestsIsNotSilent() {
        #expect(connections(dataAge: Self.second).isEmpty)
    }

    @Test func silentConnectionIsTrustedAgainWhenBytesCome() {
        var connections = connections(dataAge: 3 * Self.second)
        let (silent, came) = (103 * Self.second, 104 * Self.second)
        let isSilent = connections.confirmSilent(5, dataAge: 6 * Self.second, now: silent)
        #expect(isSilent)
        let isStillSilent = connections.confirmSilent(5, dataAge: Self.second, now: came)
        #expect(!isStillSilent)
        #expect(connections.isEmpty)
    }

    @Test func closedSocketIsForgotten() {
        var connections = connections(dataAge: 3 * Self.second)
        connections.forget(5)
        #expect(connections.isEmpty)
    }
}
