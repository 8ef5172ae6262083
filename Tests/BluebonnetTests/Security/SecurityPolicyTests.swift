// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestServer
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

    @Test func remainingCombinationsArePolicies() throws {
        let open = try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false)
        #expect(open.allowInvalidCertificates && !open.validatesDomainName)
        let anyHost = try SecurityPolicy(validatesDomainName: false)
        #expect(!anyHost.allowInvalidCertificates && !anyHost.validatesDomainName)
        let ownStore = try SecurityPolicy(certificateAuthorityFile: "/ca.pem")
        #expect(ownStore.validatesDomainName)
        #expect(ownStore.certificateAuthorityFile == "/ca.pem")
    }

    @Test func pinsAndModesThatContradictEachOtherAreRefused() throws {
        let keys = try PinSet(keys: ["sha256/" + Data(count: 32).base64EncodedString()])
        let certificates = try PinSet(certificateData: TestCertificate.localhost.der)
        let contradictions: [() throws -> SecurityPolicy] = [
            { try SecurityPolicy(pins: keys) }, { try SecurityPolicy(pinningMode: .publicKey) },
            { try SecurityPolicy(pinningMode: .certificate) },
            { try SecurityPolicy(pinningMode: .certificate, pins: keys) },
            { try SecurityPolicy(pinningMode: .certificate, pins: certificates.union(keys)) },
            { try SecurityPolicy(pins: certificates, allowInvalidCertificates: true, validatesDomainName: false) },
        ]
        for contradiction in contradictions {
            let error = #expect(throws: NetworkingError.self) { _ = try contradiction() }
            #expect(error?.code == .invalidSecurityPolicy)
        }
        for invalid in [false, true] {
            let pinned = try SecurityPolicy(
                pinningMode: .publicKey, pins: certificates.union(keys), allowInvalidCertificates: invalid)
            #expect(pinned.validatesDomainName && pinned.pins.count == 2)
        }
        #expect(throws: NetworkingError.self) { try ReportOnlyPins(.empty, expires: .distantFuture) }
    }

    @Test func pinsThatNothingIsComparedWithAreCountedInWords() throws {
        let one = try PinSet(keys: ["sha256/" + Data(count: 32).base64EncodedString()])
        let two = try one.union(PinSet(keys: ["sha256/" + Data(repeating: 1, count: 32).base64EncodedString()]))
        let alone = #expect(throws: NetworkingError.self) { try SecurityPolicy(pins: one) }
        #expect(alone?.message.hasPrefix("1 pin is set, but nothing is compared with it: ") == true)
        let both = #expect(throws: NetworkingError.self) { try SecurityPolicy(pins: two) }
        #expect(both?.message.hasPrefix("2 pins are set, but nothing is compared with them: ") == true)
    }

    @Test func policiesThatDifferInAnythingAreNotEqual() throws {
        let policies: Set = [
            .default, try SecurityPolicy(validatesDomainName: false),
            try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false),
            try SecurityPolicy(certificateAuthorityFile: "/a"), try SecurityPolicy(certificateAuthorityFile: "/b"),
            try SecurityPolicy(pinningMode: .publicKey, pins: key(1)),
            try SecurityPolicy(pinningMode: .publicKey, pins: key(2)),
            try SecurityPolicy(reportOnlyPins: ReportOnlyPins(key(1), expires: .distantPast)),
            try SecurityPolicy(reportOnlyPins: ReportOnlyPins(key(1), expires: .distantFuture)),
            SecurityPolicy(table: try SecurityPolicyTable(["h": .default], otherHosts: .refuse)),
            SecurityPolicy(table: try SecurityPolicyTable(["h": .default], otherHosts: .use(.default))),
        ]
        #expect(policies.count == 11)
    }

    private func key(_ byte: UInt8) throws -> PinSet {
        try PinSet(keys: ["sha256/" + Data(repeating: byte, count: 32).base64EncodedString()])
    }
}
