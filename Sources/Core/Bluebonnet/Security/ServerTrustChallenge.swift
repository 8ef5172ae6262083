// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A server's certificates, for a block that decides about the server.
public struct ServerTrustChallenge: Sendable {
    /// The host of the request.
    public let host: String
    /// The port of the request.
    public let port: Int
    /// The certificates as the server presented them, its own first. They are not verified.
    public let presentedChain: [ServerCertificate]
    /// The chain that the policy's decision rests on, from the server's certificate to its anchor; empty when there is
    /// none.
    public let verifiedChain: [ServerCertificate]
    /// Whether the server's certificate names the host.
    public let namesHost: Bool
    /// Why the operation's policy would refuse the server; nil when it would trust it.
    public let policyRefusal: NetworkingError?

    /// Whether the operation's policy would trust the server.
    public var isTrustedByPolicy: Bool { policyRefusal == nil }
}

/// The answer of a server trust block.
public enum ServerTrustAnswer: Sendable {
    /// Accepts the server, whatever the policy says, while it presents exactly this chain; for this operation only.
    case accept
    /// Fails the operation with `serverNotTrusted`.
    case refuse
    /// Follows the policy.
    case performDefault
}

/// The answers of a block about servers so far. A part of the connection pool key, so that an accepted server is
/// accepted for no other operation.
struct TrustAnswers: Sendable, Hashable {
    /// A chain of one server, by a digest of both.
    struct Key: Sendable, Hashable {
        private let digest: Data

        init(host: String, port: Int, chain: [ServerCertificate]) {
            var text = Data("\(host) \(port) \(chain.count)\n".utf8)
            for certificate in chain { text += MessageDigest.bytes(of: certificate.der) }
            digest = MessageDigest.bytes(of: text)
        }
    }

    enum Answer: Sendable, Hashable { case accept, performDefault }

    var answers: [Key: Answer] = [:]

    /// A server that shows another chain each time is asked about no more than this.
    static let limit = 16
}

/// Why a handshake was broken off: a block has to decide first.
struct ServerTrustQuestion: Error {
    let challenge: ServerTrustChallenge
    let key: TrustAnswers.Key
}
