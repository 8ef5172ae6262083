// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct ConnectionLimitsTypeTests {
    @Test func connectionIsWornOutAfterItsLastUse() {
        var uses = ConnectionUses(ConnectionLimits(maximumUseCount: 3))
        var verdicts = (0..<4).map { _ in uses.use(7, now: 0) }
        #expect(verdicts == [.mayUse, .mayUse, .lastUse, .mustNotUse])
        verdicts = [uses.use(8, now: 0)]
        uses.forget(7)
        verdicts.append(uses.use(7, now: 0))
        #expect(verdicts == [.mayUse, .mayUse])
        var single = ConnectionUses(ConnectionLimits(maximumUseCount: 1))
        verdicts = (0..<2).map { _ in single.use(7, now: 0) }
        #expect(verdicts == [.lastUse, .mustNotUse])
    }

    /// Milliseconds after the opening, and the verdict for a request that begins then.
    @Test func tooOldConnectionIsNotUsed() {
        var uses = ConnectionUses(ConnectionLimits(maximumAge: .milliseconds(50)))
        uses.open(7, now: 1_000_000_000)
        var verdicts = [0, 50, 51].map { uses.use(7, now: 1_000_000_000 + $0 * 1_000_000) }
        #expect(verdicts == [.mayUse, .mayUse, .mustNotUse])
        // The first request may use a connection that took long to open.
        uses.open(7, now: 2_000_000_000)
        verdicts = [80, 81].map { uses.use(7, now: 2_000_000_000 + $0 * 1_000_000) }
        #expect(verdicts == [.mayUse, .mustNotUse])
    }

    @Test func nothingIsCountedWithoutLimits() {
        #expect(!ConnectionUses(ConnectionLimits(maximumIdleTime: .seconds(1))).areLimited)
        #expect(ConnectionUses(ConnectionLimits(maximumUseCount: 1)).areLimited)
        #expect(ConnectionUses(ConnectionLimits(maximumAge: .seconds(1))).areLimited)
    }

    @Test(
        arguments: [
            (.milliseconds(1), 1), (.seconds(1), 1), (.milliseconds(1001), 2), (.seconds(90), 90),
            (.seconds(Int64.max), 1_000_000_000),
        ] as [(Duration, Int)])
    func durationsAreRoundedUpToSecondsForLibcurl(duration: Duration, seconds: Int) {
        #expect(ConnectionLimits.seconds(duration) == seconds)
    }

    @Test func limitsAreArchived() throws {
        var options = TransferOptions()
        options.connectionLimits = ConnectionLimits(
            maximumAge: .seconds(90), maximumIdleTime: .seconds(5), maximumUseCount: 10)
        options.lowSpeedLimit = LowSpeedLimit(bytesPerSecond: 100, duration: .seconds(30))
        options.maximumBytesPerSecond = 4096
        let data = try JSONEncoder().encode(ArchivedOptions(options))
        let decoded = try JSONDecoder().decode(ArchivedOptions.self, from: data).options()
        #expect(decoded.connectionLimits == options.connectionLimits)
        #expect(decoded.lowSpeedLimit == options.lowSpeedLimit)
        #expect(decoded.maximumBytesPerSecond == 4096)
    }

    @Test func requestsWithDifferentLimitsShareNoConnections() {
        var options = TransferOptions()
        options.connectionLimits.maximumUseCount = 1
        #expect(options.poolKey != TransferOptions().poolKey)
    }

    @Test func exclusiveConnectionsAreNotShared() {
        let options = ResolvedOptions(TransferOptions())
        let keys = [false, true, true, false].map { options.poolKey(with: nil, isExclusive: $0) }
        #expect(keys[0].value != keys[1].value)
        #expect(keys[0] === keys[3] && keys[1] === keys[2])
    }

    @Test(arguments: [
        ("https://a.test/", HTTPProtocolVersion.negotiated, true), ("http://a.test/", .negotiated, false),
        ("https://a.test/", .http1, false), ("http://a.test/", .http2PriorKnowledge, true),
    ])
    func streamedResponseUsesExclusiveConnectionIfHTTP2IsPossible(
        url: String, version: HTTPProtocolVersion, isExclusive: Bool
    ) async throws {
        let network = ScriptedNetwork()
        let options = TransferOptions { $0.httpVersion = version }
        let request = URLRequest(url: try #require(URL(string: url)))
        for isStreamed in [false, true] {
            let operation = RequestOperation(
                plan: RequestPlan(request, options: ResolvedOptions(options)), services: network.services)
            let chunks = isStreamed ? operation.chunks : nil
            await operation.run().ends()
            let key = try #require(network.log.requests.last?.poolKey)
            #expect(key.isExclusive == (isExclusive && isStreamed))
            withExtendedLifetime(chunks) {}
        }
    }
}

