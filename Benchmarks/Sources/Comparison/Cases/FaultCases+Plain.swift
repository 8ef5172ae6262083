// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    /// Cases without faults, which show that each client supports what the other cases need.
    static let plain: [FaultCase] = [
        FaultCase(
            "plain-get", .plain, "A response with a length is delivered.", .text(headOfBody + body),
            expect: .success(body)),
        FaultCase(
            "plain-empty", .plain, "An empty body is delivered.", .text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            expect: .success("")),
        FaultCase(
            "plain-chunked", .plain, "A response in chunks is delivered.", .text(chunkedHead + chunks + "0\r\n\r\n"),
            expect: .success(body)),
        FaultCase(
            "plain-chunked-trailers", .plain, "Trailers belong to no body.",
            .text(chunkedHead + chunks + "0\r\nX-Sum: 1\r\n\r\n"), expect: .success(body)),
        FaultCase(
            "plain-to-the-end", .plain, "Without a length, the body goes on until the connection is closed.",
            .text(openHead + body), .close, expect: .success(body)),
        FaultCase(
            "plain-slow", .plain, "A body that comes in small pieces is delivered.",
            .text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .wait(milliseconds: 700), .text("def"),
            .wait(milliseconds: 700), .text("ghi"), expect: .success("abcdefghi")),
        FaultCase(
            "plain-404", .plain, "A response with an error's status is a response.",
            .text("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone"), expect: .success([Answer(404, "none")])),
        FaultCase(
            "plain-gzip", .plain, "A body in gzip is decoded.", .text(gzipHead(Compressed.gzip(body).count)),
            .bytes(Compressed.gzip(body)), expect: .success(body)),
        method("plain-head", "HEAD", "A response to HEAD has no body.", answer: ""),
        method("plain-delete", "DELETE", "DELETE is sent.", answer: "done"),
        upload("plain-post", "POST", .memory(body), "The body of a POST arrives."),
        upload("plain-put", "PUT", .memory(body), "The body of a PUT arrives."),
        upload("plain-post-file", "POST", .file(body), "A file arrives."),
        FaultCase(
            "plain-download", .plain, "A response is written to a file.",
            [ServerPlan(.plain, .text(headOfBody + body))],
            [.init(expect: .success(body)) { $0.downloads = true }]),
        FaultCase(
            "plain-redirect", .plain, "A redirect is followed.",
            [ServerPlan(.plain, ["/": [.redirect(to: "{0}/new")], "/new": [.ok("new")]])],
            [.init(expect: .success("new"))]),
        FaultCase(
            "plain-two-requests", .plain, "Requests of one client get their own responses.",
            [ServerPlan(.plain, ["/1": [.ok("first")], "/2": [.ok("second")]])],
            [.init("GET", "{0}/1", expect: .success("first")), .init("GET", "{0}/2", expect: .success("second"))]),
        FaultCase(
            "plain-tls", .plain, "A response over TLS is delivered.", [.secure(.text(headOfBody + body))],
            [.init(expect: .success(body))]),
        FaultCase(
            "plain-http2", .plain, "A response over HTTP/2 is delivered.",
            [.http2(.frame(.headers([(":status", "200")])), .frame(.data(body, isLast: true)))],
            [.init(expect: .success(body))]),
    ]

    private static func method(_ name: String, _ method: String, _ rule: String, answer: String) -> FaultCase {
        let reply = Reply([.text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\(answer)")])
        return FaultCase(
            name, .plain, rule, [ServerPlan(.plain, ["\(method) /": [reply]])],
            [.init(method, expect: .success(answer))])
    }

    private static func upload(
        _ name: String, _ method: String, _ content: FaultCase.Request.Body, _ rule: String
    ) -> FaultCase {
        FaultCase(
            name, .plain, rule, [ServerPlan(.plain, ["\(method) /a": [.ok("done")]])],
            [.init(method, "{0}/a", expect: .success("done")) { $0.body = content }]
        ) { $0.checks = [.body(body, path: "/a", at: 0), .requests(0, nil, atMost: 1)] }
    }

    static func gzipHead(_ count: Int, _ coding: String = "gzip") -> String {
        "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(count)\r\n\r\n"
    }
}
