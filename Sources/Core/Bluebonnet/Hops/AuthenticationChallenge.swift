// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// A server's authentication challenge (RFC 9110, 11.3), for a challenge block.
public struct AuthenticationChallenge: Sendable {
    /// `NSURLAuthenticationMethodHTTPBasic` or `NSURLAuthenticationMethodHTTPDigest`.
    public let method: String
    /// The challenge's realm; empty if the server names no realm.
    public let realm: String
    /// `http` or `https`.
    public let scheme: String
    /// The host of the server.
    public let host: String
    /// The port of the server.
    public let port: Int
    /// The number of credentials that the origin has refused in this operation: 0 or 1.
    public let previousFailureCount: Int
    /// The 401 response with the challenge.
    public let response: HTTPURLResponse?

    init(_ challenge: HTTPChallenge, of origin: Origin, previousFailureCount: Int, response: HTTPURLResponse?) {
        method =
            challenge.scheme == "basic" ? NSURLAuthenticationMethodHTTPBasic : NSURLAuthenticationMethodHTTPDigest
        realm = challenge.parameters["realm"] ?? ""
        scheme = origin.scheme
        host = origin.host
        port = origin.port
        self.previousFailureCount = previousFailureCount
        self.response = response
    }

    /// The challenge's protection space, for Foundation's credential storage.
    public var protectionSpace: URLProtectionSpace {
        URLProtectionSpace(
            host: host, port: port, protocol: scheme, realm: realm.isEmpty ? nil : realm, authenticationMethod: method)
    }

    /// The credential that the shared credential storage has for the challenge. Foundation on Linux finds a protection
    /// space only by object identity, so the property compares the contents of the spaces.
    var storedCredential: URLCredential? {
        let storage = URLCredentialStorage.shared
        let found = storage.allCredentials.first { matches($0.key) }
        return found.flatMap { storage.defaultCredential(for: $0.key) ?? $0.value.values.first }
    }

    private func matches(_ space: URLProtectionSpace) -> Bool {
        space.host.lowercased() == host && space.port == port && space.protocol?.lowercased() == scheme
            && (space.realm ?? "") == realm && !space.isProxy()
            && [method, NSURLAuthenticationMethodDefault].contains(space.authenticationMethod)
    }
}

/// The answer of a challenge block.
public enum ChallengeAnswer: Sendable {
    /// Sends the request again with this credential. If the credential cannot be sent (a colon in a user name for
    /// Basic), the 401 is the response.
    case useCredential(URLCredential)
    /// Fails the operation with `authenticationRequired`.
    case cancel
    /// Uses the operation's `credential`, or else the credential of the shared storage, once, as without a block. After
    /// that the 401 is the response.
    case performDefault
}
