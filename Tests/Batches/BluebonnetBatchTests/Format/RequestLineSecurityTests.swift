// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct RequestLineSecurityTests {
    private typealias Security = RequestLine.Security

    private func apply(
        _ members: String, over batch: TransferOptions = TransferOptions()
    ) throws -> TransferOptions {
        let line = #"{"url":"https://h/","security":{\#(members)}}"#
        let parsed = try #require(try RequestLineParser().parse(line: Data(line.utf8), number: 1))
        var options = batch
        try parsed.line.security?.apply(to: &options)
        return options
    }

    @Test func securityFieldsHaveTheirMeaning() throws {
        let pin = try TestCertificate.localhost.leafPath
        let options = try apply(
            #"""
            "mode":"publicKey","pins":["\#(pin)"],"ca":"/ca.pem","allowInvalidCertificates":true,"validatesHost":false,
            "clientCertificate":"/c.pem","clientKey":"/k.pem"
            """#.replacingOccurrences(of: "\n", with: ""))
        let policy = options.securityPolicy
        #expect(policy.pinningMode == .publicKey)
        #expect(try policy.pins == PinSet(certificateData: TestCertificate.localhost.der))
        #expect(policy.authorities == .file("/ca.pem"))
        #expect(policy.allowInvalidCertificates && !policy.validatesDomainName)
        #expect(options.tls.clientIdentity == .files(certificate: "/c.pem", key: "/k.pem"))
    }

    @Test func omittedFieldComesFromTheBatch() throws {
        var batch = TransferOptions()
        batch.securityPolicy = try SecurityPolicy(validatesDomainName: false, authorities: .file("/batch.pem"))
        #expect(try apply("", over: batch).securityPolicy == batch.securityPolicy)
        let changed = try apply(#""clientCertificate":"/c.pem""#, over: batch)
        #expect(changed.securityPolicy == batch.securityPolicy)
        let own = try apply(#""ca":"/own.pem""#, over: batch).securityPolicy
        #expect(own.authorities == .file("/own.pem") && !own.validatesDomainName)
    }

    @Test func hostPoliciesKeepTheirPinsAndUseTheLineOptions() throws {
        let pins = try PinSet(certificateData: TestCertificate.localhost.der)
        var batch = TransferOptions()
        batch.securityPolicy = .trustingNobody
        batch.securityPolicy.hosts = try SecurityPolicyTable([
            "api.example.com": try SecurityPolicy(pinningMode: .publicKey, pins: pins)
        ])
        let same = try apply(#""validatesHost":true"#, over: batch).securityPolicy
        #expect(same == batch.securityPolicy)
        let own = try apply(#""ca":"/own.pem""#, over: batch).securityPolicy
        let pinned = try #require(own.policy(forHost: "api.example.com"))
        #expect(pinned.pins == pins && pinned.pinningMode == .publicKey && pinned.authorities == .file("/own.pem"))
    }

    @Test func lineAuthoritiesReplaceTheBatchAuthorities() throws {
        var batch = TransferOptions()
        batch.securityPolicy.authorities = .directory("/authorities")
        let options = try apply(#""ca":"/own.pem""#, over: batch)
        #expect(options.securityPolicy.authorities == .file("/own.pem"))
        let other = try apply(#""validatesHost":false"#, over: batch).securityPolicy
        #expect(other.authorities == .directory("/authorities") && !other.validatesDomainName)
    }

    @Test(
        arguments: [
            (#""clientKey":"/k.pem""#, "security.clientKey"),
            (#""clientCertificate":"""#, "security.clientCertificate"),
            (#""ca":"""#, "security.ca"), (#""mode":"certificate","pins":[""]"#, "security.pins[0]"),
            (#""mode":"certificate","pins":["/nowhere.pem"]"#, "/nowhere.pem"),
            (#""mode":"certificate""#, "certificate"),
            (#""allowInvalidCertificates":true"#, "invalid certificates"),
        ])
    func unusableFieldIsNamed(members: String, name: String) throws {
        let error = try #require(throws: NetworkingError.self) { try apply(members) }
        #expect(error.code == .invalidSecurityPolicy)
        #expect(error.message.contains(name), "\(error.message)")
    }

    @Test func pinsWithoutAModeAreRefused() throws {
        let pin = try TestCertificate.localhost.leafPath
        #expect(throws: NetworkingError.self) { try apply(#""pins":["\#(pin)"]"#) }
        #expect(throws: NetworkingError.self) { try apply(#""mode":"none","pins":["\#(pin)"]"#) }
    }
}
