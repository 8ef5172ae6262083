// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    /// The first response is followed by an unrequested response, which the second request must not get.
    static let leftover: [FaultCase] = [
        poisoned("length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst", [Answer(200, "first")]),
        poisoned("empty", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", [Answer(200, "")]),
        poisoned(
            "chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n",
            [Answer(200, "first")]),
        poisoned("204", "HTTP/1.1 204 No Content\r\n\r\n", [Answer(204, "")]),
        poisoned("304", "HTTP/1.1 304 Not Modified\r\n\r\n", [Answer(304, "")]),
        poisoned("head", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", [Answer(200, "")], method: "HEAD"),
        poisoned("404", "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone", [Answer(404, "none")]),
        poisoned(
            "gzip", gzipHead(0), [Answer(200, "")]),
        FaultCase(
            "leftover-later", .leftover, "A response that comes while a connection is idle belongs to no request.",
            [
                ServerPlan(
                    .plain,
                    [
                        "/1": [.ok("first").then(.wait(milliseconds: 150), .text(poison))],
                        "/2": [.ok("second")],
                    ]),
                ServerPlan(.plain, .wait(milliseconds: 500), .text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwait")),
            ],
            [
                .init("GET", "{0}/1", expect: .either("first")), .init("GET", "{1}/", expect: .success("wait")),
                .init("GET", "{0}/2", expect: .either("second")),
            ]),
        FaultCase(
            "leftover-redirect", .leftover, "Bytes after a redirect are not the response that it leads to.",
            [ServerPlan(.plain, ["/1": [.redirect(to: "{0}/2").then(.text(poison))], "/2": [.ok("second")]])],
            [.init("GET", "{0}/1", expect: .either("second"))]),
        FaultCase(
            "leftover-of-redirect-body", .leftover, "The body of a redirect is not the response that it leads to.",
            [
                ServerPlan(
                    .plain,
                    [
                        "/1": [
                            Reply([.text("HTTP/1.1 302 Found\r\nLocation: /2\r\nContent-Length: 1000\r\n\r\n\(body)")])
                        ],
                        "/2": [.ok("second")],
                    ])
            ], [.init("GET", "{0}/1", expect: .success("second"))]),
        FaultCase(
            "leftover-tls", .leftover, "Over TLS, bytes after a response belong to no request either.",
            [.secure(["/1": [.ok("first").then(.text(poison))], "/2": [.ok("second")]])], two([Answer(200, "first")])),
        FaultCase(
            "leftover-after-error", .leftover, "A connection on which a response was cut is not used again.",
            [
                ServerPlan(
                    .plain,
                    [
                        "/1": [Reply([.text(chunkedHead + "zz\r\nfirst\r\n0\r\n\r\n" + poison)])],
                        "/2": [.ok("second")],
                    ])
            ], [.init("GET", "{0}/1", expect: .failure), .init("GET", "{0}/2", expect: .success("second"))]),
    ]

    private static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON"

    private static func poisoned(
        _ name: String, _ text: String, _ answers: [Answer], method: String = "GET"
    ) -> FaultCase {
        FaultCase(
            "leftover-\(name)", .leftover, "Bytes after a response are not the next response (RFC 9112, 9.2).",
            [ServerPlan(.plain, ["/1": [Reply([.text(text + poison)])], "/2": [.ok("second")]])],
            two(answers, method: method))
    }

    private static func two(_ answers: [Answer], method: String = "GET") -> [FaultCase.Request] {
        [
            .init(method, "{0}/1", expect: .either(answers)), .init("GET", "{0}/2", expect: .either("second")),
        ]
    }
}
