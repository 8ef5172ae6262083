// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

/// A test server that answers heads while the bodies arrive.
@Suite(.timeLimit(.minutes(1))) struct AnsweredHeadTests {
    private static func options(overHTTP2: Bool) -> TestServer.Options {
        var options = TestServer.Options()
        (options.speaksHTTP2, options.answersHeads) = (overHTTP2, true)
        return options
    }

    private static func manager(_ server: TestServer, overHTTP2: Bool) -> RequestOperationManager {
        let manager = RequestOperationManager(baseURL: server.url())
        manager.transferOptions.httpVersion = overHTTP2 ? .http2PriorKnowledge : .http1
        return manager
    }

    @Test(arguments: [false, true]) func scriptSeesTheHeadAndTheLogTheBody(overHTTP2: Bool) async throws {
        let script: TestServer.Script = { .response(body: "\($0.method) \($0.isComplete) \($0.body.count)") }
        try await TestServer.serving(Self.options(overHTTP2: overHTTP2), script: script) { server in
            let manager = Self.manager(server, overHTTP2: overHTTP2)
            for number in 1...2 {
                let text: String = try await manager.call("POST", "x").body(.text("body \(number)")).value()
                #expect(text == "POST false 0")
            }
            let text: String = try await manager.get("y")
            #expect(text == "GET false 0")
            await server.waitForRequests(count: 3)
            #expect(server.requests.map(\.bodyText) == ["body 1", "body 2", ""])
            #expect(server.requests.map(\.isComplete) == [true, true, true])
        }
    }

    @Test(arguments: [false, true]) func echoIsTheBodyInChunks(overHTTP2: Bool) async throws {
        let script: TestServer.Script = { _ in
            Reply([
                .head(status: 200, fields: ["Transfer-Encoding": "chunked"]), .chunk(Data("<".utf8)), .echo,
                .chunk(Data(">".utf8)), .trailers([:]),
            ])
        }
        try await TestServer.serving(Self.options(overHTTP2: overHTTP2), script: script) { server in
            let manager = Self.manager(server, overHTTP2: overHTTP2)
            let sent = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
            let echo: Data = try await manager.call("POST", "x").body(.data(sent)).value()
            #expect(echo == Data("<".utf8) + sent + Data(">".utf8))
            let empty: String = try await manager.get("x")
            #expect(empty == "<>")
        }
    }

    @Test func echoIsEmptyForABodyThatHasArrived() async throws {
        let script: TestServer.Script = { _ in
            Reply([.head(status: 200, fields: ["Transfer-Encoding": "chunked"]), .echo, .trailers([:])])
        }
        try await TestServer.serving(script: script) { server in
            let manager = RequestOperationManager(baseURL: server.url())
            let echo: String = try await manager.call("POST", "x").body(.text("abc")).value()
            #expect(echo.isEmpty)
        }
    }

    @Test func trailersOfARequestAreRecorded() async throws {
        let script: TestServer.Script = { .response(body: $0.trailers["X-Sum"] ?? "none") }
        try await TestServer.serving(script: script) { server in
            let manager = RequestOperationManager(baseURL: server.url())
            let pieces = AsyncStream<Data> { continuation in
                continuation.yield(Data("abc".utf8))
                continuation.finish()
            }
            let trailers: HeaderFields = ["X-Sum": "3", "X-Other": "a: b"]
            let sum: String = try await manager.call("POST", "x").body(.stream(pieces, trailers: { trailers })).value()
            #expect(sum == "3")
            #expect(server.requests.first?.trailers == ["X-Sum": "3", "X-Other": "a: b"])
            let none: String = try await manager.call("POST", "x").body(.text("abc")).value()
            #expect(none == "none")
        }
    }
}
