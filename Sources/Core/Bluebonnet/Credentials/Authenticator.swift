// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// A kind of credential: how a request carries one, and how a new one is got. A program implements it for a scheme of
/// its own; `BearerAuthenticator` is the one of OAuth 2. A `SharedAuthenticator` holds the credential, and decides when
/// a new one is needed.
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
    /// What is applied to requests. Its text should not show secrets: a program may log it.
    associatedtype Credential: Sendable

    /// The scheme of the `WWW-Authenticate` field of a 401 after which the credential is refreshed, in any case of
    /// letters. Nil: any 401, for servers that send no such field. Default `Bearer`.
    var challengeScheme: String? { get }

    /// Sets the header fields by which a request carries a credential. Called for each transfer, on a Swift task, after
    /// the request adapters. Any other change of the request fails its operation with `invalidRequest`: a URL with a
    /// credential in it would be shown in logs.
    ///
    /// A field with a control character in it fails the operation too, and so does a credential that sets no field:
    /// Foundation drops a field with a line break without a word. Nothing is sent then.
    func apply(_ credential: Credential, to request: inout URLRequest)

    /// Gets a new credential. Called on a Swift task, never twice at the same time by one `SharedAuthenticator`.
    ///
    /// A request that it sends must not go through an operation with the `SharedAuthenticator` that calls it: that
    /// operation would wait for this one.
    ///
    /// Its task is cancelled when the program sets another credential meanwhile, and when the refresh takes longer than
    /// the `SharedAuthenticator` allows. Another refresh begins only after this function has returned.
    ///
    /// - Parameter credential: the one that expires or was refused; nil when there is none yet.
    /// - Throws: any error; it becomes the `underlying` error of each operation that waits.
    func refresh(_ credential: Credential?) async throws -> Credential

    /// The program has set another credential by `SharedAuthenticator.setCredential`, or has taken it away: an
    /// authenticator that keeps credentials outside of the process keeps this one instead. Called on a Swift task, soon
    /// after that and in the same order, never during a refresh; the next refresh waits for it. Default: does nothing.
    ///
    /// - Parameter credential: the one that was set; nil when it was taken away.
    func credentialWasSet(_ credential: Credential?) async

    /// When a credential expires, by the clock of this machine; nil when that is not known. Default nil.
    func expiryDate(of credential: Credential) -> Date?

    /// Whether an error of `refresh` will come again until the program sets another credential. Default false: another
    /// refresh is tried later.
    func isFinal(_ error: any Error) -> Bool
}

extension Authenticator {
    public var challengeScheme: String? { "Bearer" }

    public func expiryDate(of credential: Credential) -> Date? { nil }

    public func credentialWasSet(_ credential: Credential?) async {}

    public func isFinal(_ error: any Error) -> Bool { false }
}
