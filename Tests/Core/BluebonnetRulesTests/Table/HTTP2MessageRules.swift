// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

extension RuleTable {
    private typealias Frame = HTTP2WireServer.Frame

    /// A head with these fields after its status, and a body.
    private static func head(_ fields: [(String, String)]) -> [HTTP2WireServer.Frame] {
        [.head([(":status", "200")] + fields), .data("ok", ends: true)]
    }

    /// Response fields, each of which makes its response malformed.
    private static func malformed(_ rows: [(String, String)]) -> RuleCase {
        http2(rows.map { head([$0]) })
    }

    private static func http2(_ responses: [[HTTP2WireServer.Frame]]) -> RuleCase {
        .http2 { server, options in
            for frames in responses {
                let operation = await get(server.url(frames), options)
                #expect(operation.error != nil, "\(frames)")
                #expect(await get(server.url(path: "/next"), options).end == "ok")
            }
        }
    }

    static let http2Messages: [Rule] = [
        Rule(
            .http2, "8.1", "interim heads before the final one are read",
            .held(
                .frames(
                    [.head([(":status", "100")]), .head([(":status", "103"), ("link", "</a>")])]
                        + head([]), .body("ok")))),
        Rule(
            .http2, "8.1", "an interim head that ends the stream is malformed",
            .held(.frames([.head([(":status", "103")], ends: true)], .anyError))),
        Rule(
            .http2, "8.1", "fields after the content end the stream, and do not become fields of the head",
            .held(
                .http2 { server, options in
                    let url = server.url([.head([(":status", "200")]), .data("ok"), .head([("late", "1")], ends: true)])
                    let operation = await get(url, options)
                    #expect(operation.end == "ok")
                    #expect(operation.responseHeaders.isEmpty)
                })),
        Rule(
            .http2, "8.1", "a second head that does not end the stream is malformed",
            .held(
                .frames(
                    [.head([(":status", "200")]), .data("ok"), .head([("late", "1")]), .data("more", ends: true)],
                    .anyError))),
        Rule(
            .http2, "8.1", "a complete response is not discarded because RST_STREAM with NO_ERROR follows",
            .held(
                .http2 { server, options in
                    let frames: [Frame] = [.head([(":status", "413")]), .data("ok", ends: true), .reset(0)]
                    let request = URLRequest(
                        "POST", server.url(frames, isEarly: true), body: String(repeating: "x", count: 200_000))
                    let operation = await perform(request, options)
                    #expect(operation.end == "ok")
                    #expect(operation.statusCode == 413)
                })),
        Rule(
            .http2, "8.1.1", "content of another length than Content-Length makes a response malformed",
            .held(
                http2([
                    [.head([(":status", "200"), ("content-length", "3")]), .data("ok", ends: true)],
                    [.head([(":status", "200"), ("content-length", "1")]), .data("ok", ends: true)],
                    [.head([(":status", "200"), ("content-length", "2")], ends: true)],
                ]))),
        Rule(
            .http2, "8.1.1", "a response whose stream does not end is incomplete",
            .held(.frames([.head([(":status", "200")]), .data("ok")], .anyError, isClosed: true))),
        Rule(
            .http2, "8.2", "the names of fields are sent in lower case",
            .held(
                .sendsHTTP2(headers: ["X-Upper-Case": "Value"]) { head in
                    #expect(head.names.allSatisfy { $0 == $0.lowercased() })
                    #expect(head["x-upper-case"] == "Value")
                })),
        Rule(
            .http2, "8.2.1", "a name with a capital, a space or a control character makes a response malformed",
            .held(
                malformed([("X-Upper", "1"), ("x y", "1"), ("x\u{1}", "1"), ("x\u{7F}", "1"), ("x\r\ny", "1")]))),
        Rule(
            .http2, "8.2.1", "a colon within a name makes a response malformed", .held(malformed([("x:y", "1")]))),
        Rule(
            .http2, "8.2.1", "a value with NUL, CR or LF makes a response malformed",
            .held(malformed([("x", "a\0b"), ("x", "a\rb"), ("x", "a\nb"), ("x", "a\r\nb: c")]))),
        Rule(
            .http2, "8.2.1", "a value with white space around it makes a response malformed",
            .deviates(
                "the white space is cut off",
                .http2 { server, options in
                    let operation = await get(server.url(head([("x", " a\t")])), options)
                    #expect(operation.end == "ok")
                    #expect(operation.responseHeaders["x"] == "a")
                })),
        Rule(
            .http2, "8.2.2", "connection-specific fields are not sent",
            .held(
                .sendsHTTP2(headers: ["Connection": "close, x", "Keep-Alive": "timeout=5", "Proxy-Connection": "x"]) {
                    head in
                    for name in ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"] {
                        #expect(head[name] == nil, "\(name)")
                    }
                })),
        Rule(
            .http2, "8.2.2", "TE is sent only with the value trailers",
            .held(
                RuleCase {
                    try await RuleCase.sendsHTTP2(headers: ["TE": "trailers"]) { #expect($0["te"] == "trailers") }.run()
                    try await RuleCase.sendsHTTP2(headers: ["TE": "gzip"]) { #expect($0["te"] == nil) }.run()
                })),
        Rule(
            .http2, "8.2.2", "connection-specific fields make a response malformed",
            .held(
                malformed([
                    ("connection", "close"), ("keep-alive", "timeout=5"), ("transfer-encoding", "chunked"),
                    ("upgrade", "x"), ("proxy-connection", "x"),
                ]))),
        Rule(
            .http2, "8.3", "unknown pseudo-header fields, and request pseudo-header fields, make a response malformed",
            .held(malformed([(":unknown", "1"), (":path", "/"), (":method", "GET")]))),
        Rule(
            .http2, "8.3", "a pseudo-header field after another field makes a response malformed",
            .held(.frames([.head([("x", "1"), (":status", "200")]), .data("ok", ends: true)], .anyError))),
        Rule(
            .http2, "8.3", "pseudo-header fields after the content make a response malformed",
            .held(
                .frames(
                    [.head([(":status", "200")]), .data("ok"), .head([(":status", "200")], ends: true)], .anyError))),
        Rule(
            .http2, "8.3", "pseudo-header fields are sent before all others, and no unknown ones",
            .held(
                .sendsHTTP2(headers: ["Accept": "text/plain"]) { head in
                    let count = head.names.prefix { $0.hasPrefix(":") }.count
                    #expect(Set(head.names.prefix(count)) == [":method", ":scheme", ":path", ":authority"])
                    #expect(head.names.dropFirst(count).allSatisfy { !$0.hasPrefix(":") })
                })),
        Rule(
            .http2, "8.3.1", "method, scheme and path are sent once, and the path is not empty",
            .held(
                .http2 { server, options in
                    var parts = try #require(URLComponents(url: server.url(path: ""), resolvingAgainstBaseURL: false))
                    parts.path = ""
                    parts.query = "ok"
                    _ = await get(try #require(parts.url), options)
                    let head = try #require(server.heads.first)
                    #expect(head.values(named: ":method") == ["GET"])
                    #expect(head.values(named: ":scheme") == ["https"])
                    #expect(head.values(named: ":path") == ["/?ok"])
                })),
        Rule(
            .http2, "8.3.1", "the authority has no user information",
            .held(
                .http2 { server, options in
                    var parts = try #require(URLComponents(url: server.url(path: ""), resolvingAgainstBaseURL: false))
                    (parts.user, parts.password) = ("user", "secret")
                    #expect(await get(try #require(parts.url), options).end == "ok")
                    #expect(server.heads.first?[":authority"] == "127.0.0.1:\(parts.port ?? 0)")
                })),
        Rule(
            .http2, "8.3.1", "no Host is sent that differs from the authority",
            .held(
                .sendsHTTP2(headers: ["Host": "other.example"]) { head in
                    #expect(head[":authority"] == "other.example")
                    #expect(head["host"] == nil || head["host"] == "other.example")
                })),
        Rule(
            .http2, "8.3.2", "a response has one status of three digits",
            .held(
                http2([
                    [.head([("x", "1")]), .data("ok", ends: true)],
                    [.head([(":status", "200"), (":status", "200")]), .data("ok", ends: true)],
                    [.head([(":status", "20")]), .data("ok", ends: true)],
                    [.head([(":status", "")]), .data("ok", ends: true)],
                ]))),
        Rule(
            .http2, "8.4", "a client does not push",
            .held(
                .http2 { server, options in
                    #expect(await get(server.url(path: ""), options).end == "ok")
                    #expect(!server.frames.contains { $0.kind == 5 })
                })),
        Rule(
            .http2, "8.4.1", "promised requests are checked before they are used",
            .notApplicable("push is switched off")),
        Rule(
            .http2, "8.5", "CONNECT over HTTP/2 has neither scheme nor path",
            .notApplicable("tunnels are asked for over HTTP/1.1")),
        Rule(
            .http2, "8.6", "101 is not a response of HTTP/2",
            .held(.frames([.head([(":status", "101")])] + head([]), .anyError))),
        Rule(
            .http2, "8.7", "a request that the server has not processed may be sent again",
            .held(.elsewhere("HTTP2FaultTests.refusedRequestsAreSentAgain"))),
    ]
}
