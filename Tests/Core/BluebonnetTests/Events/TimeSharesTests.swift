// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct TimeSharesTests {
    @Test(
        arguments: [
            // A new connection over TLS: 10 of look-up, 20 of TCP, 30 of TLS, the first byte after 100, 150 in all.
            (150, 10, 20, 30, 100, [.nameLookup: 10, .connect: 20, .tls: 30, .waiting: 40, .receiving: 50]),
            // A kept connection.
            (50, 0, 0, 0, 20, [.waiting: 20, .receiving: 30]),
            // No byte arrived.
            (70, 10, 20, 0, 0, [.nameLookup: 10, .connect: 20, .waiting: 40]),
            // The measurements exceed the time: a pause is not counted.
            (25, 10, 20, 30, 100, [.nameLookup: 10, .connect: 15]), (40, 0, 0, 0, 100, [.waiting: 40]),
        ] as [(UInt64, UInt64, UInt64, UInt64, UInt64, [TransferTimings.Phase: UInt64])])
    func transferIsDividedAmongPhases(
        elapsed: UInt64, nameLookup: UInt64, connect: UInt64, tls: UInt64, firstByte: UInt64,
        phases: [TransferTimings.Phase: UInt64]
    ) {
        var shares = TimeShares()
        shares.addTransfer(elapsed, nameLookup: nameLookup, connect: connect, tls: tls, firstByte: firstByte)
        #expect(shares.phases == phases)
        #expect(shares.total == elapsed)
    }

    @Test func everyShareCountsOnce() {
        var shares = TimeShares()
        for (index, kind) in WaitReason.Kind.allCases.enumerated() {
            shares.add(UInt64(index + 1), to: .wait(kind))
            shares.add(10, to: .wait(kind))
        }
        for phase in TransferTimings.Phase.allCases { shares.add(100, to: .phase(phase)) }
        let waits = WaitReason.Kind.allCases.enumerated().map { UInt64($0.offset + 11) }.reduce(0, +)
        #expect(shares.waits.count == WaitReason.Kind.allCases.count)
        #expect(shares.total == waits + 100 * UInt64(TransferTimings.Phase.allCases.count))
    }
}
