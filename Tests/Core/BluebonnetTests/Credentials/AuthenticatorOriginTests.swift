// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Where credentials are sent, and where they are not.
@Suite(.timeLimit(.minutes(1))) struct AuthenticatorOriginTests {
    private let network = ScriptedNetwork()

    private func shared(_ origins: [String]) -> SharedAuthenticator {
        SharedAuthenticator(
            ScriptedAuthenticator { _ in .init(text: "new") }, credential: .init(text: "old"),
            origins: origins.compactMap { URL(string: $0) })
    }

    /// Sends a request that is redirected along `hops`. Returns the `Authorization` field of each request.
    private func fields(_ hops: [String], covered: [String]) async -> [String?] {
        for (number, next) in hops.enumerated() { network.answer("/\(number)", with: [.head(307, ["Location": next])]) }
        _ = await network.operation("/0", options: TransferOptions { $0.authenticator = shared(covered) }).run()
        return network.sentTokens
    }

    private static let home = "http://scripted.test"
    private static let token = "Bearer old"

    @Test(
        arguments: [
            (["\(home)/1"], [home], [token, token]),
            (["http://other.test/1"], [home], [token, nil]),
            (["http://scripted.test:81/1"], [home], [token, nil]),
            (["https://scripted.test/1"], [home], [token, nil]),
            (["http://sub.scripted.test/1"], [home], [token, nil]),
            (["http://other.test/1"], [home, "http://other.test"], [token, token]),
            (["http://other.test/1", "\(home)/2"], [home], [token, nil, nil]),
            (["http://other.test/1"], ["http://other.test"], [nil, nil]),
            (["\(home)/1"], ["http://other.test"], [nil, nil]),
        ] as [([String], [String], [String?])])
    func credentialStaysWithItsOrigins(hops: [String], covered: [String], expected: [String?]) async {
        #expect(await fields(hops, covered: covered) == expected)
    }

    @Test func requestWithItsOwnFieldIsLeftAlone() async {
        var request = network.request("/a")
        request.setValue("Basic eDp5", forHTTPHeaderField: "Authorization")
        network.answer("/a", with: [.head(401, ["WWW-Authenticate": "Bearer"])])
        let manager = network.manager()
        manager.authenticator = shared([Self.home])
        let operation = manager.operation(with: request)
        _ = await operation.run()
        #expect(network.sentTokens == ["Basic eDp5"] && operation.statusCode == 401)
    }

    @Test(arguments: ["Authorization", "URL"])
    func requestWithItsOwnCredentialGetsNoneAfterARedirect(place: String) async {
        let url = URL(string: place == "URL" ? "http://me:pass@scripted.test/0" : "http://scripted.test/0")
        var request = URLRequest(url: url ?? ScriptedNetwork.url("/"))
        if place == "Authorization" { request.setValue("Basic eDp5", forHTTPHeaderField: "Authorization") }
        network.answer("/0", with: [.head(307, ["Location": "http://other.test/1"])])
        network.answer("/1", with: [.head(307, ["Location": "\(Self.home)/2"])])
        let manager = network.manager()
        manager.authenticator = shared([Self.home, "http://other.test"])
        _ = await manager.operation(with: request).run()
        #expect(network.log.requests.count == 3)
        #expect(network.sentTokens == [place == "URL" ? nil : "Basic eDp5", nil, nil])
    }

    @Test func adapterCredentialGetsNoReplacementAfterARedirect() async {
        network.answer("/0", with: [.head(307, ["Location": "http://other.test/1"])])
        let options = TransferOptions {
            $0.authenticator = shared([Self.home, "http://other.test"])
            $0.requestAdapters = [.block { $0.setValue("Key k", forHTTPHeaderField: "Authorization") }]
        }
        _ = await network.operation("/0", options: options).run()
        #expect(network.sentTokens == ["Key k", nil])
    }

    @Test func challengeAnswerReplacesTheCredential() async {
        let bearer = ["WWW-Authenticate": "Bearer"]
        network.answer("/0", inTurn: [[.head(401, ["WWW-Authenticate": "Basic realm=\"x\""])], [.head(401, bearer)]])
        let authenticator = ScriptedAuthenticator { _ in .init(text: "new") }
        let options = TransferOptions {
            $0.authenticator = SharedAuthenticator(
                authenticator, credential: .init(text: "old"), origins: [ScriptedNetwork.url("/")])
            $0.credential = URLCredential(user: "x", password: "y", persistence: .none)
        }
        let operation = await network.operation("/0", options: options).run()
        #expect(operation.statusCode == 401 && network.sentTokens == [Self.token, "Basic eDp5"])
        #expect(authenticator.replaced.value.isEmpty)
    }

    @Test func credentialInAnotherFieldIsSentWithAChallengeAnswer() async {
        struct Key: Authenticator {
            func apply(_ key: String, to request: inout URLRequest) {
                request.setValue(key, forHTTPHeaderField: "X-Api-Key")
            }
            func refresh(_ key: String?) async throws -> String { "key" }
        }
        network.answer("/0", inTurn: [[.head(401, ["WWW-Authenticate": "Basic realm=\"x\""])], [.head(200)]])
        let options = TransferOptions {
            $0.authenticator = SharedAuthenticator(Key(), credential: "key", origins: [ScriptedNetwork.url("/")])
            $0.credential = URLCredential(user: "x", password: "y", persistence: .none)
        }
        let operation = await network.operation("/0", options: options).run()
        #expect(operation.error == nil && network.sentTokens == [nil, "Basic eDp5"])
        #expect(network.log.requests.map { $0.field("X-Api-Key") } == ["key", "key"])
    }

    @Test func tokenWithALineEndIsNotSent() async {
        let endpoint = TokenEndpoint(ScriptedNetwork.url("/token"), clientID: "app")
        let shared = SharedAuthenticator(
            BearerAuthenticator(endpoint), credential: BearerToken("se\ncret"), origins: [ScriptedNetwork.url("/")])
        let operation = await network.operation(
            "/a", options: TransferOptions { $0.authenticator = shared }
        ).run()
        #expect(operation.code == .invalidRequest && network.log.requests.isEmpty)
        #expect(operation.error?.message.contains("cret") == false)
    }

    @Test func authenticatorThatChangesMoreThanFieldsIsRefused() async {
        struct InTheURL: Authenticator {
            func apply(_ key: String, to request: inout URLRequest) { request.url?.append(path: key) }
            func refresh(_ key: String?) async throws -> String { "key" }
        }
        let authenticator = SharedAuthenticator(InTheURL(), credential: "key", origins: [ScriptedNetwork.url("/")])
        let operation = await network.operation(
            "/a", options: TransferOptions { $0.authenticator = authenticator }
        ).run()
        #expect(operation.code == .invalidRequest && network.log.requests.isEmpty)
    }

    /// Foundation silently drops some of these fields and accepts others.
    @Test(arguments: ["se\r\ncret: x", "secret\n", "se\u{0}cret", "se\u{1}cret", "se\u{7F}cret"])
    func tokenThatIsNotAFieldValueIsNotSent(text: String) async {
        let scripted = ScriptedAuthenticator { _ in .init(text: "new") }
        let authenticator = SharedAuthenticator(
            scripted, credential: .init(text: text), origins: [ScriptedNetwork.url("/")])
        let operation = await network.operation(
            "/a?token=x", method: "PUT", options: TransferOptions { $0.authenticator = authenticator }
        ).run()
        #expect(operation.code == .invalidRequest && network.log.requests.isEmpty)
        let message = operation.error?.message ?? ""
        #expect(message.hasPrefix("the credential of PUT http://scripted.test/a?token="), "\(message)")
        #expect(!message.contains("cret") && !message.contains("=x") && scripted.replaced.value.isEmpty)
    }

    @Test func fieldAlreadyInTheRequestIsAccepted() async {
        struct Key: Authenticator {
            func apply(_ key: String, to request: inout URLRequest) {
                request.setValue(key, forHTTPHeaderField: "X-Key")
            }
            func refresh(_ key: String?) async throws -> String { "key" }
        }
        let authenticator = SharedAuthenticator(Key(), credential: "key", origins: [ScriptedNetwork.url("/")])
        let options = TransferOptions {
            $0.authenticator = authenticator
            $0.requestAdapters = [.block { $0.setValue("key", forHTTPHeaderField: "X-Key") }]
        }
        let operation = await network.operation("/a", options: options).run()
        #expect(operation.error == nil && network.log.requests.first?.field("X-Key") == "key")
    }

    @Test func cachedResponseIsNotSharedBetweenUsers() async {
        network.answer("/a") { request in
            [.head(200, ["Cache-Control": "max-age=60"]), .body(request.field("Authorization") ?? "")]
        }
        let shared = shared([Self.home])
        let options = TransferOptions {
            $0.authenticator = shared
            $0.responseCache = InMemoryResponseCache()
        }
        for _ in 0..<2 {
            #expect(await network.operation("/a", options: options).run().responseString == "Bearer old")
        }
        #expect(network.log.requests.count == 1)
        shared.setCredential(ScriptedAuthenticator.Token(text: "other"))
        #expect(await network.operation("/a", options: options).run().responseString == "Bearer other")
    }

    @Test func archivedOperationUsesTheAuthenticatorOfItsNewManager() async throws {
        network.answer("/a", onlyFor: "old")
        let archive = try await network.operation(
            "/a", options: TransferOptions { $0.authenticator = shared([Self.home]) }
        ).archive()
        let manager = network.manager()
        manager.authenticator = shared([Self.home])
        let operation = try manager.operation(with: archive)
        #expect(await operation.run().error == nil)
    }
}
