// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// Encoding and decoding of policies.
@Suite(.timeLimit(.minutes(1))) struct PolicyCodingTests {
    private func sent(_ policy: SecurityPolicy) throws -> SecurityPolicy {
        try JSONDecoder().decode(SecurityPolicy.self, from: JSONEncoder().encode(policy))
    }

    private func decoded(_ text: String) throws -> SecurityPolicy {
        try JSONDecoder().decode(SecurityPolicy.self, from: Data(text.utf8))
    }

    private static func key(_ byte: UInt8) -> String {
        "sha256/" + Data(repeating: byte, count: 32).base64EncodedString()
    }

    @Test func everyPropertyIsEncodedAndDecoded() throws {
        let pins = try PinSet(certificateData: TestCertificate.localhost.der)
            .union(PinSet(keys: [Self.key(1)], backupKeys: [Self.key(2)]))
        let pinned = try SecurityPolicy(
            pinningMode: .publicKey, pins: pins, allowInvalidCertificates: true, validatesDomainName: false,
            reportOnlyPins: ReportOnlyPins(pins, expires: Date(timeIntervalSince1970: 2_000_000_000)))
        var policies = [SecurityPolicy.default, .trustingNobody, pinned]
        for authorities in [TrustedAuthorities.file("/ca"), .directory("/cas"), .data(Data([1, 2]))] {
            policies.append(try SecurityPolicy(authorities: authorities))
        }
        policies.append(try SecurityPolicy(hosts: SecurityPolicyTable(["h": pinned, "*.h": .trustingNobody])))
        for policy in policies { #expect(try sent(policy) == policy) }
    }

    @Test func missingPropertiesHaveTheirDefaults() throws {
        #expect(try decoded("{}") == .default)
        #expect(try !decoded(#"{"validatesDomainName":false}"#).validatesDomainName)
    }

    @Test func contradictionIsDecodedAndReportedByValidation() throws {
        let policy = try decoded(#"{"allowInvalidCertificates":true}"#)
        #expect(throws: NetworkingError.self) { try policy.validate() }
    }

    @Test(
        arguments: [
            #"{"pins":{"keys":["sha256/short"]}}"#, #"{"pins":{"certificates":["AAAA"]}}"#,
            #"{"reportOnlyPins":{"pins":{},"expires":0}}"#, #"{"hosts":{"*":{}}}"#,
            #"{"hosts":{"h":{"allowInvalidCertificates":true}}}"#, #"{"hosts":{"h":{"hosts":{"g":{}}}}}"#,
            #"{"pinningMode":"keys"}"#,
        ])
    func invalidPartIsNotDecoded(text: String) {
        #expect(throws: DecodingError.self) { try decoded(text) }
    }
}
