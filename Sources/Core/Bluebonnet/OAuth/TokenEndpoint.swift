// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking

/// The endpoint at which a client gets new access tokens for refresh tokens (RFC 6749, 6), and the client's identity
/// there. The description does not contain the secret.
///
/// Use an https URL: client secret, refresh token and access token are sent over the connection.
public struct TokenEndpoint: Sendable, Hashable {
    /// How a client with a secret authenticates (RFC 6749, 2.3.1).
    public enum ClientAuthentication: Sendable, Hashable {
        /// With an `Authorization` field of the Basic scheme.
        case basic
        /// With `client_id` and `client_secret` in the body.
        case body
    }

    /// The URL of the endpoint.
    public var url: URL
    /// The client's identifier.
    public var clientID: String
    /// The client's secret; nil for a public client, which sends `client_id` in the body.
    public var clientSecret: String?
    /// How the secret is sent. Default `basic`.
    public var clientAuthentication: ClientAuthentication
    /// The requested scope, which must not exceed the granted scope. Default nil: the granted scope.
    public var scope: String?

    /// Creates an endpoint.
    public init(
        _ url: URL, clientID: String, clientSecret: String? = nil,
        clientAuthentication: ClientAuthentication = .basic, scope: String? = nil
    ) {
        (self.url, self.clientID, self.clientSecret) = (url, clientID, clientSecret)
        (self.clientAuthentication, self.scope) = (clientAuthentication, scope)
    }
}

extension TokenEndpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// URL and client, without the secret.
    public var description: String { "<TokenEndpoint: \(Redaction.url(url.absoluteString)), client \(clientID)>" }

    public var debugDescription: String { description }

    /// A mirror without the secret, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["url": url, "clientID": clientID]) }
}

// MARK: - The request

extension TokenEndpoint {
    /// Returns the request for a new access token.
    func request(refreshToken: String) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        var fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
        if let scope { fields.append(("scope", scope)) }
        switch (clientSecret, clientAuthentication) {
        case (let secret?, .basic):
            let pair = Self.escaped(clientID) + ":" + Self.escaped(secret)
            let value = "Basic " + Data(pair.utf8).base64EncodedString()
            request.setValue(value, forHTTPHeaderField: "Authorization")
        case (let secret?, .body): fields += [("client_id", clientID), ("client_secret", secret)]
        case (nil, _): fields.append(("client_id", clientID))
        }
        request.httpBody = Data(fields.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&").utf8)
        return request
    }

    /// Escapes a text as in a form (RFC 6749, B): a secret with `/` is escaped too.
    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            case UInt8(ascii: " "): "+"
            default: (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

// MARK: - The response

extension TokenEndpoint {
    /// Returns the token in a response. Values that the response omits stay unchanged: a refresh token that is not
    /// replaced is used again. A response with an error contains no token, whatever its status.
    ///
    /// - Parameter date: when the request was sent. The lifetime of the token counts from then, so that it does not end
    ///   too late.
    func token(status: Int, body: Data, replacing old: BearerToken, at date: Date) throws -> BearerToken {
        func unusable(_ text: String) -> TokenError { TokenError(.unusableResponse, text, statusCode: status) }
        guard let answer = try? JSONValue(parsing: body) else { throw unusable("the body is not JSON") }
        let refreshToken = answer["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let accessToken = answer["access_token"]?.string
        let secrets = HiddenSecrets([
            old.refreshToken, old.accessToken, refreshToken, accessToken, clientSecret, answer["id_token"]?.string,
        ])
        if let error = Self.error(status: status, answer, secrets) { throw error }
        guard (200...299).contains(status) else { throw unusable("the body has no error code") }
        guard let accessToken, !accessToken.isEmpty else { throw unusable("the body has no access_token") }
        if let type = answer["token_type"]?.string, type.lowercased() != "bearer" {
            throw unusable("the token_type is \(RequestCheck.shown(secrets.hidden(in: type))), not Bearer")
        }
        let texts = [accessToken, refreshToken].compactMap(\.self)
        guard texts.allSatisfy({ !$0.utf8.contains(where: FieldSyntax.isForbiddenInValue) }) else {
            throw unusable("a token contains a control character")
        }
        return BearerToken(
            accessToken, refreshToken: refreshToken ?? old.refreshToken,
            expiryDate: Self.life(answer["expires_in"]).map { date + $0 }, scope: answer["scope"]?.string ?? old.scope)
    }

    /// Parses a lifetime in seconds, with or without a fraction; some servers write the number as a string.
    private static func life(_ value: JSONValue?) -> TimeInterval? {
        let text = value?.string?.trimmingCharacters(in: .whitespaces)
        let seconds = value?.number ?? text.flatMap(TimeInterval.init)
        return seconds.flatMap { $0.isFinite && $0 >= 0 ? min($0, 1e10) : nil }
    }

    /// Returns the error in a response; nil without an error.
    private static func error(status: Int, _ answer: JSONValue, _ secrets: HiddenSecrets) -> TokenError? {
        guard let code = answer["error"]?.string, !code.isEmpty, code.utf8.count < 100,
            !code.utf8.contains(where: FieldSyntax.isForbiddenInValue), secrets.hidden(in: code) == code
        else { return nil }
        func text(_ name: String) -> String? {
            answer[name]?.string.map { RequestCheck.shown(secrets.hidden(in: $0), limit: 300) }
        }
        return TokenError(
            TokenError.Code(rawValue: code), text("error_description"), page: text("error_uri"), statusCode: status)
    }
}
