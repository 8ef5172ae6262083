// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// The request to a token endpoint, and the meaning of its responses (RFC 6749).
@Suite struct TokenEndpointTests {
    private static let url = URL(string: "https://login.example.com/token?tenant=7") ?? URL(fileURLWithPath: "/")
    private static let old = BearerToken("old-access", refreshToken: "old-refresh", scope: "read")
    private static let endpoint = TokenEndpoint(url, clientID: "app", clientSecret: "client secret/1")
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    private func body(_ request: URLRequest) -> String { String(decoding: request.httpBody ?? Data(), as: UTF8.self) }

    @Test func requestIsAFormWithBasicClientAuthentication() {
        let endpoint = TokenEndpoint(Self.url, clientID: "s6BhdRkqt3", clientSecret: "7Fjfp0ZBr1KtDRbnfVdmIw")
        let request = endpoint.request(refreshToken: "tGzv3JOkF0XG5Qx2TlKWIA")
        #expect(request.httpMethod == "POST" && request.url == Self.url)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        // RFC 6749, 6.
        let field = "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3"
        #expect(request.value(forHTTPHeaderField: "Authorization") == field)
        #expect(body(request) == "grant_type=refresh_token&refresh_token=tGzv3JOkF0XG5Qx2TlKWIA")
    }

    @Test func identifierSecretAndTokenAreFormEncoded() {
        var endpoint = TokenEndpoint(Self.url, clientID: "a:b", clientSecret: "c /+ü", scope: "read write")
        let request = endpoint.request(refreshToken: "x&y=z")
        let pair = Data("a%3Ab:c+%2F%2B%C3%BC".utf8).base64EncodedString()
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Basic \(pair)")
        #expect(body(request) == "grant_type=refresh_token&refresh_token=x%26y%3Dz&scope=read+write")
        endpoint.clientAuthentication = .body
        let other = endpoint.request(refreshToken: "r")
        #expect(other.value(forHTTPHeaderField: "Authorization") == nil)
        #expect(body(other).hasSuffix("&client_id=a%3Ab&client_secret=c+%2F%2B%C3%BC"))
    }

    @Test func publicClientIsNamedInTheBody() {
        let request = TokenEndpoint(Self.url, clientID: "app").request(refreshToken: "r")
        #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
        #expect(body(request) == "grant_type=refresh_token&refresh_token=r&client_id=app")
    }

