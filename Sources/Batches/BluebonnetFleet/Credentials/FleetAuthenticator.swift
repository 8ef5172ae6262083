// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation
public import FoundationNetworking

/// Credentials that all workers of a fleet share: they are kept in the store, and one worker at a time gets a new one.
///
/// ```swift
/// let bearer = BearerAuthenticator(endpoint)
/// let shared = FleetAuthenticator(bearer, store: "postgresql://jobs@db.example.com/jobs", name: "reports")
/// configuration.transferOptions.authenticator = SharedAuthenticator(
///     shared, origins: [URL(string: "https://api.example.com")!])
/// ```
///
/// A worker whose credential expires, or was refused, looks first whether the store has another one; only when it has
/// none is the server asked, by one worker, and the others wait for that. The first credential is the one that a
/// program sets with `SharedAuthenticator.setCredential`: it goes to the store.
///
/// The store has the credential as it is: whoever reads the table `bluebonnet.credentials` reads it.
public struct FleetAuthenticator<Base: Authenticator>: Authenticator where Base.Credential: Codable & Equatable {
    private let base: Base
    private let initial: Base.Credential?
    private let keeper: CredentialKeeper<Base.Credential>

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - base: how a request carries a credential, and how a new one is got. It should keep none itself: a
    ///     `BearerAuthenticator` without a file.
    ///   - store: the store, as `Fleet` has it.
    ///   - name: the name of the credential in the store.
    ///   - initial: what is refreshed when the store has no credential yet. Default nil.
    public init(_ base: Base, store: String, name: String, initial: Base.Credential? = nil) {
        (self.base, self.initial) = (base, initial)
        keeper = CredentialKeeper(CredentialStore(store: store, name: name))
    }

    /// That of the base.
    public var challengeScheme: String? { base.challengeScheme }

    /// Puts a credential into a request, as the base does.
    public func apply(_ credential: Base.Credential, to request: inout URLRequest) {
        base.apply(credential, to: &request)
    }

    /// When a credential expires, as the base says.
    public func expiryDate(of credential: Base.Credential) -> Date? { base.expiryDate(of: credential) }

    /// Whether an error of a refresh is lasting, as the base says; one of the store is not.
    public func isFinal(_ error: any Error) -> Bool { !(error is FleetError) && base.isFinal(error) }

    /// Writes the credential to the store, or removes it there. A store that is away gets it when it is back, before
    /// any refresh, whatever other workers have put there meanwhile.
    public func credentialWasSet(_ credential: Base.Credential?) async {
        await base.credentialWasSet(credential)
        await keeper.set(credential)
    }

    /// Takes the credential of the store, when that is another one and has not expired, or gets a new one. A new one
    /// that cannot be written to the store is used all the same, and is written later, unless another worker has put
    /// one there in the meantime: that one is taken at the next refresh.
    ///
    /// - Throws: `FleetError` when the store cannot be used, and what the base throws.
    public func refresh(_ credential: Base.Credential?) async throws -> Base.Credential {
        try await keeper.refresh { [base, initial] kept in
            if let kept, kept != credential, base.expiryDate(of: kept).map({ $0 > Date() }) ?? true { return nil }
            return try await base.refresh(kept ?? credential ?? initial)
        }
    }
}
