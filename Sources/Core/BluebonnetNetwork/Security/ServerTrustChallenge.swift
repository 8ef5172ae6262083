// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The certificates of a server, for a block that decides on the server.
public struct ServerTrustChallenge: Sendable {
    /// The host of the request.
    public let host: String
    /// The port of the request.
    public let port: Int
    /// The certificates as the server presented them, beginning with its own. They are not verified.
    public let presentedChain: [ServerCertificate]
    /// The chain that the policy's decision is based on, from the server's certificate to its anchor; empty without
    /// such a chain.
    public let verifiedChain: [ServerCertificate]
    /// Whether the server's certificate names the host.
    public let namesHost: Bool
    /// Why the operation's policy would refuse the server; nil if it would trust the server.
    public let policyRefusal: NetworkingError?

    /// Whether the operation's policy would trust the server.
    public var isTrustedByPolicy: Bool { policyRefusal == nil }
}

/// The answer of a server trust block.
public enum ServerTrustAnswer: Sendable {
    /// Accepts the server, whatever the policy decides, while it presents exactly this chain; for this operation only.
    case accept
    /// Fails the operation with `serverNotTrusted`.
    case refuse
    /// Follows the policy.
    case performDefault
}

/// The answers of a block so far. Part of the connection pool key, so that a server accepted for one operation is not
/// accepted for another.
package struct TrustAnswers: Sendable, Hashable {
    /// Identifies a server and a chain, by a digest of both.
    package struct Key: Sendable, Hashable {
        private let digest: Data

        package init(host: String, port: Int, chain: [ServerCertificate]) {
            var text = Data("\(host) \(port) \(chain.count)\n".utf8)
            for certificate in chain { text += MessageDigest.bytes(of: certificate.der) }
            digest = MessageDigest.bytes(of: text)
        }
    }

    /// An answer that is remembered for the operation.
    package enum Answer: Sendable, Hashable { case accept, performDefault }

    package var answers: [Key: Answer] = [:]

    package init(answers: [Key: Answer] = [:]) {
        self.answers = answers
    }

    /// The maximum number of calls of the block, for a server that presents a different chain each time.
    package static let limit = 16
}

/// Why a handshake was aborted: a block has to decide first.
package struct ServerTrustQuestion: Error {
    package let challenge: ServerTrustChallenge
    package let key: TrustAnswers.Key
}
