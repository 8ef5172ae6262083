// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    /// The program's values must not produce requests or fields that the program did not intend.
    static let input: [FaultCase] = [
        field("crlf-in-value", "X-A", "a\r\nX-Injected: 1", injected),
        field("lf-in-value", "X-A", "a\nX-Injected: 1", injected),
        field("cr-in-value", "X-A", "a\rX-Injected: 1", [.noCharacter("\r", at: 0)]),
        field("nul-in-value", "X-A", "a\u{0}b", [.noCharacter("\u{0}", at: 0)], isArgument: false),
        field("control-in-value", "X-A", "a\u{1}b", [.noCharacter("\u{1}", at: 0)]),
        field("crlf-in-name", "X-A: a\r\nX-Injected", "1", injected),
        field("space-in-name", "X A", "1", [.noLine("X A", at: 0)]),
        field("crlf-and-request-in-value", "X-A", "a\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n", smuggled),
        field("crlf-in-host", "Host", "a\r\nX-Injected: 1", injected),
        method("crlf-in-method", "GET /smuggled HTTP/1.1\r\nX-Injected: 1\r\n\r\nGET", injected + smuggled),
        method("space-in-method", "GET /smuggled HTTP/1.1 GET", smuggled),
        url("crlf-in-path", "{0}/a\r\nX-Injected:1", injected),
        url("request-in-path", "{0}/a HTTP/1.1\r\nHost: a\r\n\r\nGET /smuggled HTTP/1.1\r\n", injected + smuggled),
        url("lf-in-query", "{0}/?a\nX-Injected:1", injected),
        url("crlf-in-fragment", "{0}/#a\r\nX-Injected:1", injected),
        url("crlf-in-host-of-url", "http://127.0.0.1\r\nX-Injected:1:{0:port}/", injected),
        FaultCase(
            "length-of-ones-own", .input, "A Content-Length of the program's own does not split its body.",
            [ServerPlan(.plain, ["*": [.ok("done")]])],
            [
                .init("POST", expect: .anything) {
                    $0.fields = [.init("Content-Length", "3")]
                    $0.body = .memory("abcGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
                }
            ]
        ) { $0.checks = smuggled },
        FaultCase(
            "chunks-of-ones-own", .input, "A Transfer-Encoding of the program's own does not split its body.",
            [ServerPlan(.plain, ["*": [.ok("done")]])],
            [
                .init("POST", expect: .anything) {
                    $0.fields = [.init("Transfer-Encoding", "chunked")]
                    $0.body = .memory("0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
                }
            ]
        ) { $0.checks = smuggled },
    ]

    private static let injected: [ServerCheck] = [.noLine("X-Injected", at: 0)]
    private static let smuggled: [ServerCheck] = [.noPath("/smuggled", at: 0)]

    private static func field(
        _ name: String, _ fieldName: String, _ value: String, _ checks: [ServerCheck], isArgument: Bool = true
    ) -> FaultCase {
        made(name, .init(expect: .anything) { $0.fields = [.init(fieldName, value)] }, checks) {
            if !isArgument { $0.notOffered = [.curl: "an argument of a command has no NUL"] }
        }
    }

    private static func method(_ name: String, _ method: String, _ checks: [ServerCheck]) -> FaultCase {
        made(name, .init(method, expect: .anything), checks)
    }

    private static func url(_ name: String, _ url: String, _ checks: [ServerCheck]) -> FaultCase {
        made(name, .init("GET", url, expect: .anything), checks)
    }

    private static func made(
        _ name: String, _ request: FaultCase.Request, _ checks: [ServerCheck],
        _ change: (inout FaultCase) -> Void = { _ in }
    ) -> FaultCase {
        FaultCase(
            name, .input, "Nothing is sent that the program did not mean.", [ServerPlan(.plain, ["*": [.ok("done")]])],
            [request]
        ) {
            $0.checks = checks
            change(&$0)
        }
    }
}
