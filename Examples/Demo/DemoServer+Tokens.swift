// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import FlyingFox
import Foundation

/// A token endpoint (RFC 6749) with tokens that expire soon, and readings that require a token and are rate-limited.
extension DemoServer {
    static func readings(_ office: TokenOffice = TokenOffice()) -> [Route] {
        [
            Route("POST /token") { request in
                let body = String(decoding: try await request.bodyData, as: UTF8.self)
                let client = "Basic " + Data("readings:demo".utf8).base64EncodedString()
                guard request.headers[.authorization] == client else {
                    return .json(#"{"error":"invalid_client"}"#, status: .unauthorized)
                }
                guard body == "grant_type=refresh_token&refresh_token=demo-refresh" else {
                    return .json(#"{"error":"invalid_grant"}"#, status: .badRequest)
                }
                let token = await office.issue()
                return .json(
                    #"{"access_token":"\#(token)","token_type":"Bearer","expires_in":\#(Int(TokenOffice.life))}"#)
            },
            Route("GET /readings/:number") { request in
                let field = request.headers[.authorization] ?? ""
                guard field.hasPrefix("Bearer "), await office.accepts(String(field.dropFirst("Bearer ".count))) else {
                    var response = HTTPResponse.json(#"{"error":"the token has expired"}"#, status: .unauthorized)
                    response.headers[HTTPHeader("WWW-Authenticate")] = #"Bearer error="invalid_token""#
                    return response
                }
                guard await office.hasRoom() else {
                    let status = HTTPStatusCode.tooManyRequests
                    var response = HTTPResponse.json(#"{"error":"slow down"}"#, status: status)
                    response.headers[HTTPHeader("Retry-After")] = "1"
                    return response
                }
                let number = request.path.dropFirst("/readings/".count)
                return .json(["reading": String(number), "token": String(field.suffix(2))])
            },
        ]
    }
}

/// Issues tokens and counts requests.
actor TokenOffice {
    /// The lifetime of a token, in seconds.
    static let life: TimeInterval = 1
    private static let requestsPerSecond = 100

    private var ends: [String: Date] = [:]
    private var second = 0
    private var requestCount = 0

    func issue() -> String {
        let token = "demo-access-\(10 + ends.count)"
        ends[token] = Date() + Self.life
        return token
    }

    func accepts(_ token: String) -> Bool { ends[token].map { $0 > Date() } ?? false }

    /// Returns whether the limit of this second allows another request.
    func hasRoom() -> Bool {
        let now = Int(Date().timeIntervalSince1970)
        if now != second { (second, requestCount) = (now, 0) }
        requestCount += 1
        return requestCount <= Self.requestsPerSecond
    }
}
