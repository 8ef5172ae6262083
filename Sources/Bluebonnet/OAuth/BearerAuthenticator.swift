// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Bearer tokens (RFC 6750) that are refreshed at an OAuth 2 token endpoint (RFC 6749, 6), and may be kept in a file.
///
/// ```swift
/// let endpoint = TokenEndpoint(
///     URL(string: "https://login.example.com/token")!, clientID: "reports", clientSecret: secret)
/// let bearer = BearerAuthenticator(endpoint, file: TokenFile("/var/lib/reports/token"))
/// manager.authenticator = SharedAuthenticator(bearer, origins: [URL(string: "https://api.example.com")!])
/// ```
///
/// A refresh is one request, without redirects and retries, on connections and slots that no operation of the program
/// holds. A server that refuses a refresh token is not asked again until the program sets another credential.
///
/// With a file, the token is read from it where there is none yet. A refresh locks the file, reads it again, and asks
/// the server only when no other process has a newer token there; then it replaces the file. A token that cannot be
/// written fails the refresh, because the server may have revoked the one in the file.
public struct BearerAuthenticator: Authenticator {
    /// Where tokens are refreshed.
    public let endpoint: TokenEndpoint
    /// Where the token is kept; nil when it is kept in memory only.
    public let file: TokenFile?
    private let options: ResolvedOptions
    private let services: NetworkServices
    private let date: @Sendable () -> Date

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - endpoint: where tokens are refreshed.
    ///   - file: where the token is kept. Default nil: in memory only.
    ///   - transferOptions: trust, proxy and limits of the request to the endpoint. Its authenticator and its request
    ///     adapters are not used, it follows no redirect, and its time is limited to 30 s unless there is another total
    ///     limit.
    public init(
        _ endpoint: TokenEndpoint, file: TokenFile? = nil, transferOptions: TransferOptions = TransferOptions()
    ) {
        let services = NetworkServices(limit: 4, limitPerOrigin: 4)
        self.init(endpoint, file: file, transferOptions, services: services, date: { Date() })
    }

    init(
        _ endpoint: TokenEndpoint, file: TokenFile?, _ given: TransferOptions, services: NetworkServices,
        date: @escaping @Sendable () -> Date
    ) {
        var options = given
        (options.authenticator, options.requestAdapters) = (nil, [])
        (options.retryPolicy, options.maximumRedirectCount, options.responseCache) = (nil, 0, nil)
        options.timeouts.total = options.timeouts.total ?? .seconds(30)
        (self.endpoint, self.file, self.services, self.date) = (endpoint, file, services, date)
        self.options = ResolvedOptions(options)
    }

    public func apply(_ token: BearerToken, to request: inout URLRequest) {
        request.setValue("Bearer \(token.accessToken)", forHTTPHeaderField: "Authorization")
    }

    public func expiryDate(of token: BearerToken) -> Date? { token.expiryDate }

    public func isFinal(_ error: any Error) -> Bool { (error as? TokenError)?.isFinal == true }

    /// Gets a new token.
    ///
    /// - Throws: `TokenError` when the endpoint gave none; the `NetworkingError` of the request to it, or of the file.
    public func refresh(_ token: BearerToken?) async throws -> BearerToken {
        guard let file else { return try await requested(replacing: token) }
        let lock = try await file.lock()
        defer { withExtendedLifetime(lock) {} }
        let kept = try file.read()
        if let kept, kept.accessToken != token?.accessToken, kept.expiryDate.map({ $0 > date() }) ?? true {
            return kept
        }
        do {
            let new = try await requested(replacing: kept ?? token)
            try file.write(new)
            return new
        } catch let error as TokenError where error.code == .invalidGrant {
            // A program that takes no lock may have used the refresh token up, and written its successor.
            guard let other = try file.read(), other != kept, other.accessToken != token?.accessToken else {
                throw error
            }
            return other
        }
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
            // Without the request: its header fields and its body have secrets in them.
            throw NetworkingError(
                error.code, "no answer of the token endpoint: \(error.message)", underlying: error.underlying)
        }
        let body = operation.responseData ?? Data()
        return try TokenEndpoint.token(status: operation.statusCode ?? 0, body: body, replacing: token, at: sent)
    }
}
