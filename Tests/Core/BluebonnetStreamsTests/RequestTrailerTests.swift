// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

/// Trailer sections of requests whose bodies come from sequences.
@Suite(.timeLimit(.minutes(1))) struct RequestTrailerTests {
    private struct Broken: Error {}

    private static let echo: TestServer.Script = { .response(body: $0.body) }

    private static func pieces(_ texts: String...) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
    }

    /// Returns the bytes of a request's body as they were on the wire.
    private static func wire(_ request: ReceivedRequest) -> String { String(decoding: request.rawBody, as: UTF8.self) }

    @Test func trailersFollowTheLastChunk() async throws {
        try await TestServer.withManager(script: Self.echo) { server, manager in
            let trailers: HeaderFields = ["X-Sum": "17", "X-Note": "", "X-B": " b"]
            let body = RequestBody.stream(Self.pieces("abc", "de"), trailers: { trailers })
            let echo: String = try await manager.call("POST", "x").headers(["Trailer": "X-Sum"]).body(body).value()
            #expect(echo == "abcde")
            let request = try #require(server.history.requests.first)
            #expect(request.headers["Trailer"] == "X-Sum" && request.headers["Transfer-Encoding"] == "chunked")
            #expect(Self.wire(request).hasSuffix("\r\n0\r\nX-Sum: 17\r\nX-Note: \r\nX-B:  b\r\n\r\n"))
        }
    }

    @Test func trailersAreMadeAfterTheLastPiece() async throws {
        let read = Observed(0)
        let pieces = Self.pieces("abc", "de").map { piece in
            read.update { $0 += piece.count }
            return piece
        }
        try await TestServer.withManager(script: Self.echo) { server, manager in
            let body = RequestBody.stream(pieces, trailers: { ["X-Count": "\(read.value)"] })
            try await manager.post("x", body: body)
            #expect(Self.wire(try #require(server.history.requests.first)).hasSuffix("0\r\nX-Count: 5\r\n\r\n"))
        }
    }

    @Test func emptyBodyMayHaveTrailers() async throws {
        try await TestServer.withManager(script: Self.echo) { server, manager in
            try await manager.post("x", body: .stream(Self.pieces(), trailers: { ["X-Sum": "0"] }))
            #expect(Self.wire(try #require(server.history.requests.first)) == "0\r\nX-Sum: 0\r\n\r\n")
        }
    }

    @Test func noFieldsEndTheBodyAsUsual() async throws {
        try await TestServer.withManager(script: Self.echo) { server, manager in
            try await manager.post("x", body: .stream(Self.pieces("abc"), trailers: { [:] }))
            #expect(Self.wire(try #require(server.history.requests.first)) == "3\r\nabc\r\n0\r\n\r\n")
        }
    }

    /// 60 KiB with the empty line at the end.
    @Test(arguments: [(61_428, true), (61_429, false)])
    func longestSectionIsSent(valueByteCount: Int, isSent: Bool) async throws {
        try await TestServer.withManager(script: Self.echo) { server, manager in
            let value = String(repeating: "v", count: valueByteCount)
            let call = manager.call("POST", "x").body(.stream(Self.pieces("a"), trailers: { ["X-Long": value] }))
            if isSent {
                try await call.response()
                let sent = Self.wire(try #require(server.history.requests.first))
                #expect(sent == "1\r\na\r\n0\r\nX-Long: \(value)\r\n\r\n")
            } else {
                let error = await #expect(throws: NetworkingError.self) { try await call.response() }
                #expect(error?.message == "the trailers have 61441 bytes, but at most 61440 can be sent")
            }
        }
    }

    @Test func requestAfterTrailersIsSentWhole() async throws {
        try await TestServer.withManager(script: Self.echo) { server, manager in
            for count in 1...3 {
                let text = String(repeating: "\(count)", count: 20)
                try await manager.post("x", body: .stream(Self.pieces(text), trailers: { ["X-Number": "\(count)"] }))
                try await manager.post("x", body: .stream(Self.pieces(text)))
            }
            let bodies = server.history.requests.map(Self.wire)
            let expected = (1...3).flatMap { count in
                let chunk = "14\r\n" + String(repeating: "\(count)", count: 20) + "\r\n0\r\n"
                return [chunk + "X-Number: \(count)\r\n\r\n", chunk + "\r\n"]
            }
            #expect(bodies == expected)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func restartableBodyMakesItsTrailersAgain() async throws {
        let made = Observed(0)
        let script: TestServer.Script = { request in
            request.path == "/old" ? .redirect(to: "/new", status: 307) : .response(body: request.body)
        }
        try await TestServer.withManager(script: script) { server, manager in
            let body = RequestBody.stream(
                restartable: {
                    made.update { $0 += 1 }
                    return Self.pieces("abc")
                },
                trailers: { ["X-Made": "\(made.value)"] })
            try await manager.post("old", body: body)
            let expected = (1...2).map { "3\r\nabc\r\n0\r\nX-Made: \($0)\r\n\r\n" }
            #expect(server.history.requests.map(Self.wire) == expected)
        }
    }
}

// MARK: - Errors

extension RequestTrailerTests {
    private static let noTrailers: @Sendable () async throws -> HeaderFields = { [:] }

    /// Sends a body with trailers, and expects an error and no complete request.
    private static func error(
        of trailers: @escaping @Sendable () async throws -> HeaderFields,
        _ change: (Call) -> Call = { $0 }
    ) async throws -> NetworkingError? {
        let found = Observed<NetworkingError?>(nil)
        try await TestServer.withManager(script: echo) { server, manager in
            let call = change(manager.call("POST", "x").body(.stream(pieces("abc"), trailers: trailers)))
            let error = await #expect(throws: NetworkingError.self) { try await call.response() }
            found.update { $0 = error }
            await server.wait { $0.openConnectionCount == 0 }
            #expect(server.history.requests.isEmpty)
        }
        return found.value
    }

    @Test func fieldOfTheHeadIsRefused() async throws {
        let error = try await Self.error(of: { ["Content-Type": "text/plain"] })
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == "the field Content-Type must be in the header section, not in the trailers")
    }

    @Test func lineEndInAValueIsRefused() async throws {
        let error = try await Self.error(of: { ["X-Sum": "1\r\nX-Other: 2"] })
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == "the value of header X-Sum contains a carriage return")
    }

    @Test func errorOfTheClosureFailsTheRequest() async throws {
        let error = try await Self.error(of: { throw Broken() })
        #expect(error?.underlying is Broken)
    }

    @Test func lengthIsRefusedBeforeAConnection() async throws {
        let error = try await Self.error(of: Self.noTrailers) { $0.headers(["Content-Length": "3"]) }
        #expect(error?.code == .invalidRequest && error?.message.contains("has no Content-Length") == true)
    }

    @Test func requiredHTTP2IsRefusedBeforeAConnection() async throws {
        let error = try await Self.error(of: Self.noTrailers) { call in
            call.configure { $0.options.httpVersion = .http2PriorKnowledge }
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("over HTTP/1.1 only") == true)
    }

    /// libcurl 7.88 sends no trailers over HTTP/2, so the request is sent over HTTP/1.1.
    @Test(arguments: [HTTPProtocolVersion.negotiated, .http2, .http1])
    func serverOfHTTP2GetsTrailersOverHTTP1(version: HTTPProtocolVersion) async throws {
        try await TestServer.withManager(.http2, script: Self.echo) { server, manager in
            manager.transferOptions.httpVersion = version
            let first: String = try await manager.call("POST", "x").body(.stream(Self.pieces("abc"))).value()
            let body = RequestBody.stream(Self.pieces("abc"), trailers: { ["X-Sum": "1"] })
            let second: String = try await manager.call("POST", "x").body(body).value()
            #expect(first == "abc" && second == "abc")
            let versions = server.history.requests.map(\.version)
            #expect(versions == [version == .http1 ? "HTTP/1.1" : "HTTP/2", "HTTP/1.1"])
            #expect(Self.wire(try #require(server.history.requests.last)).hasSuffix("0\r\nX-Sum: 1\r\n\r\n"))
        }
    }
}