extension NetworkTests {
    @Suite struct ConnectionLimitsTests {
        private func options(_ limits: ConnectionLimits) -> TransferOptions {
            TransferOptions { $0.connectionLimits = limits }
        }

        @Test(arguments: [
            (1, [1, 2, 3, 4, 5, 6, 7]), (2, [1, 1, 2, 2, 3, 3, 4]), (3, [1, 1, 1, 2, 2, 2, 3]),
            (100, [1, 1, 1, 1, 1, 1, 1]),
        ])
        func connectionCarriesLimitedNumberOfRequests(limit: Int, connections: [Int]) async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                for number in 0..<7 {
                    let method = number.isMultiple(of: 2) ? "GET" : "POST"
                    let operation = await perform(
                        URLRequest(method, server.url()), options(.init(maximumUseCount: limit)))
                    #expect(operation.responseString == "answer")
                }
                #expect(server.requests.map(\.connection) == connections)
            }
            await closeIdleConnections()
        }

        @Test func concurrentRequestsKeepTheUseLimit() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                var configuration = RequestOperationManager.Configuration()
                configuration.responseSerializer = HTTPResponseSerializer()
                configuration.transferOptions.connectionLimits.maximumUseCount = 5
                let manager = RequestOperationManager(baseURL: server.url(), configuration: configuration)
                let operations = (0..<100).map { manager.operation("POST", "\($0)") }
                for operation in operations { manager.enqueue(operation) }
                for operation in operations { await operation.waitAsOwner() }
                #expect(operations.allSatisfy { $0.error == nil })
                #expect(server.requests.count == 100)
                let counts = Dictionary(grouping: server.requests, by: \.connection).mapValues(\.count)
                #expect(counts.values.allSatisfy { $0 <= 5 }, "\(counts)")
            }
            await closeIdleConnections()
        }

        @Test(.enabled(if: HTTP2Server.isAvailable)) func http2ConnectionCarriesLimitedNumberOfRequests() async throws {
            try await HTTP2Server.serving { server in
                var options = try TransferOptions.withoutIdleLimit(trusting: .localhost)
                options.connectionLimits.maximumUseCount = 3
                for _ in 0..<7 { #expect(await get(server.url("/x"), options).error == nil) }
                let counts = Dictionary(grouping: server.requests, by: \.connection).mapValues(\.count)
                #expect(counts.values.sorted() == [1, 3, 3], "\(counts)")
                await closeIdleConnections()
            }
        }

        /// The clock server answers later than the limit allows. The test does not depend on how much later.
        @Test(arguments: [ConnectionLimits(maximumAge: .milliseconds(50)), .init(maximumIdleTime: .seconds(1))])
        func tooOldOrTooIdleConnectionIsNotUsed(limits: ConnectionLimits) async throws {
            let delay: Duration = limits.maximumAge == nil ? .milliseconds(2100) : .milliseconds(60)
            try await TestServer.answering(Reply([.delay(delay)]).answering("clock")) { clock in
                try await TestServer.answering(.response(body: "answer")) { server in
                    await get(server.url(), options(limits))
                    await get(clock.url())
                    await get(server.url(), options(limits))
                    #expect(server.requests.map(\.connection) == [1, 2])
                }
            }
            await closeIdleConnections()
        }

        @Test(arguments: [ConnectionLimits(maximumAge: .seconds(900)), .init(maximumIdleTime: .seconds(900))])
        func connectionWithinItsLimitsIsUsed(limits: ConnectionLimits) async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                for _ in 0..<3 { await get(server.url(), options(limits)) }
                #expect(server.requests.map(\.connection) == [1, 1, 1])
            }
            await closeIdleConnections()
        }

        /// libcurl checks only the age of idle connections. Here, the connection is never idle.
        @Test(.enabled(if: HTTP2Server.isAvailable)) func tooOldBusyHTTP2ConnectionIsNotUsed() async throws {
            try await TestServer.answering(Reply([.delay(.milliseconds(60))]).answering("clock")) { clock in
                try await HTTP2Server.serving { server in
                    var options = try TransferOptions.withoutIdleLimit(trusting: .localhost)
                    options.connectionLimits.maximumAge = .milliseconds(50)
                    #expect(await get(server.url("/first"), options).error == nil)
                    let silent = RequestOperation(request: URLRequest(url: server.url("/silent")), options: options)
                    silent.start()
                    await eventually(server.requests) { $0.contains { $0.path == "/silent" } }
                    await get(clock.url())
                    #expect(await get(server.url("/last"), options).error == nil)
                    let connections = Dictionary(grouping: server.requests, by: \.path).mapValues { $0[0].connection }
                    #expect(connections["/last"] != connections["/silent"], "\(connections)")
                    silent.cancel()
                    await silent.waitAsOwner()
                    await closeIdleConnections()
                }
            }
        }

        @Test func redirectsAndChallengeAnswersCountAsUses() async throws {
            let script: TestServer.Script = { request in
                switch request.path {
                case "/start": .redirect(to: "/guarded")
                default:
                    request.headers["Authorization"] == nil
                        ? .response(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"test\""])
                        : .response(body: "come in")
                }
            }
            try await TestServer.serving(script: script) { server in
                var options = options(.init(maximumUseCount: 2))
                options.credential = URLCredential(user: "user", password: "secret", persistence: .none)
                let operation = await get(server.url("/start"), options)
                #expect(operation.responseString == "come in")
                #expect(server.requests.map(\.connection) == [1, 1, 2])
            }
            await closeIdleConnections()
        }

        /// The first connection is dead at its last use. The repeated request is the first use of another connection.
        @Test func resentRequestCountsAsUseOfNewConnection() async throws {
            let script: TestServer.Script = { request in
                request.connection == 1 && request.numberOnConnection == 2 ? .close : .response(body: "answer")
            }
            try await TestServer.serving(script: script) { server in
                for _ in 0..<4 {
                    let operation = await get(server.url(), options(.init(maximumUseCount: 2)))
                    #expect(operation.responseString == "answer")
                }
                #expect(server.requests.map(\.connection) == [1, 1, 2, 2, 3])
            }
            await closeIdleConnections()
        }

        @Test func unixSocketUsesAreNotCounted() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var serverOptions = TestServer.Options()
            serverOptions.unixSocketPath = folder.path("socket")
            try await TestServer.answering(.response(body: "answer"), serverOptions) { server in
                let options = TransferOptions {
                    $0.unixSocketPath = serverOptions.unixSocketPath
                    $0.connectionLimits.maximumUseCount = 1
                }
                for _ in 0..<3 {
                    let url = try #require(URL(string: "http://host.example/"))
                    #expect(await get(url, options).responseString == "answer")
                }
                #expect(server.requests.map(\.connection) == [1, 1, 1])
            }
            await closeIdleConnections()
        }

        @Test func invalidLimitIsRefusedBeforeSending() async throws {
            try await TestServer.answering(.response()) { server in
                for limits in [
                    ConnectionLimits(maximumAge: .zero), .init(maximumIdleTime: .seconds(-1)),
                    .init(maximumUseCount: 0),
                ] { #expect(await get(server.url(), options(limits)).code == .invalidRequest) }
                #expect(server.connectionCount == 0)
            }
        }
    }
}

extension Reply {
    /// Appends a response to the steps so far.
    fileprivate func answering(_ text: String) -> Reply { Reply(steps + Reply.response(body: text).steps) }
}
