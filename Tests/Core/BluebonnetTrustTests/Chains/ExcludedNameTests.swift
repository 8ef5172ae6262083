// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet

extension CertificateTests {
    /// A certificate for `*.example.com`. The name constraints of its authority exclude `bar.example.com`.
    @Suite(.enabled(if: TestProgram.isPythonAvailable)) struct ExcludedNameTests {
        private func chain() async throws -> ChainCase {
            try #require(try await ChainCase.all.value.first { $0.identifier == "cve::cve-2025-61727" })
        }

        @Test(arguments: ["bar.example.com", "BAR.Example.com", "bar.example.com."])
        func wildcardDoesNotMatchExcludedHost(host: String) async throws {
            let refusal = try await chain().refusal(ofHost: host)
            #expect(refusal?.code == .serverNotTrusted)
            #expect(refusal?.message.contains("excluded subtree violation") == true, "\(refusal?.message ?? "")")
        }

        @Test(arguments: ["foo.example.com", "rebar.example.com", nil])
        func wildcardMatchesOtherHosts(host: String?) async throws {
            #expect(try await chain().refusal(ofHost: host) == nil)
        }

        @Test func exclusionIsIgnoredWithoutHostNameValidation() async throws {
            let policy = try SecurityPolicy(validatesDomainName: false)
            #expect(try await chain().refusal(ofHost: "bar.example.com", policy) == nil)
        }

        @Test(arguments: [PinningMode.publicKey, .certificate], [false, true])
        func pinDoesNotOverrideExclusion(mode: PinningMode, invalid: Bool) async throws {
            let chain = try await chain()
            for der in chain.chain + chain.roots {
                let pins = PinSet(certificates: [try ServerCertificate(der: der)])
                let policy = try SecurityPolicy(pinningMode: mode, pins: pins, allowInvalidCertificates: invalid)
                #expect(chain.refusal(ofHost: "bar.example.com", policy) != nil)
                #expect(chain.refusal(ofHost: "foo.example.com", policy) == nil)
            }
        }
    }
}
