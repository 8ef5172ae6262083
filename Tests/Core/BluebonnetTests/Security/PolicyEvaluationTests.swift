// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Policies that evaluate certificates from a program. `PinningTests` compares the results with the results of
/// handshakes.
@Suite(.timeLimit(.minutes(2))) struct PolicyEvaluationTests {
    private func policy(_ change: (inout SecurityPolicy) throws -> Void = { _ in }) throws -> SecurityPolicy {
        var policy = SecurityPolicy.default
        policy.authorities = .file(try TestCertificate.localhost.caPath)
        try change(&policy)
        return policy
    }

    private func code(
        _ policy: SecurityPolicy, _ certificate: TestCertificate, host: String? = "127.0.0.1", at moment: Date = Date()
    ) throws -> NetworkingError.Code? {
        let chain = try certificate.presentedChain
        do throws(NetworkingError) {
            try policy.evaluate(chain: chain, host: host, at: moment)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func trustedChainIsReturnedUpToItsAnchor() throws {
        let chain = try policy().evaluate(chain: TestCertificate.chained.presentedChain, host: "127.0.0.1")
        let wanted = [TestCertificate.chained, .intermediate, .root]
        #expect(try chain.map(\.der) == wanted.map { try $0.der })
    }

    @Test func hostMattersOnlyIfValidated() throws {
        #expect(try code(policy(), .chained) == nil)
        #expect(try code(policy(), .chained, host: "other.example") == .serverNotTrusted)
        #expect(try code(policy(), .chained, host: nil) == nil)
        #expect(try code(policy { $0.validatesDomainName = false }, .chained, host: "other.example") == nil)
    }

    @Test func datesAreCheckedAtTheGivenMoment() throws {
        let valid = try #require(try TestCertificate.chained.presentedChain.first)
        #expect(try code(policy(), .chained, at: valid.validUntil + 1) == .serverNotTrusted)
        let expired = try #require(try TestCertificate.expired.presentedChain.first)
        #expect(try code(policy(), .expired) == .serverNotTrusted)
        let pinned = try policy {
            ($0.pinningMode, $0.allowInvalidCertificates) = (.certificate, true)
            $0.pins = PinSet(certificates: [expired])
        }
        #expect(try code(pinned, .expired) == .serverNotTrusted)
        #expect(try code(pinned, .expired, at: expired.validUntil - 1) == nil)
    }

    @Test func unrepresentableMomentIsOutsideAllDates() throws {
        for seconds in [Double.infinity, -.infinity, 1e300] {
            #expect(try code(policy(), .chained, at: Date(timeIntervalSince1970: seconds)) == .serverNotTrusted)
        }
    }

    @Test func errorGivesTheReason() throws {
        let mismatch = #expect(throws: NetworkingError.self) {
            let pins = try PinSet(certificateData: TestCertificate.otherKey.der)
            try policy { ($0.pinningMode, $0.pins) = (.publicKey, pins) }
                .evaluate(chain: TestCertificate.chained.presentedChain, host: "127.0.0.1")
        }
        #expect(mismatch?.code == .pinMismatch)
        #expect(mismatch?.message.hasPrefix("certificate for 127.0.0.1 matches none of 1 pinned key") == true)
        let untrusted = #expect(throws: NetworkingError.self) {
            try policy().evaluate(chain: TestCertificate.untrusted.presentedChain, host: "127.0.0.1")
        }
        #expect(untrusted?.code == .serverNotTrusted)
        #expect((untrusted?.underlying as? LibraryError)?.library == "OpenSSL")
    }

    @Test func policyOfTheHostDecides() throws {
        var table = SecurityPolicy.trustingNobody
        table.hosts = try SecurityPolicyTable(["127.0.0.1": policy()])
        #expect(try code(table, .chained) == nil)
        #expect(try code(table, .chained, host: "localhost") == .serverNotTrusted)
    }

    @Test func unusablePolicyOrChainIsAnError() throws {
        #expect(try code(policy { $0.allowInvalidCertificates = true }, .chained) == .invalidSecurityPolicy)
        #expect(try code(policy { $0.authorities = .file("/nowhere") }, .chained) == .invalidSecurityPolicy)
        let error = #expect(throws: NetworkingError.self) { try policy().evaluate(chain: [], host: "h") }
        #expect(error?.message == "h presented no certificate")
    }

    @Test func certificatesAreReadFromPEMAndDER() throws {
        let pem = try Data(contentsOf: URL(fileURLWithPath: TestCertificate.chained.certificatePath))
        #expect(try ServerCertificate.certificates(in: pem).count == 2)
        #expect(try ServerCertificate.certificates(in: TestCertificate.chained.der).count == 1)
        for bytes in ["", "text", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            #expect(throws: NetworkingError.self) { try ServerCertificate.certificates(in: Data(bytes.utf8)) }
        }
    }
}

