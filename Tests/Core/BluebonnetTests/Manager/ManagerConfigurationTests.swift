// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Managers as values that a program stores, copies and prints.
@Suite(.timeLimit(.minutes(1))) struct ManagerConfigurationTests {
    private typealias Configuration = RequestOperationManager.Configuration

    private func again(_ configuration: Configuration) throws -> Configuration {
        try JSONDecoder().decode(Configuration.self, from: JSONEncoder().encode(configuration))
    }

    private var full: Configuration {
        get throws {
            var configuration = Configuration()
            configuration.maximumConcurrentTransferCount = 5
            configuration.maximumConcurrentTransferCountPerOrigin = 2
            configuration.timeouts = Timeouts(connect: .seconds(1), idle: .seconds(2), total: .seconds(3))
            configuration.transferOptions.securityPolicy = try SecurityPolicy(
                allowInvalidCertificates: true, validatesDomainName: false)
            configuration.transferOptions.credential = URLCredential(user: "u", password: "p", persistence: .none)
            configuration.headers["X-Client"] = "demo"
            var request = JSONRequestSerializer()
            request.http.bearerToken = "t"
            var response = StringResponseSerializer()
            response.stringEncoding = .isoLatin1
            (configuration.requestSerializer, configuration.responseSerializer) = (request, response)
            return configuration
        }
    }

    private func expectFull(_ configuration: Configuration) throws {
        #expect(configuration.maximumConcurrentTransferCount == 5)
        #expect(configuration.maximumConcurrentTransferCountPerOrigin == 2)
        #expect(try configuration.timeouts == full.timeouts)
        #expect(try configuration.transferOptions.securityPolicy == full.transferOptions.securityPolicy)
        #expect(configuration.transferOptions.credential?.password == "p")
        #expect(configuration.headers["X-Client"] == "demo")
        #expect((configuration.requestSerializer as? JSONRequestSerializer)?.http.bearerToken == "t")
        #expect((configuration.responseSerializer as? StringResponseSerializer)?.stringEncoding == .isoLatin1)
    }

    @Test func configurationRoundTripsEncodableSettings() throws {
        try expectFull(try again(full))
        let plain = try again(Configuration())
        #expect(plain.maximumConcurrentTransferCount == 64 && plain.timeouts == Timeouts() && plain.headers.isEmpty)
        #expect(plain.requestSerializer is HTTPRequestSerializer && plain.responseSerializer is JSONResponseSerializer)
    }

    @Test func managerReportsItsCurrentConfiguration() throws {
        let manager = RequestOperationManager(configuration: try full)
        try expectFull(manager.configuration)
        #expect(manager.headers["X-Client"] == "demo" && manager.timeouts.connect == .seconds(1))
        manager.headers["X-Client"] = "other"
        manager.responseSerializer = HTTPResponseSerializer()
        #expect(manager.configuration.headers["X-Client"] == "other")
        #expect(manager.configuration.responseSerializer is HTTPResponseSerializer)
    }

    @Test func cookieJarAndCacheAreNotEncoded() throws {
        var configuration = Configuration()
        configuration.cookieJar = CookieJar()
        configuration.responseCache = InMemoryResponseCache()
        let plain = try again(configuration)
        #expect(plain.cookieJar == nil && plain.responseCache == nil)
    }

    @Test func unencodableSerializerIsNamed() {
        struct Own: RequestSerializer {
            func request(_ request: URLRequest, with parameters: Parameters?) throws(NetworkingError) -> URLRequest {
                request
            }
        }
        var (first, second) = (Configuration(), Configuration())
        first.requestSerializer = Own()
        second.responseSerializer = DecodableResponseSerializer(Int.self)
        for (configuration, name) in [(first, "Own"), (second, "DecodableResponseSerializer<Int>")] {
            let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(configuration) }
            guard case .invalidValue(_, let context)? = error else { return #expect(error == nil, "another error") }
            #expect(context.debugDescription == "\(name) cannot be encoded")
        }
    }

    @Test func encodingClientIdentitySecretThrows() throws {
        var configuration = Configuration()
        configuration.transferOptions.tls.clientIdentity = .pkcs12(file: "/tmp/client.p12", password: "secret")
        #expect(throws: NetworkingError.self) { try JSONEncoder().encode(configuration) }
    }

    @Test func decodingInvalidLimitThrows() throws {
        let text = String(decoding: try JSONEncoder().encode(Configuration()), as: UTF8.self)
        let none = text.replacingOccurrences(
            of: #""maximumConcurrentTransferCount":64"#, with: #""maximumConcurrentTransferCount":0"#)
        #expect(none != text)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Configuration.self, from: Data(none.utf8)) }
    }

    @Test func byteRateLimitsAreEncodedAndCopied() throws {
        var configuration = Configuration()
        configuration.maximumBytesPerSecond = 1000
        configuration.maximumBytesPerSecondPerOrigin = 100
        let manager = RequestOperationManager(configuration: try again(configuration))
        for found in [manager.configuration, manager.copied().configuration] {
            #expect(found.maximumBytesPerSecond == 1000 && found.maximumBytesPerSecondPerOrigin == 100)
        }
        let text = String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self)
        let none = text.replacingOccurrences(of: #""maximumBytesPerSecond":1000"#, with: #""maximumBytesPerSecond":0"#)
        #expect(none != text)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Configuration.self, from: Data(none.utf8)) }
    }

    @Test func governorIsSharedByCopiesButNotEncoded() throws {
        var configuration = Configuration()
        configuration.governor = Governor()
        let manager = RequestOperationManager(configuration: configuration)
        for found in [manager.configuration, manager.copied().configuration] {
            #expect(found.governor === configuration.governor)
        }
        #expect(try again(configuration).governor == nil)
    }

    @Test func copyKeepsSettingsButHasItsOwnQueue() async throws {
        let network = ScriptedNetwork(limit: 3, limitPerOrigin: 2)
        let manager = network.manager()
        let (queue, group) = (DispatchQueue(label: "test"), DispatchGroup())
        (manager.completionQueue, manager.completionGroup) = (queue, group)
        manager.headers["X-Client"] = "demo"
        manager.responseSerializer = HTTPResponseSerializer()
        manager.onChallenge = { _, _ in .cancel }
        manager.transferOptions.cookieJar = CookieJar()
        manager.decoder = JSONDecoder()
        manager.operationQueue.isSuspended = true
        let copy = try #require(manager.copy(with: nil) as? RequestOperationManager)
        #expect(copy.baseURL == manager.baseURL && copy.completionQueue === queue && copy.completionGroup === group)
        #expect(copy.onChallenge != nil && copy.decoder === manager.decoder)
        #expect(copy.transferOptions.cookieJar === manager.transferOptions.cookieJar)
        #expect(copy.operationQueue !== manager.operationQueue && !copy.operationQueue.isSuspended)
        #expect(copy.services !== manager.services)
        #expect(copy.configuration.maximumConcurrentTransferCountPerOrigin == 2)
        copy.headers["X-Client"] = "copy"
        try await copy.get("a")
        #expect(network.log.requests.first?.value(of: "X-Client") == "copy" && manager.headers["X-Client"] == "demo")
    }

    @Test func descriptionsShowStateWithoutSecrets() async throws {
        let network = ScriptedNetwork()
        network.answer("/bad", with: [.fail(.timedOut)])
        let manager = network.manager(baseURL: URL(string: "http://u:secret@scripted.test/v1"))
        #expect(
            "\(manager)" == "<RequestOperationManager: http://REDACTED@scripted.test/v1/, 0 operations in its queue>")
        #expect("\(RequestOperationManager())".hasPrefix("<RequestOperationManager: no base URL, "))
        let queue = RequestOperationQueue()
        #expect("\(queue)" == "<RequestOperationQueue: 0 operations>")
        (queue.name, queue.isSuspended, queue.maxConcurrentOperationCount) = ("mine", true, 2)
        queue.addOperation(network.operation("/a"))
        #expect("\(queue)" == #"<RequestOperationQueue "mine": 1 operations, suspended, at most 2 at once>"#)
        let batch = Batch(of: ["a", "bad"].map { manager.operation(with: network.request("/\($0)")) })
        #expect("\(batch)" == "<Batch: 0 of 2 operations finished>")
        for operation in batch.operations { operation.responseSerializer = HTTPResponseSerializer() }
        await manager.run(batch)
        #expect("\(batch)" == "<Batch: 2 of 2 operations finished, 1 succeeded, 1 failed>")
        let handle = manager.operation("GET", "a").handle(returning: Int.self)
        #expect("\(handle)".hasPrefix("<RequestHandle<Int>: <HTTPRequestOperation: ready"))
        queue.cancelAllOperations()
    }
}
