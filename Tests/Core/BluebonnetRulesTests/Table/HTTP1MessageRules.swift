// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

extension RuleTable {
    private static let ok = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"

    static let http1Messages: [Rule] = [
        Rule(
            .http1, "2.2", "a message is parsed as bytes: bytes outside ASCII in a value are harmless",
            .held(
                RuleCase {
                    var bytes = Data("HTTP/1.1 200 OK\r\nX-Raw: ".utf8)
                    bytes.append(contentsOf: [0xE9, 0xC3, 0xA9, 0xFF])
                    bytes.append(contentsOf: "\r\nContent-Length: 2\r\n\r\nok".utf8)
                    try await TestServer.answering(.raw(bytes)) { server in
                        let operation = await get(server.url())
                        #expect(operation.end == "ok")
                        #expect(operation.responseHeaders["X-Raw"] != nil)
                    }
                })),
        Rule(
            .http1, "2.2", "a carriage return without a line feed makes a response invalid",
            .held(
                .responses([
                    ("HTTP/1.1 200 OK\nX: a\rb\nContent-Length: 2\n\nok", RuleCase.badResponse),
                    ("HTTP/1.1 200 O\rK\nContent-Length: 2\n\nok", RuleCase.badResponse),
                ]))),
        Rule(
            .http1, "2.2", "no carriage return without a line feed is sent",
            .held(.refuses("GE\rT", .invalidRequest))),
        Rule(
            .http1, "2.2", "no empty line is sent before or after a request",
            .held(
                .server(answering { _ in .response(body: "ok") }) { server in
                    await perform(URLRequest("POST", server.url(), body: "body"))
                    await get(server.url())
                    #expect(server.requests.map(\.method) == ["POST", "GET"])
                    #expect(server.requests.last?.headText.hasPrefix("GET / HTTP/1.1\r\n") == true)
                })),
        Rule(
            .http1, "2.2", "no white space is sent between the request line and the first field",
            .held(
                .sends { request, _ in
                    let lines = request.headText.components(separatedBy: "\r\n")
                    #expect(lines.dropLast(2).allSatisfy { !$0.hasPrefix(" ") && !$0.hasPrefix("\t") })
                })),
        Rule(
            .http1, "2.2", "white space between the status line and the first field: the response is refused",
            .held(.elsewhere("SwitchClaimTests.foldedFirstLineIsRefusedWithDefaultTuning"))),
        Rule(
            .http1, "2.3", "the sent version is a version that the library supports",
            .held(.sends { request, _ in #expect(request.version == "HTTP/1.1") })),
        Rule(
            .http1, "3", "the target of a request contains no white space",
            .held(
                .sends("GET", "/a%20b?c%20d") { request, _ in
                    #expect(request.headText.hasPrefix("GET /a%20b?c%20d HTTP/1.1\r\n"))
                })),
        Rule(
            .http1, "3.2", "a request has one Host field, of host and port without user information",
            .held(
                .server(answering { _ in .response() }) { server in
                    let url = try #require(URL(string: "http://user:secret@127.0.0.1:\(server.port)/"))
                    await get(url)
                    #expect(server.sent("Host") == ["127.0.0.1:\(server.port)"])
                })),
        Rule(
            .http1, "3.2", "Host is not empty unless the target has no authority",
            .notApplicable("a URL without a host is refused: RFC 9110, 4.2.1")),
        Rule(
            .http1, "3.2.1", "a request to a server itself has only path and query, without the fragment",
            .held(
                .sends("GET", "/path?query=1#fragment") { request, _ in #expect(request.target == "/path?query=1") })),
        Rule(
            .http1, "3.2.1", "an empty path is sent as a slash",
            .held(
                RuleCase {
                    for (text, target) in [("", "/"), ("?query", "/?query"), ("#fragment", "/")] {
                        try await TestServer.answering(.response()) { server in
                            await get(try #require(URL(string: "http://127.0.0.1:\(server.port)\(text)")))
                            #expect(server.requests.map(\.target) == [target])
                        }
                    }
                })),
        Rule(
            .http1, "3.2.2", "a request to a proxy has the whole URL",
            .held(
                .proxy("http://origin.invalid:8080/path?query#fragment") { _, proxy in
                    #expect(proxy.requests.map(\.target) == ["http://origin.invalid:8080/path?query"])
                })),
        Rule(
            .http1, "3.2.2", "Host is the host of the URL, also in a request to a proxy",
            .held(
                .server(answering { _ in .response() }) { proxy in
                    let options = try TransferOptions { $0.proxy = try Proxy("http://127.0.0.1:\(proxy.port)") }
                    let hosts = ["origin.invalid:8080", "[2001::1]:8080", "origin.invalid", "[2001::1]"]
                    for host in hosts + hosts {
                        await get(try #require(URL(string: "http://\(host)/path")), options)
                    }
                    #expect(proxy.sent("Host") == hosts + hosts)
                })),
        Rule(
            .http1, "3.2.3", "CONNECT has host and port as its target",
            .held(
                .proxy("https://origin.invalid/path", .response(status: 403)) { operation, proxy in
                    #expect(operation.error != nil)
                    #expect(proxy.requests.map(\.target) == ["origin.invalid:443"])
                    #expect(proxy.sent("Host") == ["origin.invalid:443"])
                })),
        Rule(
            .http1, "3.2.4", "OPTIONS for a whole server has an asterisk as its target",
            .notApplicable("no URL stands for it, and every URL has a path")),
        Rule(
            .http1, "4", "a status line is accepted with any reason phrase, and without one",
            .held(
                .responses([
                    ("HTTP/1.1 200 \nContent-Length: 2\n\nok", .body("ok")),
                    ("HTTP/1.1 200\nContent-Length: 2\n\nok", .body("ok")),
                    ("HTTP/1.1 200 Not Found at all: 404\nContent-Length: 2\n\nok", .body("ok")),
                ]))),
        Rule(
            .http1, "4", "bytes that do not begin with a status line are not a response",
            .held(
                .responses([
                    ("hello", .anyError), ("HTTP/1.1 20 OK\n\n", .anyError), ("HTTP/1.1 2000 OK\n\n", .anyError),
                    ("HTTP/1.1 abc OK\n\n", .anyError), ("HTTP 200 OK\n\n", .anyError), ("<html></html>", .anyError),
                ]))),
        Rule(
            .http1, "5", "names of fields are compared without regard to case",
            .held(.responses([("HTTP/1.1 200 OK\ncOnTeNt-LENGTH: 2\n\nok", .body("ok"))]))),
        Rule(
            .http1, "5.1", "white space around a value is ignored",
            .held(
                RuleCase {
                    let raw = "HTTP/1.1 200 OK\r\nX: \t a b \t \r\nContent-Length:2\t\r\n\r\nok"
                    try await TestServer.answering(.raw(raw)) { server in
                        let operation = await get(server.url())
                        #expect(operation.end == "ok")
                        #expect(operation.responseHeaders["X"] == "a b")
                    }
                })),
        Rule(
            .http1, "5.1", "white space before a colon: a proxy removes it, a client need not",
            .stricter(
                "the response is refused", .responses([("HTTP/1.1 200 OK\nContent-Length : 2\n\nok", .anyError)]))),
        Rule(
            .http1, "5.2", "a value that continues on the next line is joined with a space",
            .held(
                RuleCase {
                    let raw = "HTTP/1.1 200 OK\r\nX: a\r\n \t b\r\nContent-Length: 2\r\n\r\nok"
                    try await TestServer.answering(.raw(raw)) { server in
                        let operation = await get(server.url())
                        #expect(operation.end == "ok")
                        #expect(operation.responseHeaders["X"] == "a b")
                    }
                })),
        Rule(
            .http1, "5.2", "no value that continues on the next line is sent",
            .held(.refuses(headers: ["X\r\n Y": "1"], .invalidRequest))),
    ]
}
