// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import Bluebonnet

@Suite struct ConnectionLimitsTypeTests {
    @Test func connectionIsClosedAfterItsLastUseAndNotUsedAfterThat() {
        var uses = ConnectionUses()
        var verdicts = (0..<4).map { _ in uses.use(7, limit: 3) }
        #expect(verdicts == [.mayUse, .mayUse, .lastUse, .isWornOut])
        verdicts = [uses.use(8, limit: 3), uses.use(9, limit: 1)]
        uses.forget(7)
        verdicts.append(uses.use(7, limit: 3))
        #expect(verdicts == [.mayUse, .lastUse, .mayUse])
    }

    @Test(
        arguments: [
            (.milliseconds(1), 1), (.seconds(1), 1), (.milliseconds(1001), 2), (.seconds(90), 90),
            (.seconds(Int64.max), 1_000_000_000),
        ] as [(Duration, Int)])
    func timesAreWholeSecondsForLibcurl(duration: Duration, seconds: Int) {
        #expect(ConnectionLimits.seconds(duration) == seconds)
    }

    @Test func limitsAreKeptInAnArchive() throws {
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
        func connectionCarriesSoManyRequests(limit: Int, connections: [Int]) async throws {
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

        @Test func requestsBesideOneAnotherKeepTheLimitToo() async throws {
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

        @Test(.enabled(if: HTTP2Server.isAvailable)) func connectionOfHTTP2CarriesSoManyRequests() async throws {
            try await HTTP2Server.serving { server in
                var options = try TransferOptions.withoutIdleLimit(trusting: .localhost)
                options.connectionLimits.maximumUseCount = 3
                for _ in 0..<7 { #expect(await get(server.url("/x"), options).error == nil) }
                let counts = Dictionary(grouping: server.requests, by: \.connection).mapValues(\.count)
                #expect(counts.values.sorted() == [1, 3, 3], "\(counts)")
                await closeIdleConnections()
            }
        }

        /// libcurl counts whole seconds.
        @Test func connectionThatIsTooOldIsNotUsed() async throws {
            try await TestServer.answering(Reply([.delay(.milliseconds(100))]).answering("answer")) { server in
                while server.connectionCount < 2 {
                    #expect(await get(server.url(), options(.init(maximumAge: .seconds(1)))).error == nil)
                }
                #expect(server.requests.count > 2)
            }
            await closeIdleConnections()
        }

        @Test func connectionThatWasIdleForTooLongIsNotUsed() async throws {
            try await TestServer.answering(Reply([.delay(.milliseconds(2100))]).answering("clock")) { clock in
                try await TestServer.answering(.response(body: "answer")) { server in
                    let options = options(.init(maximumIdleTime: .seconds(1)))
                    await get(server.url(), options)
                    await get(server.url(), options)
                    #expect(server.connectionCount == 1)
                    await get(clock.url(), options)
                    await get(server.url(), options)
                    #expect(server.connectionCount == 2)
                }
            }
            await closeIdleConnections()
        }

        @Test func limitOfNothingIsRefusedBeforeAnythingIsSent() async throws {
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
    /// What comes after the steps so far.
    fileprivate func answering(_ text: String) -> Reply { Reply(steps + Reply.response(body: text).steps) }
}
