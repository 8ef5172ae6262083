// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet

extension CertificateTests {
    /// Chains of all kinds, each evaluated by `SecurityPolicy.evaluate(chain:host:at:)`.
    @Suite(.enabled(if: TestProgram.isPythonAvailable)) struct ChainTests {
        @Test func chainsAreJudgedAsExpectedOrListedAsDifference() async throws {
            let cases = try await ChainCase.all.value
            #expect(cases.count > 600)
            for one in cases {
                let refusal = one.refusal()
                let accepts = (one.expected == .success) != (ChainDifference.of(one) != nil)
                #expect((refusal == nil) == accepts, "\(one.identifier): \(refusal?.message ?? "accepted")")
                #expect(refusal == nil || refusal?.code == .serverNotTrusted || refusal?.code == .invalidSecurityPolicy)
            }
        }

        @Test func everyDifferenceNamesExistingCases() async throws {
            let cases = try await ChainCase.all.value
            for difference in ChainDifference.all {
                let found = cases.filter { difference.identifiers.contains($0.identifier) }
                #expect(found.count == difference.identifiers.count, "\(difference.reason)")
                #expect(Set(found.map(\.expected)).count == 1, "\(difference.reason)")
            }
            let identifiers = ChainDifference.all.flatMap(\.identifiers)
            #expect(Set(identifiers).count == identifiers.count)
        }

        @Test func pageContainsChainCountsAndDifferences() async throws {
            let cases = try await ChainCase.all.value
            let table = ChainTable(cases)
            print((table.families + table.differences).joined(separator: "\n"))
            let lines = try page("CertificateCases").components(separatedBy: "\n")
            #expect(lines.filter { table.families.contains($0) } == table.families)
            #expect(lines.filter { table.differences.contains($0) } == table.differences)
            let part = lines.drop { $0 != "## Chains" }.dropFirst().prefix { !$0.hasPrefix("## ") }
            let rows = part.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| family") && !$0.hasPrefix("| expected") }
            #expect(rows.count == table.families.count + table.differences.count)
        }
    }
}
