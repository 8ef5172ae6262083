// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let time: [FaultCase] = [
        FaultCase(
            "no-connection", .time, "A connection that is never established ends by a time limit.", [.blackHole],
            [.init(expect: .failure)]),
        FaultCase(
            "no-handshake", .time, "A TLS handshake that is never answered ends by a time limit.",
            [ServerPlan(.plain, .stall)], [.init("GET", "https://127.0.0.1:{0:port}/", expect: .failure)]),
        late("no-response", "A response that does not come ends by a time limit.", .stall),
        late("head-stalls", "Half a head ends by a time limit.", .text("HTTP/1.1 200 OK\r\nX-A: "), .stall),
        late(
            "head-drips", "A head that drips without an end is given up.",
            .text("HTTP/1.1 200 OK\r\nX-A: "), .drip("a", milliseconds: 200)),
        late(
            "interim-stalls", "An interim response starts no new wait without a limit.",
            .text("HTTP/1.1 100 Continue\r\n\r\n"), .stall),
        late(
            "interim-drips", "Interim responses without an end are given up.",
            .drip("HTTP/1.1 103 Early Hints\r\n\r\n", milliseconds: 20)),
        late("body-stalls", "Half a body ends by a time limit.", .text(headOfBody + "part"), .stall),
        late(
            "body-stalls-without-length", "A body that does not go on ends by a time limit.", .text(openHead + "part"),
            .stall),
        late(
            "body-drips", "A body that drips without an end is given up.", .text(openHead),
            .drip("a", milliseconds: 200)),
        late(
            "chunk-size-drips", "A chunk's size that drips without an end is given up.",
            .text(chunkedHead), .drip("0", milliseconds: 200)),
        late(
            "trailer-drips", "Trailers that drip without an end are given up.",
            .text(chunkedHead + "0\r\n"), .drip("X-A: b\r\n", milliseconds: 50)),
        FaultCase(
            "tls-body-stalls", .time, "Half a body over TLS ends by a time limit.",
            [.secure(.text(headOfBody + "part"), .stall)], [.init(expect: .failure)]),
        FaultCase(
            "redirect-drips", .time, "A redirect whose body drips is followed or given up.",
            [
                ServerPlan(
                    .plain,
                    [
                        "/": [
                            Reply([
                                .text("HTTP/1.1 302 Found\r\nLocation: /new\r\nConnection: close\r\n\r\n"),
                                .drip("a", milliseconds: 200),
                            ])
                        ],
                        "/new": [.ok("new")],
                    ])
            ], [.init(expect: .either("new"))]),
        FaultCase(
            "upload-stalls", .time, "A body that the server does not read ends by a time limit.",
            [unread], [.init("POST", "{0}/a", expect: .failure) { $0.body = .largeFile(byteCount: 32_000_000) }]),
        FaultCase(
            "download-stalls", .time, "Half a file ends by a time limit.",
            [ServerPlan(.plain, .text(headOfBody + "part"), .stall)],
            [.init(expect: .failure) { $0.downloads = true }]),
    ]

    /// A server that reads only the head of a request.
    static let unread: ServerPlan = {
        var server = ServerPlan(.plain, .stopReading)
        server.answersAtHead = true
        return server
    }()

    private static func late(_ name: String, _ rule: String, _ steps: Step...) -> FaultCase {
        FaultCase(name, .time, rule, [ServerPlan(.plain, ["*": [Reply(steps)]])], [.init(expect: .failure)])
    }
}
