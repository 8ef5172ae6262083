// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let head: [FaultCase] = [
        FaultCase(
            "head-garbage", .head, "Other text is no response.", .text("hello world\r\n\r\n"), .close, expect: .failure),
        FaultCase(
            "head-http-0.9", .head, "A body without a head is no response.", .text(body), .close, expect: .failure),
        FaultCase(
            "head-of-mail", .head, "The greeting of another protocol is no response.",
            .text("220 mail.example.com ESMTP\r\n"), .close, expect: .failure),
        FaultCase(
            "head-of-tls", .head, "A TLS server's alert is no response.", [ServerPlan(.tls(.good, nil), .text(""))],
            [.init("GET", "http://127.0.0.1:{0:port}/", expect: .failure)]),
        status("short", "20 OK", .failure), status("long", "2000 OK", .failure), status("letters", "2xx OK", .failure),
        status("negative", "-200 OK", .failure), status("without-reason", "200", .either("hello")),
        status("with-long-reason", "200 " + String(repeating: "r", count: 20000), .either("hello")),
        fields("nul", "X-A: a\u{0}b", "NUL in a value is replaced or an error (RFC 9110, 5.5).", .either("hello")),
        fields("bare-cr", "X-A: a\rX-B: b", "A bare CR in a value is replaced or an error.", .either("hello")),
        fields("folded", "X-A: a\r\n b", "A folded value is one value (RFC 9112, 5.2).", .success("hello")),
        fields("without-colon", "nothing", "A line that is no field changes no body.", .either("hello")),
        fields("without-name", ": a", "A field without a name changes no body.", .either("hello")),
        fields("space-in-name", "X A: b", "A name with a space changes no body.", .either("hello")),
        fields("not-ascii", "X-A: caf\u{E9}", "Values may have other bytes than ASCII's.", .success("hello")),
        FaultCase(
            "head-bare-lf", .head, "LF alone may end a line (RFC 9112, 2.2).",
            .text("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"), expect: .either("hello")),
        FaultCase(
            "interim-103", .head, "An interim response is not the final one.",
            .text("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
            expect: .success("hello")),
        FaultCase(
            "interim-with-length", .head, "An interim response has no body, whatever it says.",
            .text("HTTP/1.1 103 X\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
            expect: .either("hello")),
        FaultCase(
            "interim-500", .head, "After 500 interim responses comes the final one, or an error.",
            .flood(bytes("HTTP/1.1 100 Continue\r\n\r\n"), count: 500),
            .text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), expect: .either("hello")),
        FaultCase(
            "interim-alone", .head, "An interim response alone is no response.",
            .text("HTTP/1.1 103 Early Hints\r\n\r\n"), .close, expect: .failure),
        FaultCase(
            "interim-101", .head, "A change of the protocol that nobody asked for gives no response.",
            .text("HTTP/1.1 101 X\r\nUpgrade: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), .close,
            expect: .either([Answer(101, nil)])),
        FaultCase(
            "status-304", .head, "A 304 has no body, also when nobody asked.",
            .text("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"), expect: .either([Answer(304, "")])),
        FaultCase(
            "status-204", .head, "A 204 has no body, whatever it says.",
            .text("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"), .close,
            expect: .either([Answer(204, "")])),
    ]

    private static func status(_ name: String, _ text: String, _ expectation: Expectation) -> FaultCase {
        FaultCase(
            "status-\(name)", .head, "A status line is read exactly.",
            .text("HTTP/1.1 \(text)\r\nContent-Length: 5\r\n\r\nhello"), .close, expect: expectation)
    }

    private static func fields(_ name: String, _ line: String, _ rule: String, _ expectation: Expectation) -> FaultCase
    {
        FaultCase(
            "field-\(name)", .head, rule, .text("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 5\r\n\r\nhello"),
            expect: expectation)
    }
}
