// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
package import FoundationNetworking

/// A type-erased credential, as requests use it.
package struct CurrentCredential: Sendable {
    package let generation: Int
    package let value: any Sendable
    /// Runs code of the program. Not on the network thread.
    package let apply: @Sendable (inout URLRequest) -> Void
    /// Returns the only field that `apply` would set, if it is known without running code of the program. Any thread.
    package let field: @Sendable () -> HeaderFields.Field?
}

/// An authenticator of the library whose credentials are one header field each, which can be set without a Swift task.
package protocol FieldAuthenticator: Authenticator {
    /// Returns the field of a credential; nil if `apply` has to be called. Any thread; does not block.
    func field(of credential: Credential) -> HeaderFields.Field?
}

extension FieldAuthenticator {
    fileprivate func field(ofAny value: any Sendable) -> HeaderFields.Field? {
        (value as? Credential).flatMap { field(of: $0) }
    }
}

/// A type-erased `Authenticator`. All members run code of the program.
package struct AnyAuthenticator: Sendable {
    let challengeScheme: String?
    /// The properties and functions of one credential.
    struct Use: Sendable {
        let expiry: Date?
        let apply: @Sendable (inout URLRequest) -> Void
        let field: @Sendable () -> HeaderFields.Field?
    }

    /// Returns nil for a credential of another type.
    let use: @Sendable (any Sendable) -> Use?
    let refresh: @Sendable ((any Sendable)?) async throws -> any Sendable
    let isFinal: @Sendable (any Error) -> Bool
    /// Reports a credential that the program has set.
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
