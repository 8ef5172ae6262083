// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// An access token (RFC 6750), with the data for its renewal. Its description contains no secret.
public struct BearerToken: Sendable, Hashable {
    /// The token that requests carry.
    public var accessToken: String
    /// The token for getting a new access token (RFC 6749, 1.5); nil without one.
    public var refreshToken: String?
    /// When the access token expires, by the clock of this machine; nil if that is not known.
    public var expiryDate: Date?
    /// The scope of the token, as the server reported it; nil if the server did not report it.
    public var scope: String?

    /// Makes a token.
    public init(_ accessToken: String, refreshToken: String? = nil, expiryDate: Date? = nil, scope: String? = nil) {
        (self.accessToken, self.refreshToken) = (accessToken, refreshToken)
        (self.expiryDate, self.scope) = (expiryDate, scope)
    }

    /// Makes a token that expires some time from now.
    public init(_ accessToken: String, refreshToken: String? = nil, expiresIn life: Duration) {
        self.init(accessToken, refreshToken: refreshToken, expiryDate: Date() + life.seconds)
    }
}

/// Encoded with both tokens in plain text: protect the encoded data accordingly.
extension BearerToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiryDate = "expires_at"
        case scope
    }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether there is a refresh token and when the token expires, without the tokens.
    public var description: String {
        let expiry = expiryDate.map { ", expires \($0.ISO8601Format())" } ?? ""
        return "<BearerToken: \(Redaction.placeholder)\(refreshToken == nil ? "" : ", with a refresh token")\(expiry)>"
    }

    public var debugDescription: String { description }

    /// Without the tokens, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["expiryDate": expiryDate as Any]) }
}
