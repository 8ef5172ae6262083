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
    /// The one field that `apply` would set, where that is known without code of the program. Any thread.
    let field: @Sendable () -> HeaderFields.Field?
}

/// An authenticator of the library's, whose credentials are one field each that can be set without a Swift task.
protocol FieldAuthenticator: Authenticator {
    /// The field of a credential; nil when `apply` has to be called. Any thread; it does not block.
    func field(of credential: Credential) -> HeaderFields.Field?
}

extension FieldAuthenticator {
    fileprivate func field(ofAny value: any Sendable) -> HeaderFields.Field? {
        (value as? Credential).flatMap { field(of: $0) }
    }
}

/// An `Authenticator` without the type of its credentials. All members run code of the program.
struct AnyAuthenticator: Sendable {
    let challengeScheme: String?
    /// How a credential is used.
    struct Use: Sendable {
        let expiry: Date?
        let apply: @Sendable (inout URLRequest) -> Void
        let field: @Sendable () -> HeaderFields.Field?
    }

    /// Nil for a credential of another type.
    let use: @Sendable (any Sendable) -> Use?
    let refresh: @Sendable ((any Sendable)?) async throws -> any Sendable
    let isFinal: @Sendable (any Error) -> Bool
    /// Tells of a credential that the program has set.
    let tell: @Sendable ((any Sendable)?) async -> Void

    init<Kind: Authenticator>(_ authenticator: Kind) {
        challengeScheme = authenticator.challengeScheme
        let fields = authenticator as? any FieldAuthenticator
        use = { value in
            guard let credential = value as? Kind.Credential else { return nil }
            return Use(
                expiry: authenticator.expiryDate(of: credential), apply: { authenticator.apply(credential, to: &$0) },
                field: { fields?.field(ofAny: value) })
        }
        refresh = { try await authenticator.refresh($0 as? Kind.Credential) }
        isFinal = { authenticator.isFinal($0) }
        tell = { await authenticator.credentialWasSet($0 as? Kind.Credential) }
    }
}
