// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct TLSOptionsTests {
    @Test func defaultsMatchTheDesign() {
        let options = TLSOptions()
        #expect(options.minimumVersion == .v12)
        #expect(options.maximumVersion == nil)
        #expect(options.clientIdentity == nil)
        #expect(!options.requiresStapledStatus)
        #expect(options.keyLogFile == nil)
        #expect(options == .default)
        #expect(TransferOptions().tls == .default)
    }

    @Test func versionsHaveTheirNumbersAndNames() {
        // RFC 8446, 4.2.1 and 9.2: 0x0304 is TLS 1.3.
        #expect([TLSProtocolVersion.v10, .v11, .v12, .v13].map(\.rawValue) == [0x0301, 0x0302, 0x0303, 0x0304])
        #expect(TLSProtocolVersion.v13.description == "TLS 1.3")
        #expect(TLSProtocolVersion.v10 < .v11 && TLSProtocolVersion.v12 < .v13)
    }

    @Test func minimumAboveTheMaximumIsRefused() throws {
        let error = try #require(throws: NetworkingError.self) {
            try TLSOptions(minimumVersion: .v13, maximumVersion: .v12)
        }
        #expect(error.code == .invalidSecurityPolicy)
        #expect(error.message.contains("TLS 1.3") && error.message.contains("TLS 1.2"))
        #expect(throws: Never.self) { try TLSOptions(minimumVersion: .v12, maximumVersion: .v12) }
    }

    @Test(arguments: [0, 0x0300, 0x0305, 0xFEFD])
    func unknownVersionIsRefused(number: UInt16) {
        let version = TLSProtocolVersion(rawValue: number)
        #expect(throws: NetworkingError.self) { try TLSOptions(minimumVersion: version) }
        #expect(throws: NetworkingError.self) { try TLSOptions(maximumVersion: version) }
    }

    @Test func ciphersAreKnownByTheirNames() throws {
        let names = ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384"]
        #expect(try TLSOptions(ciphers: names).ciphers == names)
        let suites = ["TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"]
        #expect(try TLSOptions(cipherSuites: suites).cipherSuites == suites)
    }

    @Test(
        arguments: [
            "NO-SUCH-CIPHER", "", "HIGH", "ALL:@SECLEVEL=0", "!aNULL", "TLS_AES_128_GCM_SHA256", "ecdhe-nothing",
            "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256\0",
        ])
    func unknownCipherIsRefusedByName(name: String) throws {
        let error = try #require(throws: NetworkingError.self) {
            try TLSOptions(ciphers: ["ECDHE-ECDSA-AES128-GCM-SHA256", name])
        }
        #expect(error.code == .invalidSecurityPolicy)
        #expect(error.message.contains("\"\(name)\""))
    }

    @Test(arguments: ["TLS_NO_SUCH_SUITE", "", "ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_AES_128_GCM_SHA256:TLS_NONE"])
    func unknownSuiteIsRefusedByName(name: String) throws {
        let error = try #require(throws: NetworkingError.self) { try TLSOptions(cipherSuites: [name]) }
        #expect(error.message.contains("\"\(name)\""))
    }

    @Test func everyOptionChangesThePoolKey() throws {
        let changes: [(inout TLSOptions) throws -> Void] = [
            { $0 = try TLSOptions(minimumVersion: .v13) }, { $0 = try TLSOptions(maximumVersion: .v12) },
            { $0 = try TLSOptions(ciphers: ["ECDHE-ECDSA-AES128-GCM-SHA256"]) },
            { $0 = try TLSOptions(cipherSuites: ["TLS_AES_128_GCM_SHA256"]) },
            { $0.clientIdentity = .files(certificate: "/c.pem") }, { $0.requiresStapledStatus = true },
            { $0.keyLogFile = "/keys" },
        ]
        var identities = Set([TransferOptions().poolKey])
        for change in changes {
            var options = TransferOptions()
            try change(&options.tls)
            identities.insert(options.poolKey)
        }
        #expect(identities.count == changes.count + 1)
    }

    @Test func optionThatContradictsThePolicyIsRefused() throws {
        var options = TLSOptions()
        options.requiresStapledStatus = true
        let lenient = try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false)
        #expect(throws: NetworkingError.self) { try TLSSetupSource(options, lenient) }
        let policy = try SecurityPolicy(authorities: .file("/ca.pem"))
        #expect(try TLSSetupSource(.default, policy).authorities == .file("/ca.pem"))
    }
}
