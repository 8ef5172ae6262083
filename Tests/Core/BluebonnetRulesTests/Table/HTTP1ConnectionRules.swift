// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

extension RuleTable {
    static let http1Connections: [Rule] = [
        Rule(
            .http1, "9.2", "responses answer the requests of a connection in their order",
            .held(
                .server(answering { .response(body: $0.path) }) { server in
                    for number in 1...5 { #expect(await get(server.url("/\(number)")).end == "/\(number)") }
                })),
        Rule(
            .http1, "9.2", "bytes that arrive without a request are not a response: the connection is closed",
            .held(
                .server(
                    answering {
                        $0.path == "/first" ? .response(body: "first").then(.bytes(Data("POISON".utf8))) : .response()
                    }
                ) {
                    server in
                    #expect(await get(server.url("/first")).end == "first")
                    let byteCount = Reply.response(body: "first").bytes.count + 6
                    await server.wait { ($0.connection(1)?.sentByteCount ?? 0) == byteCount }
                    #expect(await get(server.url("/second")).end == "")
                    #expect(server.requests.last?.connection == 2)
                })),
        Rule(
            .http1, "9.3", "a connection is kept after HTTP/1.1, and after HTTP/1.0 with keep-alive, otherwise not",
            .held(
                RuleCase {
                    for (head, isSame) in [
                        ("HTTP/1.1 200 OK\n", true), ("HTTP/1.1 200 OK\nConnection: close\n", false),
                        ("HTTP/1.1 200 OK\nConnection: x, CLOSE\n", false), ("HTTP/1.0 200 OK\n", false),
                        ("HTTP/1.0 200 OK\nConnection: Keep-Alive\n", true),
                    ] {
                        try await RuleCase.secondConnection(after: head + "Content-Length: 2\n\nok", isSame: isSame)
                            .run()
                    }
                })),
        Rule(
            .http1, "9.3", "a client that keeps no connections says close in each request",
            .notApplicable("connections are kept")),
        Rule(
            .http1, "9.3", "the whole body is read before a connection is used again",
            .held(
                RuleCase {
                    let body = String(repeating: "x", count: 2_000_000)
                    let script: TestServer.Script = {
                        $0.path == "/start"
                            ? .response(status: 302, headers: ["Location": "/end"], body: body) : .response(body: "end")
                    }
                    try await TestServer.scripted(script) { server in
                        #expect(await get(server.url("/start")).end == "end")
                        #expect(server.requests.last?.connection == 2)
                    }
                })),
        Rule(
            .http1, "9.3.1", "a request that is not idempotent is not retried automatically",
            .held(
                .server(answering { $0.path == "/first" ? .response(body: "ok") : .close }) { server in
                    await get(server.url("/first"))
                    let operation = await perform(URLRequest("POST", server.url("/second"), body: "body"))
                    #expect(operation.error?.code == .connectionLost)
                    #expect(server.requests.filter { $0.path == "/second" }.count == 1)
                })),
        Rule(
            .http1, "9.3.2", "requests after a request that is not idempotent wait for its response",
            .notApplicable("a connection of HTTP/1.1 has one request at a time")),
        Rule(
            .http1, "9.6", "after a request with close no other request is sent on its connection",
            .held(
                .server(answering { _ in .response(body: "ok") }) { server in
                    await perform(URLRequest("GET", server.url(), headers: ["Connection": "close"]))
                    await get(server.url())
                    #expect(server.requests.map(\.connection) == [1, 2])
                })),
        Rule(
            .http1, "9.6", "after a response with close no other request is sent, and the connection is closed",
            .held(
                .server(answering { _ in .response(headers: ["Connection": "close"], body: "ok") }) { server in
                    await get(server.url())
                    await server.waitForConnectionsToClose()
                    await get(server.url())
                    #expect(server.requests.map(\.connection) == [1, 2])
                })),
        Rule(
            .http1, "9.7", "over TLS all data of a message is encrypted: nothing is sent before the handshake",
            .held(
                RuleCase {
                    var options = TestServer.Options()
                    options.greeting = .raw("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                    try await TestServer.serving(options, script: { _ in .response() }) { server in
                        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/secret"))
                        #expect(await get(url).error?.code == .secureConnectionFailed)
                        #expect(server.requests.isEmpty)
                        #expect(server.history.unfinishedRequests.allSatisfy { !$0.headText.contains("secret") })
                    }
                })),
        Rule(
            .http1, "9.8", "a body without a length that ends without TLS's closure alert is incomplete",
            .held(
                RuleCase {
                    let head = Reply.raw("HTTP/1.1 200 OK\r\n\r\nok")
                    let options = try TransferOptions.trustingTestAuthority
                    try await TestServer.answering(head.then(.closeWithoutNotice), tls: .localhost) { server in
                        #expect(await get(server.url(), options).error?.code == .badServerResponse)
                    }
                    try await TestServer.answering(head.then(.close), tls: .localhost) { server in
                        #expect(await get(server.url(), options).end == "ok")
                    }
                })),
        Rule(
            .http1, "9.8", "a connection is closed with TLS's closure alert",
            .held(
                .server(tls: .localhost, answering { _ in .response(body: "ok") }) { server in
                    let options = try TransferOptions.trustingTestAuthority
                    let request = URLRequest("GET", server.url(), headers: ["Connection": "close"])
                    #expect(await perform(request, options).end == "ok")
                    await server.waitForConnectionsToClose()
                    #expect(server.history.connection(1)?.failure == nil)
                })),
    ]
}