extension TestCertificate {
    /// The chain that a server with this certificate presents.
    var presentedChain: [ServerCertificate] {
        get throws {
            try ServerCertificate.certificates(in: Data(contentsOf: URL(fileURLWithPath: certificatePath)))
        }
    }
}

extension NetworkTests {
    /// The evaluation of a policy, compared with a handshake under that policy.
    @Suite struct EvaluationAndHandshakeTests {
        private static let kinds: [TestCertificate] = [
            .ecdsa384, .rsa, .rsa4096, .sha384, .noCommonName, .noSubject, .negativeSerialNumber,
            .zeroSerialNumber, .serverPurpose, .clientPurpose, .authorityUsage, .unknownExtension,
            .unknownCriticalExtension, .wrongIssuerKey, .belowTwo, .belowTheLast, .belowExpired, .belowExpiredRoot,
            .ofImpostor, .ofAnyImpostor, .ofServer, .ofNoAuthority, .ofVersionOne, .ofClientsOnly, .ofSHA1, .ofShortKey,
            .commonNameOnly, .addressOnly, .addressAsName, .constraintKept, .constraintViolated, .wrongHost,
        ]

        /// A kind cannot be compared if the server's own library does not accept it, or if the handshake fails for
        /// another reason than trust.
        @Test func evaluationMatchesTheHandshakeForEveryCertificate() async throws {
            let options = try TransferOptions.trustingTestAuthority
            var compared: [Bool] = []
            for certificate in Self.kinds {
                let chain = try certificate.presentedChain
                guard let server = try? await TestServer.start(tls: certificate, { _ in .response() }) else { continue }
                let operation = await get(server.url(), options)
                await server.stop()
                guard operation.code != .secureConnectionFailed else { continue }
                var code: NetworkingError.Code?
                do throws(NetworkingError) {
                    try options.securityPolicy.evaluate(chain: chain, host: "127.0.0.1")
                } catch {
                    code = error.code
                }
                #expect(code == operation.code, "\(certificate)")
                compared.append(code == nil)
            }
            #expect(compared.count { $0 } > 10 && compared.count { !$0 } > 10)
        }
    }

    /// A contradictory policy of a manager, an operation and a proxy.
    @Suite struct ContradictoryPolicyTests {
        @Test(arguments: [false, true])
        func operationWithAContradictoryPolicySendsNothing(isSecure: Bool) async throws {
            let server = try await TestServer.start(tls: isSecure ? .localhost : nil) { _ in .response() }
            let manager = RequestOperationManager()
            manager.securityPolicy.allowInvalidCertificates = true
            let operation = await manager.operation(with: URLRequest(url: server.url())).run()
            #expect(operation.code == .invalidSecurityPolicy)
            #expect(operation.error?.message.contains("accepting invalid certificates contradicts") == true)
            let own = RequestOperation(request: URLRequest(url: server.url()))
            own.securityPolicy.pinningMode = .publicKey
            #expect(await own.run().code == .invalidSecurityPolicy)
            var proxied = TransferOptions()
            proxied.proxy = try Proxy("http://127.0.0.1:\(server.port)")
            proxied.proxy?.securityPolicy.allowInvalidCertificates = true
            #expect(await get(server.url(), proxied).code == .invalidSecurityPolicy)
            #expect(server.connectionCount == 0)
            await server.stop()
        }
    }
}
