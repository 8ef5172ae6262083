// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import RealServers
import Testing

extension FaultTests {
    /// Real servers reached through the fault proxy, with random faults from a list of seeds. A successful request
    /// has the right bytes, a failed request has an expected error, and the invariants hold. Each case runs in its
    /// own process.
    @Suite(.enabled(if: FaultServers.areAvailable)) struct FaultCaseTests {
        /// `BLUEBONNET_FAULT_SEEDS` overrides the seeds with a comma-separated list.
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
                    alarm(120)  // kills a hanging process
                    // The parent test expects an empty standard error. Faults are written there, together with any
                    // other output.
                    for fault in try await aCase.faults() {
                        FileHandle.standardError.write(Data("\(fault)\n".utf8))
                    }
                }
                let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
                #expect(errors == "", "\(kind) with \(FaultSchedule(seed: seed))")
            }
        }

        @Test(arguments: FaultServers.Kind.allCases, seeds)
        func faultyConnectionsPreserveInvariants(kind: FaultServers.Kind, seed: UInt64) async throws {
            try await expectInvariants(kind, seed)
        }
    }
}
