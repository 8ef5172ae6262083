// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

@testable import BluebonnetHTTP

// Which responses are stored: statuses, directives, fields, methods.
extension CacheBehaviourCase {
    static let storing: [CacheBehaviourCase] = statuses + directives + requestDirectives + fields + others

    private static let statuses: [CacheBehaviourCase] =
        [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599].flatMap { status in
            let isRedirect = status / 100 == 3
            return [
                CacheBehaviourCase(
                    "status-\(status)-fresh", isRedirect ? .check : .optimal,
                    [fresh(status: status), Step(status: status, expects: .cached)]),
                CacheBehaviourCase(
                    "status-\(status)-stale", isRedirect ? .check : .required,
                    [
                        Step(
                            status: status,
                            answers: [("Expires", "@-5000"), ("Last-Modified", "@-100000"), ("Date", "@0")]),
                        Step(expects: .notCached),
                    ]),
            ]
        } + [
            CacheBehaviourCase(
                "status-599-must-understand", .required,
                [
                    Step(status: 599, answers: [("Cache-Control", "max-age=3600, no-store, must-understand")]),
                    Step(expects: .notCached),
                ]),
            CacheBehaviourCase(
                "status-200-must-understand", .optimal,
                [
                    Step(answers: [("Cache-Control", "max-age=3600, no-store, must-understand")]),
                    Step(expects: .cached),
                ]),
        ]

    private static func directive(
        _ id: String, _ kind: Kind, _ value: String, _ fields: Fields, _ source: Source
    ) -> CacheBehaviourCase {
        CacheBehaviourCase(
            "cc-resp-" + id, kind, [Step(answers: [("Cache-Control", value)] + fields), Step(expects: source)])
    }

    private static let dates: Fields = [("Expires", "@10000"), ("Date", "@0")]
    private static let tag: Fields = [("ETag", "\"abcd\"")]

    private static let directives: [CacheBehaviourCase] = [
        directive("private-private", .optimal, "private, max-age=3600", [], .cached),
        directive("no-store", .required, "no-store", [], .notCached),
        directive("no-store-case-insensitive", .required, "No-StOrE", [], .notCached),
        directive("no-store-fresh", .required, "max-age=10000, no-store", dates, .notCached),
        directive("no-cache", .required, "max-age=10000, no-cache", dates, .notCached),
        directive("no-cache-case-insensitive", .required, "max-age=10000, No-CaChE", dates, .notCached),
        directive("no-cache-revalidate", .optimal, "no-cache", tag, .tagValidated),
        directive("no-cache-revalidate-fresh", .optimal, "max-age=10000, no-cache", dates + tag, .tagValidated),
        directive("must-revalidate-fresh", .optimal, "max-age=10000, must-revalidate", tag, .cached),
        CacheBehaviourCase(
            "cc-resp-must-revalidate-stale", .required,
            [
                Step(answers: [("Cache-Control", "max-age=2, must-revalidate")] + tag),
                Step(
                    answers: [("Cache-Control", "max-age=2, must-revalidate")] + tag, pauses: true, expects: .cached),
                Step(expects: .tagValidated),
            ]),
        CacheBehaviourCase(
            "cc-resp-immutable-fresh", .optimal,
            [
                Step(answers: [("Cache-Control", "max-age=10000, immutable")] + tag, pauses: true),
                Step(policy: .revalidate, expects: .cached),
            ]),
        CacheBehaviourCase(
            "cc-resp-immutable-stale", .required,
            [
                Step(answers: [("Cache-Control", "max-age=2, immutable")] + tag, pauses: true),
                Step(
                    policy: .revalidate, expects: .tagValidated, expectedStatus: 200,
                    sends: [("Cache-Control", "max-age=0")]),
            ]),
        CacheBehaviourCase(
            "headers-omit-headers-listed-in-Cache-Control-no-cache", .check,
            [
                Step(
                    answers: [
                        ("Cache-Control", "no-cache=\"a, b\""), ("a", "1"), ("b", "2"), ("c", "3"),
                        ("Cache-Control", "max-age=3600"), ("Date", "@0"),
                    ], pauses: true),
                Step(expects: .cached, has: [("c", "3")], lacks: ["a", "b"]),
            ]),
        CacheBehaviourCase(
            "cc-resp-no-store-old-new", .check,
            [
                Step(answers: [("Cache-Control", "max-age=10000"), ("A", "1")], pauses: true),
                Step(answers: [("Cache-Control", "no-store"), ("A", "2")], pauses: true),
                Step(expects: .cached, has: [("A", "1")]),
            ]),
    ]

    private static func asked(_ id: String, _ first: Fields, _ asks: Fields, _ source: Source, pauses: Bool = false)
        -> CacheBehaviourCase
    {
        CacheBehaviourCase(
            id, .check, [Step(answers: first, pauses: pauses), Step(asks: asks, expects: source)])
    }

    private static func control(_ value: String) -> Fields { [("Cache-Control", value)] }

