// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let http2: [FaultCase] = [
        stream(
            "h2-body-short", "A body that is shorter than its length is an error (RFC 9113, 8.1.1).",
            .frame(head(1000)),
            .frame(.data(String(body.prefix(500)), isLast: true)), expect: .failure),
        stream(
            "h2-body-missing", "A body that does not come is an error.",
            .frame(.headers([(":status", "200"), ("content-length", "5")], isLast: true)), expect: .failure),
        stream(
            "h2-body-long", "A body that is longer than its length is an error.", .frame(head(500)),
            .frame(.data(body, isLast: true)), expect: .failure),
        stream(
            "h2-reset-in-body", "A reset in the body is an error.", .frame(head(1000)),
            .frame(.data(String(body.prefix(500)))), .frame(.reset(2)), expect: .failure),
        stream(
            "h2-reset-without-error-in-body", "A reset with the code NO_ERROR completes no body.", .frame(head(1000)),
            .frame(.data(String(body.prefix(500)))), .frame(.reset(0)), expect: .failure),
        stream(
            "h2-reset-without-length", "A reset completes no body without a length.",
            .frame(.headers([(":status", "200")])), .frame(.data(String(body.prefix(500)))), .frame(.reset(0)),
            expect: .failure),
        stream("h2-reset-at-once", "A reset instead of a response is an error.", .frame(.reset(2)), expect: .failure),
        stream(
            "h2-closed-in-body", "The end of the connection completes no body.", .frame(.headers([(":status", "200")])),
            .frame(.data(String(body.prefix(500)))), .close, expect: .failure),
        stream(
            "h2-closed-with-goaway", "A GOAWAY and the end of the connection complete no body.",
            .frame(.headers([(":status", "200")])), .frame(.data(String(body.prefix(500)))),
            .frame(.goAway(last: 1, code: 0)), .close, expect: .failure),
        stream(
            "h2-without-status", "A head without a status is an error.", .frame(.headers([("a", "b")])),
            .frame(.data("hello", isLast: true)), expect: .failure),
        stream(
            "h2-upper-case", "A name with capitals is an error (RFC 9113, 8.2.1).",
            .frame(.headers([(":status", "200"), ("X-A", "b")])), .frame(.data("hello", isLast: true)), expect: .failure
        ),
        stream(
            "h2-connection-field", "A field of the connection is an error (RFC 9113, 8.2.2).",
            .frame(.headers([(":status", "200"), ("transfer-encoding", "chunked")])),
            .frame(.data("5\r\nhello\r\n0\r\n\r\n", isLast: true)), expect: .failure),
        stream(
            "h2-lengths-differ", "Two different lengths are an error.",
            .frame(.headers([(":status", "200"), ("content-length", "5"), ("content-length", "6")])),
            .frame(.data("hello", isLast: true)), expect: .failure),
        stream(
            "h2-gzip-half", "Half of a member of gzip is an error.",
            .frame(.headers([(":status", "200"), ("content-encoding", "gzip")])),
            .frame(Frame(type: 0, flags: 1, .request, Array(Compressed.gzip(body).prefix(512)))), expect: .failure),
        stream(
            "h2-data-before-head", "A body before its head is an error.", .frame(.data("hello", isLast: true)),
            expect: .failure),
        stream(
            "h2-frame-too-large", "A frame above the client's limit is an error (RFC 9113, 4.2).",
            .frame(.headers([(":status", "200")])),
            .frame(Frame(type: 0, flags: 1, .request, [UInt8](repeating: 97, count: 40000))), expect: .failure),
        stream(
            "h2-padding-too-long", "Padding that is longer than its frame is an error.",
            .frame(.headers([(":status", "200")])), .frame(Frame(type: 0, flags: 9, .request, [200, 97, 98])),
            expect: .failure),
        stream(
            "h2-pushed", "A response that was not asked for is refused, or an error.", .frame(.promise),
            .frame(.headers([(":status", "200")])), .frame(.data("hello", isLast: true)), expect: .either("hello")),
        stream(
            "h2-interim", "An interim response is not the final one.", .frame(.headers([(":status", "103")])),
            .frame(.headers([(":status", "200")])), .frame(.data("hello", isLast: true)), expect: .success("hello")),
        stream(
            "h2-pings", "A thousand PING frames are survived.",
            .flood(Frame.ping.encoded(requestStream: 1), count: 1000),
            .frame(.headers([(":status", "200")])), .frame(.data("hello", isLast: true)), expect: .either("hello")),
        stream(
            "h2-settings", "A thousand SETTINGS frames are survived.",
            .flood(Frame.settings([3: 100]).encoded(requestStream: 1), count: 1000),
            .frame(.headers([(":status", "200")])), .frame(.data("hello", isLast: true)), expect: .either("hello")),
        FaultCase(
            "h2-continuations", .http2, "A header section without an end is bounded.",
            [
                .http2(
                    .frame(.headers([(":status", "200")], endsHead: false)),
                    .flood(
                        Frame.continuation([("a", String(repeating: "b", count: 8000))]).encoded(requestStream: 1),
                        count: 8000), .stall)
            ], [.init(expect: .failure)]
        ) { $0.checks = [.memory(megabytes: 250)] },
        stream(
            "h2-stall", "A response that does not go on ends by a time limit.", .frame(head(1000)),
            .frame(.data("part")), .stall, expect: .failure),
        post("h2-window-closed", "A body that may not be sent ends by a time limit.", [.stall], [4: 0], .failure),
        post("h2-post-reset", "A POST that was reset is not sent again.", [.frame(.reset(2))], [:], .either("hello")),
        post(
            "h2-post-goaway-handled", "A POST that GOAWAY does not exclude is not sent again.",
            [.frame(.goAway(last: 1, code: 0)), .close], [:], .either("hello")),
        again("h2-refused-stream", "A request that was refused unseen may be sent again.", [.frame(.reset(7))]),
        again(
            "h2-goaway-unhandled", "A request that GOAWAY excludes may be sent again.",
            [.frame(.goAway(last: 0, code: 0)), .close]),
    ]

    private static func head(_ count: Int) -> Frame {
        .headers([(":status", "200"), ("content-length", "\(count)")])
    }

    private static func stream(
        _ name: String, _ rule: String, _ steps: Step..., expect expectation: Expectation
    ) -> FaultCase {
        FaultCase(
            name, .http2, rule, [ServerPlan(.http2, ["*": [Reply(steps)]])], [.init(expect: expectation)])
    }

    private static func post(
        _ name: String, _ rule: String, _ steps: [Step], _ settings: [UInt16: UInt32], _ expectation: Expectation
    ) -> FaultCase {
        var server = ServerPlan(.http2, ["*": [Reply(steps), ok]])
        server.settings = settings
        return FaultCase(
            name, .http2, rule, [server], [.init("POST", expect: expectation) { $0.body = .memory("one") }]
        ) { $0.checks = [.requests(0, nil, atMost: 1)] }
    }

    private static func again(_ name: String, _ rule: String, _ steps: [Step]) -> FaultCase {
        FaultCase(
            name, .http2, rule, [ServerPlan(.http2, ["*": [Reply(steps), ok]])], [.init(expect: .either("hello"))]
        ) {
            $0.checks = [.requests(0, nil, atMost: 8)]
        }
    }

    private static let ok = Reply([.frame(.headers([(":status", "200")])), .frame(.data("hello", isLast: true))])
}
