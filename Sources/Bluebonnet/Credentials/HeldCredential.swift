// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// A credential as requests use it, without its type.
struct HeldCredential: Sendable {
    let generation: Int
    let value: any Sendable
    /// Runs code of the program: not on the network thread.
    let apply: @Sendable (inout URLRequest) -> Void
}

/// An `Authenticator` without the type of its credentials. All members run code of the program.
struct AnyAuthenticator: Sendable {
    let challengeScheme: String?
    /// A credential's expiry, and how it is applied; nil for a credential of another type.
    let use: @Sendable (any Sendable) -> (expiry: Date?, apply: @Sendable (inout URLRequest) -> Void)?
    let refresh: @Sendable ((any Sendable)?) async throws -> any Sendable
    let isFinal: @Sendable (any Error) -> Bool
    /// Tells of a credential that the program has set.
    let tell: @Sendable ((any Sendable)?) async -> Void

    init<Kind: Authenticator>(_ authenticator: Kind) {
        challengeScheme = authenticator.challengeScheme
        use = { value in
            guard let credential = value as? Kind.Credential else { return nil }
            return (authenticator.expiryDate(of: credential), { authenticator.apply(credential, to: &$0) })
        }
        refresh = { try await authenticator.refresh($0 as? Kind.Credential) }
        isFinal = { authenticator.isFinal($0) }
        tell = { await authenticator.credentialWasSet($0 as? Kind.Credential) }
    }
}
