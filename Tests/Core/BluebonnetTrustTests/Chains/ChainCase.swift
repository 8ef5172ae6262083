// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers

@testable import Bluebonnet

/// Certificates that a server shows, and what is to be said of them: a case in the manner of x509-limbo. The script
/// beside these tests makes all of them at once, without a network.
struct ChainCase: Codable, Sendable {
    enum Expectation: String, Codable, Sendable {
        case success = "SUCCESS"
        case failure = "FAILURE"
    }

    /// The suite's name where the case is that suite's; else one that begins with `own::`.
    let identifier: String
    /// What x509-limbo expects, or RFC 5280.
    let expected: Expectation
    /// In DER.
    let peer: Data
    /// What the server sends besides, in DER.
    let chain: [Data]
    /// What is trusted, in DER.
    let roots: [Data]
    /// What the certificate has to name; nil compares nothing.
    let host: String?
    /// In seconds since 1970; nil is now.
    let moment: Double?

    /// The identifier without its last part.
    var family: String { identifier.components(separatedBy: "::").dropLast().joined(separator: "::") }

    /// Why the chain is refused; nil when it is accepted.
    func refusal() -> NetworkingError? { refusal(ofHost: host) }

    /// Why the chain is refused for another host, or under another policy than one that trusts the roots.
    func refusal(ofHost host: String?, _ policy: SecurityPolicy = .default) -> NetworkingError? {
        do throws(NetworkingError) {
            var policy = policy
            policy.authorities = .data(Data(roots.map(Self.pem).joined().utf8))
            var certificates: [ServerCertificate] = []
            for der in [peer] + chain { certificates.append(try ServerCertificate(der: der)) }
            try policy.evaluate(
                chain: certificates, host: host, at: moment.map { Date(timeIntervalSince1970: $0) } ?? Date())
            return nil
        } catch {
            return error
        }
    }

    private static func pem(_ der: Data) -> String {
        let text = der.base64EncodedString(options: .lineLength64Characters).replacing("\r\n", with: "\n")
        return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    }

    /// All cases, made once.
    static let all = Task { () throws -> [ChainCase] in
        guard let python = TestProgram.python else { throw FixtureError(description: "there is no Python") }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("cases.json")
        let end = try await python.with([pythonFile("chains/make.py"), path]).run()
        guard end.status == 0 else { throw FixtureError(description: end.output) }
        return try JSONDecoder().decode([ChainCase].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
