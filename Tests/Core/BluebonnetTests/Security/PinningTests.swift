// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Pins against servers with all kinds of certificates.
    @Suite struct PinningTests {
        enum Pin: CaseIterable { case leaf, intermediate, root, other }

        /// A certificate, and its properties when the test authority is trusted.
        struct Subject: CustomTestStringConvertible {
            let certificate: TestCertificate
            /// The authorities vouch for the certificate, apart from the host.
            var isValid = false
            var namesHost = true
            /// Only its dates are wrong.
            var hasBadDates = false
            /// The pins that a chain of the server's certificates and the pin itself reaches.
            var reaches: Set<Pin> = [.leaf, .root]

            var testDescription: String { certificate.description }
        }

        static let subjects = [
            Subject(certificate: .chained, isValid: true, reaches: [.leaf, .intermediate, .root]),
            Subject(certificate: .expired, hasBadDates: true),
            Subject(certificate: .future, hasBadDates: true),
            Subject(certificate: .selfSigned),
            Subject(certificate: .wrongHost, isValid: true, namesHost: false),
            Subject(certificate: .untrusted),
            Subject(certificate: .incomplete, reaches: [.leaf, .intermediate]),
        ]

        private func pins(_ pin: Pin, of certificate: TestCertificate) throws -> PinSet {
            switch pin {
            case .leaf: try PinSet(certificateData: certificate.der)
            case .intermediate: try PinSet(certificateFiles: [TestCertificate.intermediatePath])
            case .root: try PinSet(certificateFiles: [certificate.caPath])
            case .other: try PinSet(certificateData: TestCertificate.otherKey.der)
            }
        }

        /// AFNetworking's table, with the host checked in every mode.
        private func isTrusted(_ subject: Subject, _ policy: SecurityPolicy, _ pin: Pin?) -> Bool {
            if policy.validatesDomainName && !subject.namesHost { return false }
            if !policy.allowInvalidCertificates && !subject.isValid { return false }
            switch policy.pinningMode {
            case .none: return true
            case .publicKey: return pin.map(subject.reaches.contains) == true
            case .certificate: return pin.map(subject.reaches.contains) == true && !subject.hasBadDates
            }
        }

        /// Every policy that makes sense.
        private func policies(for certificate: TestCertificate) throws -> [(SecurityPolicy, Pin?)] {
            let file = try TestCertificate.localhost.caPath
            var policies: [(SecurityPolicy, Pin?)] = []
            for (invalid, validates) in [(false, false), (false, true), (true, false), (true, true)] {
                for mode in [PinningMode.publicKey, .certificate] {
                    for pin in Pin.allCases {
                        let policy = try SecurityPolicy(
                            pinningMode: mode, pins: pins(pin, of: certificate), allowInvalidCertificates: invalid,
                            validatesDomainName: validates, authorities: .file(file))
                        policies.append((policy, pin))
                    }
                }
                guard !(invalid && validates) else { continue }
                let policy = try SecurityPolicy(
                    allowInvalidCertificates: invalid, validatesDomainName: validates, authorities: .file(file))
                policies.append((policy, nil))
            }
            return policies
        }

        @Test(arguments: subjects) func policiesDecideAsInTheTable(subject: Subject) async throws {
            let server = try await TestServer.start(tls: subject.certificate) { _ in .response(body: "secret") }
            let chain = try subject.certificate.presentedChain
            var accepted = 0
            for (policy, pin) in try policies(for: subject.certificate) {
                let operation = await get(server.url(), TransferOptions { $0.securityPolicy = policy })
                let expected = isTrusted(subject, policy, pin)
                accepted += expected ? 1 : 0
                let words =
                    "\(policy.pinningMode) \(pin.map { "\($0)" } ?? "-") invalid \(policy.allowInvalidCertificates)"
                #expect((operation.error == nil) == expected, "\(words), host \(policy.validatesDomainName)")
                #expect((operation.responseString == "secret") == expected)
                // The same question without a handshake.
                let evaluation = Result { () throws(NetworkingError) in
                    try policy.evaluate(chain: chain, host: "127.0.0.1")
                }
                #expect(evaluation.failure?.code == operation.error?.code, "\(words), evaluated")
                if !expected {
                    #expect(
                        [.serverNotTrusted, .pinMismatch].contains(operation.code),
                        "\(words): \(operation.error?.message ?? "")")
                }
            }
            // A refused server received no byte of a request.
            #expect(server.requests.count == accepted)
            #expect(server.history.unfinishedRequests.isEmpty)
            await server.stop()
        }

        @Test func pinnedKeyIsFoundAnywhereInTheVerifiedChain() async throws {
            let keys = try [TestCertificate.chained, .intermediate, .root].map { certificate in
                PublicKeyPin(publicKeyDER: try certificate.publicKeyDER).description
            }
            let wrong = PublicKeyPin(publicKeyDER: try TestCertificate.otherKey.publicKeyDER).description
            let server = try await TestServer.start(tls: .chained) { _ in .response() }
            for key in keys {
                for pins in [try PinSet(keys: [key]), try PinSet(keys: [wrong], backupKeys: [key])] {
                    #expect(try await get(server.url(), pinning(pins)).error == nil)
                }
            }
            let refused = await get(server.url(), try pinning(try PinSet(keys: [wrong])))
            #expect(refused.code == .pinMismatch)
            #expect(
                refused.error?.message
                    == "certificate for 127.0.0.1 matches none of 1 pinned key (pinning mode publicKey)")
            await server.stop()
        }

        private func pinning(
            _ pins: PinSet, _ mode: PinningMode = .publicKey, invalid: Bool = false,
            authority: TestCertificate = .localhost
        ) throws -> TransferOptions {
            try TransferOptions {
                $0.securityPolicy = try SecurityPolicy(
                    pinningMode: mode, pins: pins, allowInvalidCertificates: invalid,
                    authorities: .file(authority.caPath))
            }
        }

        /// The pinned certificate is public, so anyone can append it. Only a chain that was built and verified
        /// counts.
        @Test(arguments: [TestCertificate.otherKey, .untrusted, .selfSigned], [PinningMode.publicKey, .certificate])
        func appendedPinProvesNothing(evil: TestCertificate, mode: PinningMode) async throws {
            for pinned in [TestCertificate.localhost, .chained, .intermediate] {
                let server = try await TestServer.start(tls: evil.appending(pinned)) { _ in .response() }
                let pins = try PinSet(certificateData: pinned.der)
                for invalid in [false, true] {
                    for authority in [TestCertificate.localhost, evil] {
                        let options = try pinning(pins, mode, invalid: invalid, authority: authority)
                        let operation = await get(server.url(), options)
                        #expect([.pinMismatch, .serverNotTrusted].contains(operation.code))
                        #expect(operation.statusCode == nil)
                    }
                }
                #expect(server.requests.isEmpty)
                await server.stop()
            }
        }

        @Test(arguments: [PinningMode.publicKey, .certificate])
        func pinMismatchSendsNoHeadersOrBody(mode: PinningMode) async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response() }
            let pins = try PinSet(certificateData: TestCertificate.otherKey.der)
            let body = String(repeating: "secret", count: 10_000)
            let request = URLRequest("POST", server.url(), headers: ["X-Secret": "secret"], body: body)
            let operation = await perform(request, try pinning(pins, mode))
            #expect(operation.code == .pinMismatch)
            await server.stop()
            #expect(server.requests.isEmpty && server.history.unfinishedRequests.isEmpty)
            // A handshake and an alert: far less than the body.
            #expect(server.history.connections.map(\.receivedByteCount).allSatisfy { $0 < 4000 })
        }

        @Test(arguments: ["wild.example.com", "a.b.example.com", "example.com", "xexample.com", "wild.example.com."])
        func wildcardMatchesOneLabel(host: String) async throws {
            let certificate = try TestCertificate.issue(
                commonName: "wildcard", alternativeNames: ["DNS:*.example.com"])
            let server = try await TestServer.start(tls: certificate) { _ in .response() }
            var options = try TransferOptions.trustingTestAuthority
            options.addressOverrides = [host: "127.0.0.1"]
            let operation = await get(server.url(host: host), options)
            #expect((operation.error == nil) == host.hasPrefix("wild."))
            await server.stop()
        }

        @Test func partialWildcardMatchesNothing() async throws {
            let certificate = try TestCertificate.issue(
                commonName: "partial", alternativeNames: ["DNS:ap*.example.com", "DNS:127.0.0.1"])
            let server = try await TestServer.start(tls: certificate) { _ in .response() }
            var options = try TransferOptions.trustingTestAuthority
            options.addressOverrides = ["api.example.com": "127.0.0.1"]
            #expect(await get(server.url(host: "api.example.com"), options).code == .serverNotTrusted)
            // An address is not a name: the certificate has to list it as an address.
            #expect(await get(server.url(), options).code == .serverNotTrusted)
            await server.stop()
        }
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension TestCertificate {
    static let root = Authority.root.certificate
    static let intermediate = Authority.intermediate.certificate
}
