// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import RealServers
import Testing

extension FaultTests {
    /// Real servers behind the proxy, with random faults from a list of seeds: success is the right bytes, a failure
    /// says what it was, and the invariants hold. Each case is a process of its own.
    @Suite(.enabled(if: FaultServers.areAvailable)) struct FaultCaseTests {
        /// BLUEBONNET_FAULT_SEEDS is a list of others, divided by commas.
        private static let seeds: [UInt64] =
            ProcessInfo.processInfo.environment["BLUEBONNET_FAULT_SEEDS"].map {
                $0.split(separator: ",").compactMap { UInt64($0) }
            } ?? [1, 2]

        private func expectInvariants(_ kind: FaultServers.Kind, _ seed: UInt64) async throws {
            try await FaultServers.with(kind) { servers in
                let aCase = try servers.faultCase(seed: seed)
                let result = await #expect(
                    processExitsWith: .success, observing: [\.standardErrorContent],
                    "\(kind) with \(FaultSchedule(seed: seed))"
                ) { [aCase = aCase as FaultCase] in
                    alarm(120)  // a process that hangs is killed
                    // Where the test that waits for this process finds them, with what else must not be there.
                    for fault in try await aCase.faults() {
                        FileHandle.standardError.write(Data("\(fault)\n".utf8))
                    }
                }
                let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
                #expect(errors == "", "\(kind) with \(FaultSchedule(seed: seed))")
            }
        }

        @Test(arguments: FaultServers.Kind.allCases, seeds)
        func caseEndsRightOrWithATypedErrorAndLeavesNothing(kind: FaultServers.Kind, seed: UInt64) async throws {
            try await expectInvariants(kind, seed)
        }
    }
}
