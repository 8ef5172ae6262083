// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A server that showed its certificates, for a block that decides on it.
public struct ServerTrustChallenge: Sendable {
    /// The host that was asked for.
    public let host: String
    /// Its port.
    public let port: Int
    /// The certificates as the server presented them, its own first. Nothing is proved about them.
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

/// What to do about a server.
public enum ServerTrustAnswer: Sendable {
    /// Go on with it, whatever the policy says, as long as it shows this very chain; for this operation only.
    case accept
    /// Fail with `serverNotTrusted`.
    case refuse
    /// Do what the policy says.
    case performDefault
}

/// What a block has said about servers so far: a part of the identity that connections are pooled by, so that what it
/// accepted is accepted for nobody else.
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
