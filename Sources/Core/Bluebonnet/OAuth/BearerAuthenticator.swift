// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Bearer tokens (RFC 6750) that are refreshed at an OAuth 2 token endpoint (RFC 6749, 6), and optionally kept in a
/// file.
///
/// ```swift
/// let endpoint = TokenEndpoint(
///     URL(string: "https://login.example.com/token")!, clientID: "reports", clientSecret: secret)
/// let bearer = BearerAuthenticator(endpoint, file: TokenFile("/var/lib/reports/token"))
/// manager.authenticator = SharedAuthenticator(bearer, origins: [URL(string: "https://api.example.com")!])
/// ```
///
/// A refresh is one request, without redirects and retries, on connections and slots separate from the program's
/// operations. If the server refuses a refresh token, the server is not asked again until the program sets another
/// credential.
///
/// With a file, the token is read from the file if there is no token yet. A refresh locks the file, reads it again, and
/// asks the server only if no other process has stored a newer token; then it replaces the file. A token that the
/// program sets is written to the file. If the program removes the token, the file is removed. If the file cannot be
/// written, the token is kept in memory and used nevertheless: `fileError` has the reason, and writing is tried again
/// at the next refresh, and at a later use.
public struct BearerAuthenticator: Authenticator, FieldAuthenticator {
    /// The endpoint at which tokens are refreshed.
    public let endpoint: TokenEndpoint
    /// The file in which the token is kept; nil if it is kept in memory only.
    public let file: TokenFile?
    private let keeper: TokenKeeper?
    /// The options of the request to the endpoint.
    let options: ResolvedOptions
    private let services: NetworkServices
    private let date: @Sendable () -> Date

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint at which tokens are refreshed.
    ///   - file: the file in which the token is kept. Default nil: in memory only.
    ///   - transferOptions: trust, proxy and limits of the request to the endpoint. Its authenticator, request
    ///     adapters, retry policy and response cache are not used. The request follows no redirect and does not wait
    ///     for connectivity. Its time is limited to 30 s unless there is another total limit above zero.
    ///   - onFileError: called each time the file could not be written, on the task of a refresh or of a request.
    ///     Default nil: only `fileError` reports the error.
    public init(
        _ endpoint: TokenEndpoint, file: TokenFile? = nil, transferOptions: TransferOptions = TransferOptions(),
        onFileError: (@Sendable (NetworkingError) -> Void)? = nil
    ) {
        let services = NetworkServices(limit: 4, limitPerOrigin: 4)
        self.init(
            endpoint, file: file, transferOptions, services: services, date: { Date() }, onFileError: onFileError)
    }

    init(
        _ endpoint: TokenEndpoint, file: TokenFile?, _ given: TransferOptions, services: NetworkServices,
        date: @escaping @Sendable () -> Date, lockTries: Int = 250,
        onFileError: (@Sendable (NetworkingError) -> Void)? = nil
    ) {
        var options = given
        (options.authenticator, options.requestAdapters) = (nil, [])
        (options.retryPolicy, options.maximumRedirectCount, options.responseCache) = (nil, 0, nil)
        options.waitsForConnectivity = false
        if options.timeouts.total ?? .zero == .zero { options.timeouts.total = .seconds(30) }
        keeper = file.map { TokenKeeper($0, date: date, lockTries: lockTries, onError: onFileError) }
        (self.endpoint, self.file, self.services, self.date) = (endpoint, file, services, date)
        self.options = ResolvedOptions(options)
    }

    /// Why the file does not contain the current token; nil if the file contains it, and without a file.
    public var fileError: NetworkingError? { keeper?.error }

    public func apply(_ token: BearerToken, to request: inout URLRequest) {
        keeper?.tryAgain()
        request.setValue("Bearer \(token.accessToken)", forHTTPHeaderField: "Authorization")
    }

    /// Nil while the file waits to be written, and for a token that no field can carry; `apply` is called in these
    /// cases.
    package func field(of token: BearerToken) -> HeaderFields.Field? {
        guard keeper?.hasPending != true, FieldSyntax.forbiddenByte(inValue: token.accessToken.utf8) == nil else {
            return nil
        }
        return HeaderFields.Field(name: "Authorization", value: "Bearer \(token.accessToken)")
    }

    public func expiryDate(of token: BearerToken) -> Date? { token.expiryDate }

    public func isFinal(_ error: any Error) -> Bool { (error as? TokenError)?.isFinal == true }

    /// Writes the token to the file, or removes the file.
    public func credentialWasSet(_ token: BearerToken?) async { await keeper?.change(to: token) }

    /// Returns a new token.
    ///
    /// - Throws: `TokenError` if the endpoint returned no token; the `NetworkingError` of the request to the endpoint;
    ///   the `NetworkingError` of the file, if it cannot be read, or if others hold its lock for more than 25 s.
    public func refresh(_ token: BearerToken?) async throws -> BearerToken {
        guard let keeper else { return try await requested(replacing: token) }
        guard let lock = try await keeper.lock() else {
            guard let kept = try keeper.token(isLocked: false), isBetter(kept, than: token) else {
                throw NetworkingError(.cannotOpenFile, "another process holds the lock of \(keeper.file.path)")
            }
            return kept
        }
        defer { withExtendedLifetime(lock) {} }
        let kept = try keeper.token(isLocked: true)
        if let kept, isBetter(kept, than: token) { return kept }
        do {
            let new = try await requested(replacing: kept ?? token)
            keeper.keep(new, isWritten: !Task.isCancelled)  // otherwise the program may have set another token
            return new
        } catch let error as TokenError where error.code == .invalidGrant {
            // A program that takes no lock may have used the refresh token, and written its successor.
            guard let other = try keeper.token(isLocked: true), other != kept, other.accessToken != token?.accessToken
            else { throw error }
            return other
        }
    }

    /// Returns whether another process has refreshed a token.
    private func isBetter(_ kept: BearerToken, than token: BearerToken?) -> Bool {
        kept.accessToken != token?.accessToken && kept.expiryDate.map { $0 > date() } ?? true
    }

    private func requested(replacing token: BearerToken?) async throws -> BearerToken {
        guard let token, let refreshToken = token.refreshToken else {
            throw TokenError(.noRefreshToken, "sign in, and set a token that has one")
        }
        let sent = date()
        let plan = RequestPlan(endpoint.request(refreshToken: refreshToken), options: options)
        let operation = RequestOperation(plan: plan, services: services)
        operation.start()
        await operation.waitAsOwner()
        if let error = operation.error {
            // Without the request, whose header fields and body contain secrets.
            throw NetworkingError(
                error.code, "no answer from the token endpoint: \(error.message)", underlying: error.underlying)
        }
        let body = operation.responseData ?? Data()
        return try endpoint.token(status: operation.statusCode ?? 0, body: body, replacing: token, at: sent)
    }
}
