// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking

@testable import Bluebonnet

/// An authenticator for tests: its tokens are strings, and its refreshes are counted.
struct ScriptedAuthenticator: Authenticator {
    struct Token: Sendable, Equatable {
        var text: String
        var expiry: Date?
    }

    struct Refusal: Error, CustomStringConvertible {
        var isFinal = false
        var description: String { "no more tokens" }
    }

    var challengeScheme: String? = "Bearer"
    /// The tokens that were to be replaced.
    let replaced = Observed([String?]())
    /// The tokens that the program set, in order; nil where it removed one.
    let told = Observed([String?]())
    /// Makes a token for the refresh with this number, from 1.
    let makeToken: @Sendable (Int) async throws -> Token

    init(challengeScheme: String? = "Bearer", _ makeToken: @escaping @Sendable (Int) async throws -> Token) {
        (self.challengeScheme, self.makeToken) = (challengeScheme, makeToken)
    }

    func apply(_ token: Token, to request: inout URLRequest) {
        request.setValue("Bearer \(token.text)", forHTTPHeaderField: "Authorization")
    }

    func refresh(_ token: Token?) async throws -> Token {
        let number = replaced.update { replaced in
            replaced.append(token?.text)
            return replaced.count
        }
        return try await makeToken(number)
    }

    func credentialWasSet(_ token: Token?) async { told.append(token?.text) }

    func expiryDate(of token: Token) -> Date? { token.expiry }

    func isFinal(_ error: any Error) -> Bool { (error as? Refusal)?.isFinal == true }
}

extension TransferRequest {
    /// The value of a sent field; nil if the field is absent.
    func field(_ name: String) -> String? { headers.first { FieldSyntax.isSameName($0.name, name) }?.value }
}

extension ScriptedNetwork {
    /// The `Authorization` fields of the requests so far.
    var sentTokens: [String?] { log.requests.map { $0.field("Authorization") } }

    /// Answers requests for a path with 401 unless they carry the token.
    func answer(_ path: String, onlyFor token: String, challenge: String? = "Bearer realm=\"api\"") {
        answer(path) { request in
            if request.field("Authorization") == "Bearer \(token)" { return [.head(200), .body("fine")] }
            return [.head(401, challenge.map { ["WWW-Authenticate": $0] } ?? [:]), .body("who?")]
        }
    }
}
