// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Why a token endpoint returned no token (RFC 6749, 5.2). The description contains no secret.
public struct TokenError: Error, Sendable, Hashable {
    /// The kind of the error, an open set. The raw values are defined by the RFCs, except two values of the library.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A parameter is missing or wrong.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// The client is not known, or its secret is wrong.
        public static let invalidClient = Code(rawValue: "invalid_client")
        /// The refresh token is wrong, has expired, or was revoked: the user has to sign in again.
        public static let invalidGrant = Code(rawValue: "invalid_grant")
        /// The client may not use refresh tokens.
        public static let unauthorizedClient = Code(rawValue: "unauthorized_client")
        /// The server does not know refresh tokens.
        public static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        /// The scope is wrong, or wider than the granted scope.
        public static let invalidScope = Code(rawValue: "invalid_scope")
        /// The server is too busy now (RFC 6749, 4.1.2.1; some servers use the code here too).
        public static let temporarilyUnavailable = Code(rawValue: "temporarily_unavailable")
        /// The server has failed (RFC 6749, 4.1.2.1).
        public static let serverError = Code(rawValue: "server_error")
        /// The client sends requests too often (RFC 8628, 3.5).
        public static let slowDown = Code(rawValue: "slow_down")
        /// There is no refresh token for the request; nothing was sent.
        public static let noRefreshToken = Code(rawValue: "noRefreshToken")
        /// The response does not conform to the RFC.
        public static let unusableResponse = Code(rawValue: "unusableResponse")
    }

    public let code: Code
    /// The server's description (`error_description`), or what is wrong with its response.
    public let message: String?
    /// The page that the server named (`error_uri`).
    public let page: String?
    /// The status of the response; nil without one.
    public let statusCode: Int?

    init(_ code: Code, _ message: String? = nil, page: String? = nil, statusCode: Int? = nil) {
        (self.code, self.message, self.page, self.statusCode) = (code, message, page, statusCode)
    }

    /// Whether the same request would be refused again.
    var isFinal: Bool {
        switch code {
        case .unusableResponse, .temporarilyUnavailable, .serverError, .slowDown: false
        case .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
            .noRefreshToken:
            true
        default: (400...499).contains(statusCode ?? 0) && ![408, 425, 429].contains(statusCode)
        }
    }
}

extension TokenError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    public var description: String {
        let details = [message, page.map { "see \($0)" }].compactMap(\.self)
        let start = code == .noRefreshToken ? code.rawValue : "the token endpoint answered \(code.rawValue)"
        let status = statusCode.map { " (status \($0))" } ?? ""
        return ([start + status] + details).joined(separator: ": ")
    }
}
