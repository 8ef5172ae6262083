// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SecurityPolicyTests {
    @Test func defaultTrustsTheSystemStoreAndChecksTheHost() throws {
        let policy = SecurityPolicy.default
        #expect(!policy.allowInvalidCertificates)
        #expect(policy.validatesDomainName)
        #expect(policy.authorities == .system)
        #expect(try policy == SecurityPolicy())
    }

    @Test func acceptingInvalidCertificatesContradictsHostValidation() {
        let error = #expect(throws: NetworkingError.self) { try SecurityPolicy(allowInvalidCertificates: true) }
        #expect(error?.code == .invalidSecurityPolicy)
        #expect(error?.message.contains("host") == true)
        let withFile = #expect(throws: NetworkingError.self) {
            try SecurityPolicy(
                allowInvalidCertificates: true, validatesDomainName: true, authorities: .file("/ca.pem"))
        }
        #expect(withFile?.code == .invalidSecurityPolicy)
    }

    @Test func remainingCombinationsAreValid() throws {
        let open = try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false)
        #expect(open.allowInvalidCertificates && !open.validatesDomainName)
        let anyHost = try SecurityPolicy(validatesDomainName: false)
        #expect(!anyHost.allowInvalidCertificates && !anyHost.validatesDomainName)
        let ownStore = try SecurityPolicy(authorities: .file("/ca.pem"))
        #expect(ownStore.validatesDomainName)
        #expect(ownStore.authorities == .file("/ca.pem"))
    }

    @Test func contradictoryPinsAndModesAreRefused() throws {
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

    @Test func unusedPinsAreCountedInTheMessage() throws {
        let one = try PinSet(keys: ["sha256/" + Data(count: 32).base64EncodedString()])
        let two = try one.union(PinSet(keys: ["sha256/" + Data(repeating: 1, count: 32).base64EncodedString()]))
        let alone = #expect(throws: NetworkingError.self) { try SecurityPolicy(pins: one) }
        #expect(alone?.message.hasPrefix("1 pin is set, but the mode does not use it: ") == true)
        let both = #expect(throws: NetworkingError.self) { try SecurityPolicy(pins: two) }
        #expect(both?.message.hasPrefix("2 pins are set, but the mode does not use them: ") == true)
    }

    @Test func policiesThatDifferInOnePropertyAreNotEqual() throws {
        let policies: Set = [
            .default, try SecurityPolicy(validatesDomainName: false),
            try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false),
            try SecurityPolicy(authorities: .file("/a")), try SecurityPolicy(authorities: .file("/b")),
            try SecurityPolicy(pinningMode: .publicKey, pins: key(1)),
            try SecurityPolicy(pinningMode: .publicKey, pins: key(2)),
            try SecurityPolicy(reportOnlyPins: ReportOnlyPins(key(1), expires: .distantPast)),
            try SecurityPolicy(reportOnlyPins: ReportOnlyPins(key(1), expires: .distantFuture)),
            try SecurityPolicy(hosts: SecurityPolicyTable(["h": .default])),
            try SecurityPolicy(hosts: SecurityPolicyTable(["h": .trustingNobody])), .trustingNobody,
        ]
        #expect(policies.count == 12)
    }

    @Test func everyPropertyCanBeChangedByItself() throws {
        var policy = SecurityPolicy.default
        policy.validatesDomainName = false
        #expect(try policy == SecurityPolicy(validatesDomainName: false))
        policy.allowInvalidCertificates = true
        try policy.validate()
        (policy.pinningMode, policy.pins) = (.publicKey, try key(1))
        (policy.authorities, policy.validatesDomainName) = (.directory("/ca"), true)
        policy.reportOnlyPins = try ReportOnlyPins(key(2), expires: .distantFuture)
        policy.hosts = try SecurityPolicyTable(["h": .default])
        let whole = try SecurityPolicy(
            pinningMode: .publicKey, pins: key(1), allowInvalidCertificates: true, authorities: .directory("/ca"),
            reportOnlyPins: ReportOnlyPins(key(2), expires: .distantFuture),
            hosts: SecurityPolicyTable(["h": .default]))
        #expect(policy == whole)
        #expect(SecurityPolicy.default.validatesDomainName)
    }

    @Test func validationNamesTheContradiction() throws {
        let changes: [(String, (inout SecurityPolicy) throws -> Void)] = [
            ("accepting invalid certificates contradicts", { $0.allowInvalidCertificates = true }),
            ("the mode certificate needs at least one pin", { $0.pinningMode = .certificate }),
            ("1 pin is set, but the mode does not use it", { $0.pins = try self.key(1) }),
            (
                "digests of keys are pinned, but",
                { ($0.pins, $0.pinningMode) = (try self.key(1), .certificate) }
            ),
            (
                "pins are set, but no authority is trusted",
                { ($0.pins, $0.pinningMode, $0.authorities) = (try self.key(1), .publicKey, .nobody) }
            ),
        ]
        for (sentence, change) in changes {
            var policy = SecurityPolicy.default
            try change(&policy)
            let error = #expect(throws: NetworkingError.self) { try policy.validate() }
            #expect(error?.code == .invalidSecurityPolicy)
            #expect(error?.message.hasPrefix(sentence) == true, "\(error?.message ?? "")")
        }
    }

    private func key(_ byte: UInt8) throws -> PinSet {
        try PinSet(keys: ["sha256/" + Data(repeating: byte, count: 32).base64EncodedString()])
    }
}
