// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

extension RuleTable {
    private static let chunked = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"

    static let http1Bodies: [Rule] = [
        Rule(
            .http1, "6.1", "chunked coding is understood",
            .held(.responses([("\(chunked)2\nok\n1\n!\n0\n\n", .body("ok!"))]))),
        Rule(
            .http1, "6.1", "a body without a length is sent in chunks, once, with chunked as the last coding",
            .held(
                .server(answering { _ in .response() }) { server in
                    var request = URLRequest("POST", server.url())
                    request.httpBodyStream = InputStream(data: Data("streamed".utf8))
                    await perform(request)
                    #expect(server.sent("Transfer-Encoding") == ["chunked"])
                    #expect(server.sent("Content-Length") == [])
                    #expect(server.requests.first?.bodyText == "streamed")
                })),
        Rule(
            .http1, "6.1", "Transfer-Encoding is not sent to a server that may not know HTTP/1.1",
            .deviates(
                "a body stream without a length goes out in chunks to a server that was never asked before",
                .server(answering { _ in .raw("HTTP/1.0 411 Length Required\r\n\r\n").then(.close) }) { server in
                    var request = URLRequest("POST", server.url())
                    request.httpBodyStream = InputStream(data: Data("streamed".utf8))
                    await perform(request)
                    #expect(server.sent("Transfer-Encoding") == ["chunked"])
                })),
        Rule(
            .http1, "6.1",
            "the connection of an HTTP/1.0 response with Transfer-Encoding is closed, because its end is uncertain",
            .held(
                .secondConnection(
                    after: "HTTP/1.0 200 OK\nConnection: keep-alive\nTransfer-Encoding: chunked\n\n2\nok\n0\n\n",
                    isSame: false)
            )
        ),
        Rule(
            .http1, "6.2", "no Content-Length is sent with Transfer-Encoding",
            .held(.refuses("POST", headers: ["Transfer-Encoding": "chunked"], body: "body", .invalidRequest))),
        Rule(
            .http1, "6.2", "a sent Content-Length is the length of the body",
            .held(.refuses("POST", headers: ["Content-Length": "7"], body: "body", .invalidRequest))),
        Rule(
            .http1, "6.3", "a response to HEAD, and 204 and 304, end with their head, whatever their fields say",
            .held(
                RuleCase {
                    try await RuleCase.responses(to: "HEAD", [("HTTP/1.1 200 OK\nContent-Length: 9\n\n", .status(200))])
                        .run()
                    try await RuleCase.responses([
                        ("HTTP/1.1 204 No Content\nContent-Length: 9\n\n", .status(204)),
                        ("HTTP/1.1 304 Not Modified\nContent-Length: 9\n\n", .status(304)),
                        ("HTTP/1.1 304 Not Modified\nTransfer-Encoding: chunked\n\n", .status(304)),
                    ]).run()
                })),
        Rule(
            .http1, "6.3", "a tunnel begins after the head of a 2xx to CONNECT, whatever its fields say",
            .held(
                .server(tls: .localhost, answering { _ in .response(body: "ok") }) { origin in
                    let established = Reply.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
                    try await TestServer.answering(established.then(.tunnel(toPort: origin.port))) { proxy in
                        var options = try TransferOptions.trustingTestAuthority
                        options.proxy = try Proxy("http://127.0.0.1:\(proxy.port)")
                        #expect(await get(origin.url(), options).end == "ok")
                    }
                })),
        Rule(
            .http1, "6.3", "Transfer-Encoding overrides Content-Length",
            .stricter(
                "a response with both is refused",
                .responses([
                    (
                        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Length: 2\n\n2\nok\n0\n\n",
                        RuleCase.badResponse
                    )
                ]))),
        Rule(
            .http1, "6.3", "a response whose last coding is not chunked ends with its connection",
            .stricter(
                "codings other than chunked are not asked for, and refused",
                RuleCase {
                    for codings in ["unknown", "chunked, unknown", "gzip", "gzip, chunked", "chunked, chunked"] {
                        try await RuleCase.responses([
                            ("HTTP/1.1 200 OK\nTransfer-Encoding: \(codings)\n\n2\nok\n0\n\n", RuleCase.badResponse)
                        ]).run()
                    }
                })),
        Rule(
            .http1, "6.3", "a response with an invalid Content-Length is discarded with its connection",
            .held(
                .responses([
                    ("HTTP/1.1 200 OK\nContent-Length: -2\n\nok", RuleCase.badResponse),
                    ("HTTP/1.1 200 OK\nContent-Length: 2x\n\nok", RuleCase.badResponse),
                    ("HTTP/1.1 200 OK\nContent-Length: +2\n\nok", RuleCase.badResponse),
                    ("HTTP/1.1 200 OK\nContent-Length: 2, 3\n\nok", RuleCase.badResponse),
                    ("HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 3\n\nok", RuleCase.badResponse),
                ]))),
        Rule(
            .http1, "6.3", "a body that is shorter than its Content-Length is incomplete",
            .held(.responses([("HTTP/1.1 200 OK\nContent-Length: 3\n\nok", .anyError)]))),
        Rule(
            .http1, "6.3", "a response without a length ends with its connection",
            .held(.responses([("HTTP/1.1 200 OK\n\nok", .body("ok"))]))),
        Rule(
            .http1, "6.3", "a request with content has a Content-Length or chunks",
            .held(
                .sends("POST", body: "body") { request, _ in
                    #expect(request.headers.values(named: "Content-Length") == ["4"])
                    #expect(request.headers["Transfer-Encoding"] == nil)
                })),
        Rule(
            .http1, "6.3", "bytes after a response are not another response",
            .held(
                .secondConnection(
                    after: "HTTP/1.1 200 OK\nContent-Length: 2\n\nokHTTP/1.1 200 OK\nContent-Length: 4\n\nevil",
                    isSame: false))
        ),
        Rule(
            .http1, "7",
            "codings other than chunked, such as gzip in Transfer-Encoding, are supported if TE lists them",
            .notApplicable("no TE is sent unless by the program, see RFC 9110, 10.1.4")),
        Rule(
            .http1, "7.1", "sizes of chunks in large hexadecimal numbers cause no overflow",
            .held(
                .responses([
                    ("\(chunked)10000000000000002\nok\n0\n\n", .anyError),
                    ("\(chunked)FFFFFFFFFFFFFFFF\nok\n0\n\n", .anyError),
                    ("\(chunked)0000000000000002\nok\n0\n\n", .body("ok")),
                ]))),
        Rule(
            .http1, "7.1", "malformed chunks are refused",
            .held(
                .responses([
                    ("\(chunked)x\nok\n0\n\n", .anyError), ("\(chunked)-2\nok\n0\n\n", .anyError),
                    ("\(chunked)2\nokx\n0\n\n", .anyError), ("\(chunked)\nok\n0\n\n", .anyError),
                    ("\(chunked)2 2\nok\n0\n\n", .anyError), ("\(chunked)2;\u{1}\nok\n0\n\n", .anyError),
                ]))),
        Rule(
            .http1, "7.1.1", "unknown chunk extensions are ignored",
            .held(.responses([("\(chunked)2;name;a=b;c=\"d;e\"\nok\n0;last\n\n", .body("ok"))]))),
        Rule(
            .http1, "7.1.2", "fields after the chunks do not become fields of the head",
            .held(
                RuleCase {
                    let trailers: WireFields = ["X-Late": "1", "Content-Type": "text/html", "Set-Cookie": "a=1"]
                    try await TestServer.answering(.chunked(chunks: ["ok"], trailers: trailers)) { server in
                        let operation = await get(server.url())
                        #expect(operation.end == "ok")
                        #expect(operation.responseHeaders.map(\.name) == ["Transfer-Encoding"])
                    }
                })),
        Rule(
            .http1, "7.4", "TE does not contain chunked",
            .held(.refuses(headers: ["TE": "trailers, chunked"], .invalidRequest))),
        Rule(
            .http1, "8", "a response that ends within its head is incomplete",
            .held(
                .responses([
                    ("HTTP/1.1 200 OK\nContent-Length: 0\n", .anyError), ("HTTP/1.1 200 OK", .anyError),
                    ("HTTP/1.1 200 OK\nX: 1", .anyError), ("HTTP", .anyError),
                ]))),
        Rule(
            .http1, "8", "a body in chunks without the last one is incomplete",
            .held(
                .responses([
                    ("\(chunked)2\nok\n", .anyError), ("\(chunked)2\nok\n0\n", .anyError), (chunked, .anyError),
                    ("\(chunked)5\nok", .anyError),
                ]))),
    ]
}
