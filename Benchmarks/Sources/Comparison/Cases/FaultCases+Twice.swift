// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    /// RFC 9110, 9.2.2: a client must not automatically repeat a request unless it knows that the request had no
    /// effect.
    static let twice: [FaultCase] = [
        once("post-on-new-connection", "POST", [.close], .either("again")),
        once("post-reset", "POST", [.reset], .either("again")),
        once("post-cut-in-head", "POST", [.text("HTTP/1.1 20"), .close], .either("again")),
        once("post-cut-in-body", "POST", [.text(headOfBody + "part"), .close], .either("again")),
        once("post-without-answer", "POST", [.stall], .either("again")),
        once("patch-on-new-connection", "PATCH", [.close], .either("again")),
        onReused("post-on-reused-connection", "POST", [.close]),
        onReused("post-reset-on-reused-connection", "POST", [.reset]),
        onReused("patch-on-reused-connection", "PATCH", [.close]),
        onReused("post-cut-on-reused-connection", "POST", [.text("HTTP/1.1 20"), .close]),
        once(
            "post-503", "POST", Reply.ok("busy", status: "503 Service Unavailable", "Retry-After: 0").steps,
            .success([Answer(503, "busy")])),
        FaultCase(
            "get-on-reused-connection", .twice, "A GET may be sent again when its connection had just been closed.",
            [ServerPlan(.plain, ["/1": [.ok("first")], "/2": [Reply([.close]), .ok("again")]])],
            [.init("GET", "{0}/1", expect: .success("first")), .init("GET", "{0}/2", expect: .either("again"))]
        ) { $0.checks = [.requests(0, nil, atMost: 4)] },
        FaultCase(
            "post-after-idle-close", .twice, "A POST after an idle connection was closed is sent once.",
            [
                ServerPlan(
                    .plain, ["/1": [.ok("first").then(.wait(milliseconds: 100), .close)], "/2": [.ok("posted")]]),
                ServerPlan(.plain, .wait(milliseconds: 400), .text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwait")),
            ],
            [
                .init("GET", "{0}/1", expect: .success("first")), .init("GET", "{1}/", expect: .success("wait")),
                post("{0}/2", .either("posted")),
            ]
        ) { $0.checks = [.requests(0, "POST", atMost: 1)] },
    ]

    private static func once(
        _ name: String, _ method: String, _ steps: [Step], _ expectation: Expectation
    ) -> FaultCase {
        FaultCase(
            name, .twice, "A \(method) is not sent again by itself.",
            [ServerPlan(.plain, ["\(method) /": [Reply(steps), .ok("again")]])],
            [
                .init(method, expect: expectation) { $0.body = .memory("one") }
            ]
        ) { $0.checks = [.requests(0, nil, atMost: 1)] }
    }

    private static func onReused(_ name: String, _ method: String, _ steps: [Step]) -> FaultCase {
        FaultCase(
            name, .twice, "A \(method) that reached the server is not sent again when its connection ends.",
            [ServerPlan(.plain, ["/1": [.ok("first")], "/2": [Reply(steps), .ok("again")]])],
            [
                .init("GET", "{0}/1", expect: .success("first")),
                .init(method, "{0}/2", expect: .either("again")) { $0.body = .memory("one") },
            ]
        ) { $0.checks = [.requests(0, method, atMost: 1)] }
    }

    private static func post(_ url: String, _ expectation: Expectation) -> FaultCase.Request {
        .init("POST", url, expect: expectation) { $0.body = .memory("one") }
    }
}
