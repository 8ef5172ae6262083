// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import Bluebonnet

/// Where credentials go, and where they do not.
@Suite(.timeLimit(.minutes(1))) struct AuthenticatorOriginTests {
    private let network = ScriptedNetwork()

    private func shared(_ origins: [String]) -> SharedAuthenticator {
        SharedAuthenticator(
            ScriptedAuthenticator { _ in .init(text: "new") }, credential: .init(text: "old"),
            origins: origins.compactMap { URL(string: $0) })
    }

    /// Sends a request that is redirected along `hops`, and gives the `Authorization` field of each request.
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

    /// Foundation drops such a field.
    @Test func tokenThatCannotBeAFieldIsNotSent() async {
        let authenticator = SharedAuthenticator(
            ScriptedAuthenticator { _ in .init(text: "new") }, credential: .init(text: "se\r\ncret: x"),
            origins: [ScriptedNetwork.url("/")])
        network.answer("/a", onlyFor: "new")
        let operation = await network.operation(
            "/a", options: TransferOptions { $0.authenticator = authenticator }
        ).run()
        #expect(operation.error == nil && network.sentTokens == [nil, "Bearer new"])
    }

    @Test func responsesOfOneUserAreNotAnothers() async {
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

    @Test func archivedOperationIsAuthenticatedByTheManagerThatRunsIt() async throws {
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
