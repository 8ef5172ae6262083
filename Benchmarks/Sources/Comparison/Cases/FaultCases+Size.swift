// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let size: [FaultCase] = [
        limited(
            "bomb-gzip", "33 MB of zeros in 200 KB do not pass a limit of 1 MB.",
            [.text(gzipHead(bomb.count)), .bytes(bomb)], [.curl: "its limit is of the bytes before decoding"]),
        limited(
            "body-above-limit", "A body whose length is above the limit is refused.",
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 33000000\r\n\r\n"), .flood(kilobyte, count: 33000)], [:]),
        limited(
            "body-above-limit-chunked", "A body that grows above the limit is refused.",
            [.text(chunkedHead), .flood(chunk, count: 33000), .text("0\r\n\r\n")], [.curl: knownOnly]),
        limited(
            "body-above-limit-to-the-end", "A body without a length that grows above the limit is refused.",
            [.text(openHead), .flood(kilobyte, count: 33000), .close], [.curl: knownOnly]),
        bounded(
            "field-endless", "A header field of 100 MB is refused.",
            [.text("HTTP/1.1 200 OK\r\nX-A: "), .flood(kilobyte, count: 100_000), .stall]),
        bounded(
            "fields-endless", "100 MB of header fields are refused.",
            [.text("HTTP/1.1 200 OK\r\n"), .flood(bytes("X-A: " + text + "\r\n"), count: 100_000), .stall]),
        bounded(
            "interim-endless", "100 MB of interim responses are refused.",
            [.flood(bytes("HTTP/1.1 103 Early Hints\r\nX-A: " + text + "\r\n\r\n"), count: 100_000), .stall]),
        bounded(
            "extension-endless", "A chunk extension of 100 MB is refused.",
            [.text(chunkedHead + "5;a="), .flood(kilobyte, count: 100_000), .stall]),
        bounded(
            "trailers-endless", "100 MB of trailers are refused.",
            [.text(chunkedHead + "0\r\n"), .flood(bytes("X-A: " + text + "\r\n"), count: 100_000), .stall]),
        bounded(
            "status-line-endless", "A status line of 100 MB is refused.",
            [.text("HTTP/1.1 200 "), .flood(kilobyte, count: 100_000), .stall]),
        bounded(
            "length-of-exabytes", "A length of exabytes takes no memory.",
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 4611686018427387904\r\n\r\nhello"), .stall]),
        bounded(
            "chunk-of-exabytes", "A chunk of exabytes takes no memory.",
            [.text(chunkedHead + "3fffffffffffffff\r\nhello"), .stall]),
        bounded(
            "fields-many", "20,000 header fields are delivered or refused.",
            [
                .text("HTTP/1.1 200 OK\r\n"), .flood(bytes("Set-Cookie: a=b; Path=/\r\n"), count: 20000),
                .text("Content-Length: 5\r\n\r\nhello"),
            ], .either("hello")),
    ]

    /// 128,000 blocks of 258 zero bytes.
    private static let bomb = Compressed.zeros(blockCount: 128_000)
    private static let text = String(repeating: "x", count: 1000)
    private static let kilobyte = bytes(text)
    private static let chunk = bytes("3e8\r\n" + text + "\r\n")
    private static let knownOnly = "its limit applies only to announced lengths"

    private static func limited(
        _ name: String, _ rule: String, _ steps: [Step], _ notOffered: [Client: String]
    ) -> FaultCase {
        FaultCase(
            name, .size, rule, [ServerPlan(.plain, ["*": [Reply(steps)]])],
            [.init(expect: .failure) { $0.bodyLimit = 1_000_000 }]
        ) {
            $0.checks = [.memory(megabytes: 250)]
            $0.notOffered = [.urlSession: "it has no limit of a body's size"].merging(notOffered) { $1 }
        }
    }

    private static func bounded(
        _ name: String, _ rule: String, _ steps: [Step], _ expectation: Expectation = .failure
    ) -> FaultCase {
        FaultCase(name, .size, rule, [ServerPlan(.plain, ["*": [Reply(steps)]])], [.init(expect: expectation)]) {
            $0.checks = [.memory(megabytes: 250)]
        }
    }
}
