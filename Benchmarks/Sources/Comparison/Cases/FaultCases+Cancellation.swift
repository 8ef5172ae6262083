// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let cancellation: [FaultCase] =
        cancelled + [
            FaultCase(
                "shutdown-while-running", .cancellation, "A shutdown ends every request with an error.",
                [ServerPlan(.plain, ["*": [Reply([.text(headOfBody + "part"), .stall])]])],
                (1...20).map { .init("GET", "{0}/\($0)", expect: .failure) }
            ) {
                $0.order = .shutDownWhileRunning
                $0.limits = .longerThanHang
                $0.notOffered = [.curl: cannotBeCancelled]
            },
            FaultCase(
                "shutdown-while-connecting", .cancellation, "A shutdown ends requests without a connection too.",
                [.blackHole], (1...5).map { .init("GET", "{0}/\($0)", expect: .failure) }
            ) {
                $0.order = .shutDownWhileRunning
                $0.limits = .longerThanHang
                $0.notOffered = [.curl: cannotBeCancelled]
            },
            many(
                "hundred-with-ten-cut", "Ten of a hundred requests whose responses are cut fail, and no others.",
                [.text(headOfBody + "part"), .close]),
            many(
                "hundred-with-ten-reset", "Ten of a hundred requests that are reset fail, and no others.", [.reset]),
            many(
                "hundred-with-ten-stalled", "Ten of a hundred requests that get no answer fail, and no others.",
                [.stall]),
        ]

    private static let cannotBeCancelled = "a command is killed, not cancelled"

    /// The moments at which requests are cancelled. The client must then complete another request.
    private static let cancelled = [
        ("connecting", ServerPlan.blackHole), ("in-handshake", ServerPlan(.plain, .stall)),
        ("waiting", ServerPlan(.plain, .stall)),
        ("in-head", ServerPlan(.plain, .text("HTTP/1.1 200 OK\r\nX-A: "), .stall)),
        ("in-body", ServerPlan(.plain, .text(headOfBody + "part"), .stall)),
        ("in-endless-body", ServerPlan(.plain, .text(openHead), .drip("a", milliseconds: 10))),
        ("in-http2-body", ServerPlan.http2(.frame(.headers([(":status", "200")])), .frame(.data("part")), .stall)),
        ("uploading", unread), ("downloading", ServerPlan(.plain, .text(headOfBody + "part"), .stall)),
    ].map { name, server in
        FaultCase(
            "cancelled-\(name)", .cancellation, "A cancelled request ends, and the client does the next one.",
            [server, ServerPlan(.plain, ["*": [.ok("next")]])],
            [
                .init(
                    name == "uploading" ? "POST" : "GET",
                    name == "in-handshake" ? "https://127.0.0.1:{0:port}/" : "{0}/", expect: .failure
                ) {
                    $0.cancelsAfter = 400
                    $0.downloads = name == "downloading"
                    if name == "uploading" { $0.body = .largeFile(byteCount: 32_000_000) }
                }, .init("GET", "{1}/", expect: .success("next")),
            ]
        ) {
            $0.limits = .longerThanHang
            $0.notOffered = [.curl: cannotBeCancelled]
        }
    }

    private static func many(_ name: String, _ rule: String, _ steps: [Step]) -> FaultCase {
        FaultCase(
            name, .cancellation, rule,
            [ServerPlan(.plain, ["/bad": [Reply(steps)], "*": [.ok("good").then(.wait(milliseconds: 5))]])],
            (0..<100).map { index in
                index % 10 == 7
                    ? .init("GET", "{0}/bad?\(index)", expect: .failure)
                    : .init("GET", "{0}/\(index)", expect: .success("good"))
            }
        ) {
            $0.order = .allAtOnce
            // A hundred requests begin together, and the last waits for the others.
            $0.limits = Plan.Limits(connect: 10, idle: 10, total: 15)
        }
    }
}
