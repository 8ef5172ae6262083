// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let cut: [FaultCase] =
        headCuts + lengthCuts + chunkCuts + [
            FaultCase(
                "cut-by-reset", .cut, "A reset in the body is an error.", .text(headOfBody + body.prefix(500)),
                .wait(milliseconds: 100), .reset, expect: .failure),
            FaultCase(
                "cut-by-reset-without-length", .cut, "A reset is no end of a body without a length.",
                .text(openHead + body.prefix(500)), .wait(milliseconds: 100), .reset, expect: .failure),
            FaultCase(
                "cut-404", .cut, "The body of a 404 is not complete before its end.",
                .text("HTTP/1.1 404 Not Found\r\nContent-Length: 1000\r\n\r\nnone"), .close, expect: .failure),
            FaultCase(
                "cut-none-for-head", .cut, "After HEAD, no body is missing.",
                [ServerPlan(.plain, .text(headOfBody), .close)], [.init("HEAD", expect: .success(""))]),
            download("cut-download", "A file is not complete before the length.", headOfBody + body.prefix(999)),
            download("cut-download-chunked", "A file is not complete before the last chunk.", chunkedHead + chunks),
            secure(
                "cut-tls-length", "TLS's notice is no end of a body with a length.", headOfBody + body.prefix(500),
                .close),
            secure(
                "cut-tls-length-without-notice", "A connection that ends without TLS's notice cuts a body.",
                headOfBody + body.prefix(500), .closeWithoutNotice),
            secure(
                "cut-tls-chunked-without-notice", "Without the last chunk, a body is not complete.",
                chunkedHead + chunks, .closeWithoutNotice),
            secure(
                "cut-tls-open-without-notice", "Only TLS's notice ends a body without a length (RFC 9112, 9.8).",
                openHead + body.prefix(500), .closeWithoutNotice),
            secure(
                "cut-tls-open-with-notice", "TLS's notice ends a body without a length.", openHead + body, .close,
                .success(body)),
            FaultCase(
                "cut-after-redirect", .cut, "The response after a redirect is not complete before its length.",
                [
                    ServerPlan(
                        .plain,
                        [
                            "/": [.redirect(to: "{0}/new")],
                            "/new": [Reply([.text(headOfBody + body.prefix(500)), .close])],
                        ])
                ], [.init(expect: .failure)]),
        ]

    private static let headCuts = [
        ("nothing", "", "A connection that ends without a response is an error."),
        ("in-status-line", "HTTP/1.1 20", "Half a status line is no response."),
        ("in-field", "HTTP/1.1 200 OK\r\nContent-Len", "Half a header field is no response."),
        ("before-empty-line", "HTTP/1.1 200 OK\r\nX-A: b\r\n", "A head without its end is no response."),
        ("in-empty-line", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r", "A head without its end is no response."),
    ].map { name, text, rule in
        FaultCase("cut-\(name)", .cut, rule, .text(text), .close, expect: .failure)
    }

    private static let lengthCuts = [0, 1, 500, 999].map { count in
        FaultCase(
            "cut-length-at-\(count)", .cut, "\(count) of 1,000 bytes are no complete body.",
            .text(headOfBody + body.prefix(count)), .close, expect: .failure)
    }

    private static let chunkCuts = [
        ("in-size", "1F4\r\n\(body.prefix(500))\r\n1", "Half a chunk's size is no end."),
        ("after-size", "1F4\r\n", "A chunk without its data is no end."),
        ("in-data", "1F4\r\n\(body.prefix(250))", "Half a chunk is no end."),
        ("after-data", "1F4\r\n\(body.prefix(500))", "A chunk without its line's end is no end."),
        ("before-last", chunks, "Without the last chunk, a body is not complete (RFC 9112, 8)."),
        ("in-last", chunks + "0", "Half a last chunk is no end."),
    ].map { name, text, rule in
        FaultCase("cut-chunk-\(name)", .cut, rule, .text(chunkedHead + text), .close, expect: .failure)
    }

    private static func download(_ name: String, _ rule: String, _ text: String) -> FaultCase {
        FaultCase(
            name, .cut, rule, [ServerPlan(.plain, .text(text), .close)],
            [.init(expect: .failure) { $0.downloads = true }])
    }

    private static func secure(
        _ name: String, _ rule: String, _ text: String, _ end: Step, _ expectation: Expectation = .failure
    ) -> FaultCase {
        FaultCase(name, .cut, rule, [.secure(.text(text), end)], [.init(expect: expectation)])
    }
}