    @Test(
        arguments: [
            (
                #"{"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r","scope":"s"}"#,
                "a", "r", 3600, "s"
            ),
            (#"{"access_token":"a","token_type":"bearer"}"#, "a", "old-refresh", nil, "read"),
            (#"{"access_token":"a"}"#, "a", "old-refresh", nil, "read"),
            (#"{"access_token":"a","expires_in":"60"}"#, "a", "old-refresh", 60, "read"),
            (#"{"access_token":"a","expires_in":59.5}"#, "a", "old-refresh", 59.5, "read"),
            (#"{"access_token":"a","expires_in":"59.5"}"#, "a", "old-refresh", 59.5, "read"),
            (#"{"access_token":"a","expires_in":" 60 "}"#, "a", "old-refresh", 60, "read"),
            (#"{"access_token":"a","expires_in":"soon"}"#, "a", "old-refresh", nil, "read"),
            (#"{"access_token":"a","refresh_token":""}"#, "a", "old-refresh", nil, "read"),
            (#"{"access_token":"a","error":null}"#, "a", "old-refresh", nil, "read"),
            (#"{"access_token":"a","error":""}"#, "a", "old-refresh", nil, "read"),
            (#"{"access_token":"a","expires_in":0}"#, "a", "old-refresh", 0, "read"),
            (#"{"access_token":"a","expires_in":-5}"#, "a", "old-refresh", nil, "read"),
            (#"{"access_token":"a","expires_in":null}"#, "a", "old-refresh", nil, "read"),
        ] as [(String, String, String?, Double?, String?)])
    func responseIsAToken(text: String, access: String, refresh: String?, life: Double?, scope: String?) throws {
        let token = try Self.endpoint.token(status: 200, body: Data(text.utf8), replacing: Self.old, at: Self.date)
        let expected = BearerToken(
            access, refreshToken: refresh, expiryDate: life.map { Self.date + $0 }, scope: scope)
        #expect(token == expected)
    }

    @Test(
        arguments: [
            (400, #"{"error":"invalid_grant"}"#, "invalid_grant", true),
            (401, #"{"error":"invalid_client","error_description":"who?"}"#, "invalid_client", true),
            (400, #"{"error":"consent_required"}"#, "consent_required", true),
            (429, #"{"error":"slow_down"}"#, "slow_down", false),
            (503, #"{"error":"temporarily_unavailable"}"#, "temporarily_unavailable", false),
            (400, #"{"error":"temporarily_unavailable"}"#, "temporarily_unavailable", false),
            (400, #"{"error":"server_error"}"#, "server_error", false),
            (400, #"{"error":"slow_down"}"#, "slow_down", false),
            (200, #"{"error":"invalid_grant"}"#, "invalid_grant", true),
            (200, #"{"error":"bad_refresh_token","access_token":"a"}"#, "bad_refresh_token", false),
            (400, #"{"error":"old-refresh"}"#, "unusableResponse", false),
            (500, "<html>", "unusableResponse", false), (502, "", "unusableResponse", false),
            (400, #"{"fault":1}"#, "unusableResponse", false), (400, #"{"error":"a\nb"}"#, "unusableResponse", false),
            (200, #"{}"#, "unusableResponse", false), (200, #"{"access_token":""}"#, "unusableResponse", false),
            (200, #"{"access_token":"a","token_type":"mac"}"#, "unusableResponse", false),
            (200, #"{"access_token":"a\r\nX: y"}"#, "unusableResponse", false),
            (200, #"{"access_token":"a","refresh_token":"b\u0000"}"#, "unusableResponse", false),
        ] as [(Int, String, String, Bool)])
    func responseWithoutATokenIsAnError(status: Int, text: String, code: String, isFinal: Bool) {
        let error = #expect(throws: TokenError.self) {
            try Self.endpoint.token(status: status, body: Data(text.utf8), replacing: Self.old, at: Self.date)
        }
        #expect(error?.code.rawValue == code && error?.statusCode == status && error?.isFinal == isFinal)
    }

    @Test func errorQuotesTheServerWithoutTheTokens() {
        let text = #"{"error":"invalid_grant","error_description":"old-refresh\nis used up","error_uri":"https://x/y"}"#
        let error = #expect(throws: TokenError.self) {
            try Self.endpoint.token(status: 400, body: Data(text.utf8), replacing: Self.old, at: Self.date)
        }
        let expected =
            #"the token endpoint answered invalid_grant (status 400): "REDACTED�is used up": see "https://x/y""#
        #expect(error?.description == expected && error?.localizedDescription == expected)
    }

    @Test func errorShowsNoPartOfALongToken() {
        let long = String(repeating: "0123456789abcdef", count: 50)
        let old = BearerToken("\(long)/access", refreshToken: "\(long)+refresh")
        for hidden in ["\(long)/access", "\(long)+refresh", "\(long)%2brefresh"] {
            let start = String(repeating: "x", count: 290)
            let text = #"{"error":"invalid_grant","error_description":"\#(start)\#(hidden)","error_uri":"\#(hidden)"}"#
            let error = #expect(throws: TokenError.self) {
                try Self.endpoint.token(status: 400, body: Data(text.utf8), replacing: old, at: Self.date)
            }
            #expect(error?.message == "\"\(start)REDACTED\"" && error?.page == "\"REDACTED\"")
        }
    }

    @Test(
        arguments: [
            "old-access", "OLD-ACCESS", "new/access", "new%2Faccess", "new%2faccess", "new refresh", "new+refresh",
            "new%20refresh", "client secret/1", "client+secret%2F1", "client%20secret%2F1", "an-id-token",
            "new/access\u{301}",
        ])
    func errorShowsNoSecretInAnyForm(hidden: String) {
        let text = #"""
            {"error":"odd","error_description":"got \#(hidden)!","access_token":"new/access",
            "refresh_token":"new refresh","id_token":"an-id-token"}
            """#
        let error = #expect(throws: TokenError.self) {
            try Self.endpoint.token(status: 400, body: Data(text.utf8), replacing: Self.old, at: Self.date)
        }
        let message = (error?.message ?? "").unicodeScalars.filter { $0 != "\u{301}" }.map(String.init).joined()
        #expect(message == #""got REDACTED!""#)
    }

    @Test func descriptionsOfTokensAndEndpointsShowNoSecret() {
        let token = BearerToken("s3cret", refreshToken: "s3cret2", expiresIn: .seconds(60))
        let endpoint = TokenEndpoint(Self.url, clientID: "app", clientSecret: "s3cret3")
        var dumped = ""
        dump(token, to: &dumped)
        dump(endpoint, to: &dumped)
        let texts = ["\(token)", String(reflecting: token), "\(endpoint)", String(reflecting: endpoint), dumped]
        #expect(!texts.contains { $0.contains("s3cret") }, "\(texts)")
        #expect("\(token)".contains("with a refresh token"))
    }
}
