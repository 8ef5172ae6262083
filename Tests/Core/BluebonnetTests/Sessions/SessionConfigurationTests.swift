// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SessionConfigurationTests {
    private func coded(_ configuration: SessionConfiguration) throws -> SessionConfiguration {
        try JSONDecoder().decode(SessionConfiguration.self, from: JSONEncoder().encode(configuration))
    }

    @Test func defaultSharesCookiesAndCacheAndEphemeralDoesNot() {
        let (first, second) = (SessionConfiguration.default, SessionConfiguration.default)
        #expect(first.cookieJar != nil && first.cookieJar === second.cookieJar)
        #expect(first.responseCache as? InMemoryResponseCache === second.responseCache as? InMemoryResponseCache)
        let (own, other) = (SessionConfiguration.ephemeral, SessionConfiguration.ephemeral)
        #expect(own.cookieJar != nil && own.cookieJar !== other.cookieJar && own.cookieJar !== first.cookieJar)
        #expect(own.responseCache as? InMemoryResponseCache !== other.responseCache as? InMemoryResponseCache)
        let plain = SessionConfiguration()
        #expect(plain.cookieJar == nil && plain.responseCache == nil)
    }

    @Test func decodedConfigurationHasTheSameValues() throws {
        var configuration = SessionConfiguration()
        configuration.headers["X-A"] = "1"
        configuration.maximumConcurrentTransferCount = 3
        configuration.maximumConcurrentTransferCountPerOrigin = 2
        configuration.transferOptions.maximumRedirectCount = 7
        configuration.downloadDirectory = URL(fileURLWithPath: "/var/tmp/")
        let decoded = try coded(configuration)
        #expect(decoded.headers["x-a"] == "1")
        #expect(decoded.maximumConcurrentTransferCount == 3)
        #expect(decoded.maximumConcurrentTransferCountPerOrigin == 2)
        #expect(decoded.transferOptions.maximumRedirectCount == 7)
        #expect(decoded.downloadDirectory.path == "/var/tmp")
        #expect(decoded.cookieJar == nil && decoded.responseCache == nil)
    }

    @Test func decodedConfigurationRestoresSharedStoresAndEmptiesOthers() throws {
        let shared = try coded(.default)
        #expect(shared.cookieJar === SessionConfiguration.default.cookieJar)
        #expect(
            shared.responseCache as? InMemoryResponseCache
                === SessionConfiguration.default.responseCache as? InMemoryResponseCache)
        let ephemeral = SessionConfiguration.ephemeral
        let own = try coded(ephemeral)
        #expect(own.cookieJar != nil && own.cookieJar !== ephemeral.cookieJar)
        #expect(own.responseCache != nil)
    }

    @Test func configurationWithoutTransfersIsRefused() throws {
        var configuration = SessionConfiguration()
        configuration.maximumConcurrentTransferCount = 0
        let data = try JSONEncoder().encode(configuration)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(SessionConfiguration.self, from: data) }
    }

    @Test func limitsOfTheConfigurationApply() async {
        let network = ScriptedNetwork(limit: 2)
        let gate = Gate()
        network.answerOthers { _ in [.head(200), .wait(gate)] }
        let session = network.session()
        let tasks = (0..<5).map { session.dataTask(with: network.request("/\($0)")) }
        for task in tasks { task.resume() }
        await network.log.entries.becomes { $0.requests.count == 2 }
        gate.open()
        for task in tasks { await task.ends() }
        #expect(network.log.entries.value.peakCount == 2)
        let configuration = session.configuration.ofManager
        #expect(configuration.maximumConcurrentTransferCountPerOrigin == 64)
    }

    @Test func copyHasComponentsAndNoTasks() {
        let session = SessionManager(configuration: .ephemeral)
        session.responseSerializer = HTTPResponseSerializer()
        let queue = DispatchQueue(label: "test.completion")
        session.completionQueue = queue
        session.blocks.sessionDidBecomeInvalid = {}
        session.operationManager.transferOptions.maximumRedirectCount = 2
        _ = session.dataTask(with: URLRequest(url: ScriptedNetwork.url("/a")))
        let copy = session.copied()
        #expect(copy !== session)
        #expect(copy.tasks.isEmpty)
        #expect(copy.responseSerializer is HTTPResponseSerializer)
        #expect(copy.completionQueue === queue)
        #expect(copy.blocks.sessionDidBecomeInvalid != nil)
        #expect(copy.operationManager.transferOptions.maximumRedirectCount == 2)
        #expect(copy.configuration.cookieJar === session.configuration.cookieJar)
    }
}
