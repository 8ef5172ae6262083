// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// A challenge that a server answered with (RFC 9110, 11.3), for a challenge block.
public struct AuthenticationChallenge: Sendable {
    /// `NSURLAuthenticationMethodHTTPBasic` or `NSURLAuthenticationMethodHTTPDigest`.
    public let method: String
    /// What the server says that it protects; empty when it does not say.
    public let realm: String
    /// `http` or `https`.
    public let scheme: String
    /// The host that asks.
    public let host: String
    /// The port that asks.
    public let port: Int
    /// How many credentials the origin has refused in this operation: 0 or 1.
    public let previousFailureCount: Int
    /// The 401.
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

    /// The same as Foundation has it, for its credential storage.
    public var protectionSpace: URLProtectionSpace {
        URLProtectionSpace(
            host: host, port: port, protocol: scheme, realm: realm.isEmpty ? nil : realm, authenticationMethod: method)
    }

    /// What the shared credential storage has for it. Foundation on Linux finds a space only by the same object, so it
    /// is looked for by what it says.
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

/// What to do about a challenge.
public enum ChallengeAnswer: Sendable {
    /// Send the request again with this credential. One that cannot be sent (a colon in a user name for Basic) leaves
    /// the 401 as the response.
    case useCredential(URLCredential)
    /// Fail with `authenticationRequired`.
    case cancel
    /// Do what is done without a block: use the operation's `credential`, else the shared credential storage's, once;
    /// then the 401 is the response.
    case performDefault
}
