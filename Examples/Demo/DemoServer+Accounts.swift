// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import COpenSSL
import FlyingFox
import Foundation

/// Ada's account: a login that returns a token, pages that require the token, and pages with Basic and Digest
/// authentication.
extension DemoServer {
    private static let token = "2f9c-ada"
    private static let user = "ada"
    private static let password = "lovelace"

    static let accounts = [
        Route("POST /login") { request in
            let login = try? Bluebonnet.JSONValue(parsing: try await request.bodyData)
            guard login?["user"]?.string == user, login?["password"]?.string == password else {
                return refusal("Bearer")
            }
            return .json(#"{"token":"\#(token)","user":{"id":42,"roles":["reader","buyer"]}}"#)
        },
        Route("GET /users/42") { request in
            isSignedIn(request) ? .json(#"{"id":42,"name":"Ada Lovelace","newest":[1001,1002]}"#) : refusal("Bearer")
        },
        Route("GET /orders/:number") { request in
            guard isSignedIn(request) else { return refusal("Bearer") }
            guard let number = Int(request.path.dropFirst("/orders/".count)), (1001...1003).contains(number) else {
                return .missing
            }
            return .json(#"{"order":\#(number),"item":\#(number - 1000)}"#)
        },
        Route("POST /orders") { request in
            guard isSignedIn(request) else { return refusal("Bearer") }
            let order = try Bluebonnet.JSONValue(parsing: try await request.bodyData)
            guard let item = order["item"]?.integer, let count = order["count"]?.integer else { return .missing }
            return .json(#"{"order":1003,"item":\#(item),"count":\#(count)}"#, status: .created)
        },
        Route("GET /basic") { request in
            let expected = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
            return request.headers[.authorization] == expected ? welcome : refusal(#"Basic realm="shop""#)
        },
        Route("GET /digest") { request in
            let isRight = DigestCheck(user: user, password: password).accepts(request)
            return isRight ? welcome : refusal(DigestCheck.challenge)
        },
    ]

    private static var welcome: HTTPResponse { .json(#"{"welcome":"ada"}"#) }

    private static func isSignedIn(_ request: FlyingFox.HTTPRequest) -> Bool {
        request.headers[.authorization] == "Bearer \(token)"
    }

    private static func refusal(_ challenge: String) -> HTTPResponse {
        var response = HTTPResponse.json(#"{"error":"sign in first"}"#, status: .unauthorized)
        response.headers[HTTPHeader("WWW-Authenticate")] = challenge
        return response
    }
}

/// Checks a Digest response (RFC 7616) with MD5 and a single nonce, which is sufficient for a demonstration.
private struct DigestCheck {
    static let challenge = #"Digest realm="shop", nonce="\#(nonce)", qop="auth", algorithm=MD5"#
    private static let nonce = "8d1f20"

    let user: String
    let password: String

    func accepts(_ request: FlyingFox.HTTPRequest) -> Bool {
        guard let answer = request.headers[.authorization], answer.hasPrefix("Digest ") else { return false }
        let parameters = Self.parameters(answer.dropFirst("Digest ".count))
        guard parameters["nonce"] == Self.nonce, parameters["uri"] == request.path else { return false }
        let secret = Self.md5("\(user):shop:\(password)")
        let target = Self.md5("\(request.method.rawValue):\(request.path)")
        let middle = ["nonce", "nc", "cnonce", "qop"].map { parameters[$0] ?? "" }.joined(separator: ":")
        return parameters["username"] == user && parameters["response"] == Self.md5("\(secret):\(middle):\(target)")
    }

    private static func parameters(_ text: Substring) -> [String: String] {
        let pairs = text.split(separator: ",").map { part in
            let halves = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: [" ", "\""]) }
            return (halves[0], halves.count > 1 ? halves[1] : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func md5(_ text: String) -> String {
        var digest = [UInt8](repeating: 0, count: 16)
        EVP_Digest(text, text.utf8.count, &digest, nil, EVP_md5(), nil)
        return digest.map { String(format: "%02x", $0) }.joined()
    }
}
