// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// A kind of credential: how a request carries it, and how a new one is obtained. A program implements this protocol
/// for a custom scheme; `BearerAuthenticator` implements OAuth 2. A `SharedAuthenticator` stores the credential, and
/// decides when a new one is needed.
///
/// ```swift
/// struct KeyAuthenticator: Authenticator {
///     let vault: Vault
///
///     func apply(_ key: String, to request: inout URLRequest) {
///         request.setValue(key, forHTTPHeaderField: "X-Api-Key")
///     }
///
///     func refresh(_ key: String?) async throws -> String { try await vault.newKey(replacing: key) }
/// }
/// ```
///
/// No member is called on the network thread.
public protocol Authenticator: Sendable {
    /// The credential that is applied to requests. Its description should not contain secrets, because a program may
    /// log it.
    associatedtype Credential: Sendable

    /// The scheme in the `WWW-Authenticate` field of a 401 after which the credential is refreshed, compared without
    /// regard to case. Nil: any 401, for servers that send no such field. Default `Bearer`.
    var challengeScheme: String? { get }

    /// Sets the header fields by which a request carries a credential. Called for each transfer, on a Swift task, after
    /// the request adapters. Any other change of the request fails its operation with `invalidRequest`, because logs
    /// would show a URL that contains a credential.
    ///
    /// The operation also fails if a field contains a control character, or if no field is set: Foundation silently
    /// drops a field that contains a line break. Nothing is sent in these cases.
    func apply(_ credential: Credential, to request: inout URLRequest)

    /// Obtains a new credential. Called on a Swift task; one `SharedAuthenticator` never calls it twice at the same
    /// time.
    ///
    /// A request that this function sends must not use an operation with the calling `SharedAuthenticator`: that
    /// operation would wait for this refresh.
    ///
    /// The task is cancelled if the program sets another credential in the meantime, or if the refresh takes longer
    /// than the `SharedAuthenticator` allows. Another refresh begins only after this function has returned.
    ///
    /// - Parameter credential: the credential that expires or was refused; nil before the first one.
    /// - Throws: any error; it becomes the `underlying` error of each waiting operation.
    func refresh(_ credential: Credential?) async throws -> Credential

    /// Called after the program has set another credential with `SharedAuthenticator.setCredential`, or has removed it.
    /// An authenticator that stores credentials outside of the process then stores this one instead. Called on a Swift
    /// task, soon after the change and in the order of the changes, never during a refresh; the next refresh waits for
    /// it. Default: does nothing.
    ///
    /// - Parameter credential: the new credential; nil if it was removed.
    func credentialWasSet(_ credential: Credential?) async

    /// Returns when a credential expires, by the clock of this machine; nil if that is not known. Default nil.
    func expiryDate(of credential: Credential) -> Date?

    /// Whether an error of `refresh` will recur until the program sets another credential. Default false: another
    /// refresh is tried later.
    func isFinal(_ error: any Error) -> Bool
}

extension Authenticator {
    public var challengeScheme: String? { "Bearer" }

    public func expiryDate(of credential: Credential) -> Date? { nil }

    public func credentialWasSet(_ credential: Credential?) async {}

    public func isFinal(_ error: any Error) -> Bool { false }
}