    private static let requestDirectives: [CacheBehaviourCase] = [
        asked("ccreq-ma0", control("max-age=100000"), control("max-age=0"), .notCached, pauses: true),
        asked("ccreq-ma1", control("max-age=100000"), control("max-age=1"), .notCached, pauses: true),
        asked("ccreq-magreaterage", control("max-age=3600") + [("Age", "1800")], control("max-age=600"), .notCached),
        asked("ccreq-max-stale", control("max-age=1"), control("max-stale=1000"), .cached, pauses: true),
        asked("ccreq-max-stale-age", control("max-age=1500") + [("Age", "2000")], control("max-stale=1000"), .cached),
        asked("ccreq-min-fresh", control("max-age=1500"), control("min-fresh=2000"), .notCached),
        asked(
            "ccreq-min-fresh-age", control("max-age=1500") + [("Age", "1000")], control("min-fresh=1000"), .notCached),
        asked("ccreq-no-cache", control("max-age=3600"), control("no-cache"), .notCached),
        asked(
            "ccreq-no-cache-lm", control("max-age=3600") + [("Last-Modified", "@-10000"), ("Date", "@0")],
            control("no-cache"), .dateValidated
        ).with(expectedStatus: 200),
        asked("ccreq-no-cache-etag", control("max-age=3600") + [("ETag", "abc")], control("no-cache"), .tagValidated)
            .with(expectedStatus: 200),
        asked("ccreq-no-store", control("max-age=3600"), control("no-store"), .notCached),
        CacheBehaviourCase(
            "ccreq-oic", .check, [Step(asks: control("only-if-cached"), expectedStatus: 504, comparesBody: false)]),
        asked("pragma-request-no-cache", control("max-age=3600"), [("Pragma", "no-cache")], .notCached),
        asked("pragma-request-extension", control("max-age=3600"), [("Pragma", "extension")], .cached),
        asked("pragma-response-no-cache", control("max-age=3600") + [("Pragma", "no-cache")], [], .cached),
    ]

    private func with(expectedStatus: Int) -> CacheBehaviourCase {
        var steps = steps
        steps[steps.count - 1].expectedStatus = expectedStatus
        return CacheBehaviourCase(id, kind, steps)
    }

    private static func stores(_ name: String, _ value: String) -> CacheBehaviourCase {
        let control: Fields = name == "Cache-Control" ? [] : [("Cache-Control", "max-age=3600")]
        return CacheBehaviourCase(
            "headers-store-" + name, .required,
            [
                Step(answers: [("Date", "@0"), (name, value)] + control, pauses: true, comparesBody: false),
                Step(expects: .cached, comparesBody: false, has: [(name, value)]),
            ])
    }

    private static func drops(_ name: String) -> CacheBehaviourCase {
        CacheBehaviourCase(
            "headers-store-" + name, .required,
            [
                Step(answers: [("Date", "@0"), (name, "a"), ("Cache-Control", "max-age=3600")], pauses: true),
                Step(expects: .cached, lacks: [name]),
            ])
    }

    private static let fields: [CacheBehaviourCase] =
        CacheBehaviourCase.plainFields.map { stores($0.name, $0.second) }
        + [stores("Content-Length", "7")]
        + [
            "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
            "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
        ].map(drops) + [
            CacheBehaviourCase(
                "headers-omit-headers-listed-in-Connection", .required,
                [
                    fresh([("Connection", "a, b"), ("a", "1"), ("b", "2"), ("c", "3")]),
                    Step(expects: .cached, has: [("c", "3")], lacks: ["a", "b"]),
                ])
        ]

    private static let others: [CacheBehaviourCase] = [
        CacheBehaviourCase("other-age-gen", .required, [fresh(), Step(expects: .cached, has: [("Age", ">2")])]),
        CacheBehaviourCase(
            "other-age-update-expires", .required,
            [
                Step(answers: [("Expires", "@2592000"), ("Date", "@0"), ("Age", "30")], pauses: true),
                Step(expects: .cached, has: [("Age", ">32")]),
            ]),
        CacheBehaviourCase(
            "other-age-update-max-age", .required,
            [fresh([("Age", "30")]), Step(expects: .cached, has: [("Age", ">32")])]),
        CacheBehaviourCase("other-date-update", .required, [fresh(), Step(expects: .cached, has: [("Date", "@-3")])]),
        CacheBehaviourCase(
            "other-date-update-expires", .required,
            [
                Step(answers: [("Expires", "@2592000"), ("Date", "@0")], pauses: true),
                Step(expects: .cached, has: [("Date", "@-3"), ("Expires", "@2591997")]),
            ]),
        CacheBehaviourCase(
            "query-args-different", .required,
            [fresh().at("x?test=1"), Step(path: "x?test=2", expects: .notCached)]),
        CacheBehaviourCase(
            "query-args-same", .optimal, [fresh().at("x?test=1"), Step(path: "x?test=1", expects: .cached)]),
        CacheBehaviourCase(
            "other-set-cookie", .optimal, [fresh([("Set-Cookie", "a=b")]), Step(expects: .cached)]),
        CacheBehaviourCase(
            "other-cookie", .optimal, [fresh(), Step(asks: [("Cookie", "a=b")], expects: .cached)]),
        CacheBehaviourCase(
            "method-POST", .optimal,
            [
                Step(
                    method: "POST",
                    answers: [("Expires", "@2592000"), ("Content-Location", "/x"), ("Date", "@0")], pauses: true),
                Step(expects: .cached),
            ]),
    ]
}

extension CacheBehaviourCase.Step {
    func at(_ path: String) -> Self {
        var step = self
        step.path = path
        return step
    }
}
