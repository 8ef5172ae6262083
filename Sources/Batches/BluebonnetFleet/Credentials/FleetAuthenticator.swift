// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation
public import FoundationNetworking

/// Shares a credential between all workers of a fleet: the store keeps the credential, and one worker at a time
/// refreshes it.
///
/// ```swift
/// let bearer = BearerAuthenticator(endpoint)
/// let shared = FleetAuthenticator(bearer, store: "postgresql://jobs@db.example.com/jobs", name: "reports")
/// configuration.transferOptions.authenticator = SharedAuthenticator(
///     shared, origins: [URL(string: "https://api.example.com")!])
/// ```
///
/// A worker whose credential expires or was refused first looks for another credential in the store. If the store has
/// no other credential, one worker asks the server, and the other workers wait for the answer. A program sets the
/// first credential with `SharedAuthenticator.setCredential`, which writes it to the store.
///
/// The store keeps the credential unencrypted: every reader of the table `bluebonnet.credentials` can read it.
public struct FleetAuthenticator<Base: Authenticator>: Authenticator where Base.Credential: Codable & Equatable {
    private let base: Base
    private let initial: Base.Credential?
    private let keeper: CredentialKeeper<Base.Credential>

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - base: applies a credential to a request and gets a new credential. It should not store credentials itself:
    ///     use a `BearerAuthenticator` without a file.
    ///   - store: the store, as in `Fleet`.
    ///   - name: the name of the credential in the store.
    ///   - initial: the credential to refresh while the store has no credential. Default nil.
    public init(_ base: Base, store: String, name: String, initial: Base.Credential? = nil) {
        (self.base, self.initial) = (base, initial)
        keeper = CredentialKeeper(CredentialStore(store: store, name: name))
    }

    /// The challenge scheme of the base.
    public var challengeScheme: String? { base.challengeScheme }

    /// Applies a credential to a request, as the base does.
    public func apply(_ credential: Base.Credential, to request: inout URLRequest) {
        base.apply(credential, to: &request)
    }

    /// Returns when a credential expires, as the base does.
    public func expiryDate(of credential: Base.Credential) -> Date? { base.expiryDate(of: credential) }

    /// Whether the base considers an error of a refresh final. Errors of the store are never final.
    public func isFinal(_ error: any Error) -> Bool { !(error is FleetError) && base.isFinal(error) }

    /// Writes the credential to the store, or removes it there. If the store is unreachable, the credential is written
    /// when the store is back, before any refresh, and replaces a credential that another worker has written in the
    /// meantime.
    public func credentialWasSet(_ credential: Base.Credential?) async {
        await base.credentialWasSet(credential)
        await keeper.set(credential)
    }

    /// Returns the store's credential if it differs from `credential` and has not expired; otherwise gets a new
    /// credential. A new credential that cannot be written to the store is used anyway and written later, unless
    /// another worker has written a credential in the meantime: the next refresh returns the other worker's
    /// credential.
    ///
    /// - Throws: `FleetError` if the store cannot be used, and the errors of the base.
    public func refresh(_ credential: Base.Credential?) async throws -> Base.Credential {
        try await keeper.refresh { [base, initial] kept in
            if let kept, kept != credential, base.expiryDate(of: kept).map({ $0 > Date() }) ?? true { return nil }
            return try await base.refresh(kept ?? credential ?? initial)
        }
    }
}
