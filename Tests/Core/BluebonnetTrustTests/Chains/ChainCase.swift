// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers

@testable import Bluebonnet

/// The certificates of a server and the expected verdict, in the style of x509-limbo. A Python script of these tests
/// makes all cases at once, without a network.
struct ChainCase: Codable, Sendable {
    enum Expectation: String, Codable, Sendable {
        case success = "SUCCESS"
        case failure = "FAILURE"
    }

    /// The x509-limbo identifier if the case is from that suite; otherwise an identifier that begins with `own::`.
    let identifier: String
    /// The verdict that x509-limbo or RFC 5280 expects.
    let expected: Expectation
    /// The server's certificate in DER.
    let peer: Data
    /// The other certificates that the server sends, in DER.
    let chain: [Data]
    /// The trusted certificates, in DER.
    let roots: [Data]
    /// The host that the certificate must name; nil compares no name.
    let host: String?
    /// The time of the evaluation in seconds since 1970; nil is now.
    let moment: Double?

    /// The identifier without its last component.
    var family: String { identifier.components(separatedBy: "::").dropLast().joined(separator: "::") }

    /// Why the chain is refused; nil if it is accepted.
    func refusal() -> NetworkingError? { refusal(ofHost: host) }

    /// Why the chain is refused for this host under this policy; nil if it is accepted. The roots replace the
    /// policy's authorities.
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
