// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension CertificateTests {
    /// The hosts of badssl.com, rebuilt locally: row D2 of the reliability rules.
    @Suite(.enabled(if: OpenSSLServer.isAvailable)) struct BadSSLTests {
        @Test(arguments: BadSSLHost.all.filter { $0.kind != nil })
        func requestToHostEndsAsListed(host: BadSSLHost) async throws {
            try await host.kind?.connect()
        }

        @Test func tableListsHostsOnceAndExplainsDifferences() {
            for host in BadSSLHost.all { print(host.row) }
            for judgement in BadSSLHost.Judgement.allCases {
                print(judgement.rawValue, BadSSLHost.all.count { $0.judgement == judgement })
            }
            let names = BadSSLHost.all.flatMap(\.names)
            #expect(Set(names).count == names.count - 1)  // one host is listed twice, with different options
            #expect(BadSSLHost.all.allSatisfy { $0.judgement == .agrees || !$0.remark.isEmpty })
        }

        @Test func pageContainsBadSSLTable() throws {
            let lines = try page("CertificateCases").components(separatedBy: "\n")
            let rows = lines.drop { $0 != "## The hosts of badssl.com" }.drop { !$0.hasPrefix("|---") }.dropFirst()
                .prefix { $0.hasPrefix("|") }
            #expect(Array(rows) == BadSSLHost.all.map(\.row))
        }

        /// Authorities whose private keys are public.
        @Test func systemStoreHasNoAuthorityWithKnownPrivateKey() throws {
            let file = try #require(try TrustedAuthorities.system.files().first)
            let names = try ServerCertificate.certificates(in: Data(contentsOf: URL(fileURLWithPath: file))).map(
                \.subject)
            #expect(names.count > 50)
            for known in ["Superfish", "eDellRoot", "DSDTestProvider", "preact", "webpack"] {
                #expect(names.filter { $0.localizedCaseInsensitiveContains(known) } == [])
            }
        }
    }
}
