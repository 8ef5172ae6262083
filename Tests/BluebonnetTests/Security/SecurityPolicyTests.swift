// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SecurityPolicyTests {
    @Test func theDefaultTrustsTheSystemsStoreAndChecksTheHost() throws {
        let policy = SecurityPolicy.default
        #expect(!policy.allowInvalidCertificates)
        #expect(policy.validatesDomainName)
        #expect(policy.certificateAuthorityFile == nil)
        #expect(try policy == SecurityPolicy())
    }

    @Test func acceptingInvalidCertificatesWhileCheckingTheHostIsAContradiction() {
        let error = #expect(throws: NetworkingError.self) { try SecurityPolicy(allowInvalidCertificates: true) }
        #expect(error?.code == .invalidSecurityPolicy)
        #expect(error?.message.contains("host") == true)
        let withFile = #expect(throws: NetworkingError.self) {
            try SecurityPolicy(
                allowInvalidCertificates: true, validatesDomainName: true, certificateAuthorityFile: "/ca.pem")
        }
        #expect(withFile?.code == .invalidSecurityPolicy)
    }

    @Test func everyOtherCombinationIsAPolicy() throws {
        let open = try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false)
        #expect(open.allowInvalidCertificates && !open.validatesDomainName)
        let anyHost = try SecurityPolicy(validatesDomainName: false)
        #expect(!anyHost.allowInvalidCertificates && !anyHost.validatesDomainName)
        let ownStore = try SecurityPolicy(certificateAuthorityFile: "/ca.pem")
        #expect(ownStore.validatesDomainName)
        #expect(ownStore.certificateAuthorityFile == "/ca.pem")
    }

    @Test func policiesThatDifferInAnythingAreNotEqual() throws {
        let policies: Set = [
            .default, try SecurityPolicy(validatesDomainName: false),
            try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false),
            try SecurityPolicy(certificateAuthorityFile: "/a"), try SecurityPolicy(certificateAuthorityFile: "/b"),
        ]
        #expect(policies.count == 5)
    }
}
