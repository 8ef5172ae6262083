// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import Testing

/// A server with a token endpoint. Its tokens expire soon.
private final class TokenServer: Sendable {
    struct State: Sendable {
        /// When each token was issued. The first is token 1.
        var grants: [ContinuousClock.Instant] = []
        /// The refresh tokens that the server received, in order.
        var refreshTokens: [String] = []
        var servedCount = 0
    }

    /// How long a token is valid.
    static let life = Duration.seconds(2)

    let state = Observed(State())

    func answer(_ request: ReceivedRequest) -> Reply {
        request.path == "/token" ? grant(request.bodyText) : serve(request.headers["Authorization"] ?? "")
    }

    private func grant(_ form: String) -> Reply {
        let fields = URLComponents(string: "?" + form)?.queryItems ?? []
        let refreshToken = fields.first { $0.name == "refresh_token" }?.value ?? ""
        let number = state.update { state in
            state.refreshTokens.append(refreshToken)
            state.grants.append(.now)
            return state.grants.count
        }
        let token =
            #"{"access_token":"t\#(number)","token_type":"Bearer","refresh_token":"r\#(number)","expires_in":"#
            + "\(Self.life.components.seconds)}"
        return .response(headers: ["Content-Type": "application/json"], body: token)
    }

    private func serve(_ authorization: String) -> Reply {
        let number = Int(authorization.dropFirst("Bearer t".count)) ?? 0
        let isGood = state.update { state in
            guard state.grants.indices.contains(number - 1), .now - state.grants[number - 1] < Self.life else {
                return false
            }
            state.servedCount += 1
            return true
        }
        let challenge: WireFields = ["WWW-Authenticate": #"Bearer error="invalid_token""#]
        let reply = isGood ? Reply.response(body: "hello") : .response(status: 401, headers: challenge, body: "")
        return Reply([.delay(.milliseconds(100))] + reply.steps)
    }
}

extension ProcessTests {
    /// Workers of a fleet that share a token: `work --oauth`.
    @Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct FleetTokenTests {
        @Test func workersAskTheTokenEndpointOncePerExpiry() async throws {
            let postgres = try await PostgreSQLServer.shared()
            let store = postgres.unixURL(database: try await postgres.createDatabase())
            let tokens = TokenServer()
            try await CommandFixture.with {
                tokens.answer($0)
            } _: { fixture in
                let (base, folder) = (fixture.server.url("/").absoluteString, fixture.folder)
                let settings = try folder.write(
                    "tokens.json",
                    #"{"tokenEndpoint":"\#(base)token","clientID":"c","clientSecret":"s","refreshToken":"r0","#
                        + #""origins":["\#(base)"]}"#)
                chmod(settings, 0o600)
                let lines = try fixture.file((0..<480).map { #"{"id":"\#($0)","url":"\#(base)a\#($0)"}"# })
                let submit = try CommandProcess(["submit", lines, "--name", "n", "--store", store], in: folder)
                #expect(await submit.end().status == 0)
                let words = ["work", "--until-done", "--per-origin", "4", "--store", store, "--oauth", settings]
                let workers = try (0..<2).map { _ in try CommandProcess(words, in: folder) }
                for worker in workers {
                    let end = await worker.end()
                    #expect(end.status == 0, "\(end.errors)")
                }
                let results = try await CommandProcess(["results", "n", "--store", store], in: folder).end()
                #expect(results.status == 0, "every line has succeeded")
                #expect(try results.results.count == 480)
                let state = tokens.state.value
                #expect(state.servedCount == 480)
                #expect(state.grants.count >= 3)
                #expect(state.refreshTokens == state.grants.indices.map { "r\($0)" }, "each was got for the one before")
                // A new token is requested in the last fifth of a token's lifetime, and not by each worker.
                let gaps = zip(state.grants.dropFirst(), state.grants).map { $0 - $1 }
                #expect(gaps.allSatisfy { $0 > TokenServer.life * 3 / 4 }, "\(gaps)")
                // The next worker uses the token in the store.
                let text = try await postgres.query("SELECT credential FROM bluebonnet.credentials", at: store)
                #expect(text.count == 1 && text.first?.first?.contains("\"t\(state.grants.count)\"") == true)
            }
        }
    }
}
