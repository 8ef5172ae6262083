// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Parts of bodies, stale responses, and HEAD.
extension CacheBehaviourCase {
    private static let control: Fields = [("Cache-Control", "max-age=3600")]

    private static func fromWhole(_ id: String, _ body: String, _ range: String, _ text: String) -> CacheBehaviourCase {
        CacheBehaviourCase(
            "partial-store-complete-reuse-partial" + id, .optimal,
            [
                Step(answers: control, body: body),
                Step(asks: [("Range", range)], expects: .cached, expectedStatus: 206, expectedText: text),
            ])
    }

    /// The origin says that it sends 6 bytes, and sends 5.
    private static func fromPart(_ id: String, _ range: String, _ text: String) -> CacheBehaviourCase {
        CacheBehaviourCase(
            "partial-store-partial-reuse-partial" + id, .optimal,
            [
                Step(
                    asks: [("Range", "bytes=-5")], status: 206,
                    answers: control + [("Content-Range", "bytes 4-9/10")], body: "01234"),
                Step(asks: [("Range", range)], expects: .cached, expectedStatus: 206, expectedText: text),
            ])
    }

    static let parts: [CacheBehaviourCase] = [
        fromPart("", "bytes=-5", "01234"), fromPart("-byterange", "bytes=6-8", "234"),
        fromPart("-absent", "bytes=6-", "234"), fromPart("-suffix", "bytes=-1", "4"),
        fromWhole("", "01234567890", "bytes=0-1", "01"), fromWhole("-no-last", "01234567890", "bytes=1-", "1234567890"),
        fromWhole("-suffix", "0123456789A", "bytes=-1", "A"),
        CacheBehaviourCase(
            "partial-store-partial-complete", .optimal,
            [
                Step(
                    asks: [("Range", "bytes=-5")], status: 206,
                    answers: control + [("Content-Range", "bytes 0-4/10")], body: "01234"),
                Step(sends: [("Range", "bytes=5-")]),
            ]),
        CacheBehaviourCase(
            "partial-use-headers", .required,
            [
                Step(answers: control + [("A", "1")], body: "01234567890"),
                Step(
                    asks: [("Range", "bytes=0-1")], answers: [("A", "2")], expects: .cached, expectedStatus: 206,
                    expectedText: "01"),
            ]),
        CacheBehaviourCase(
            "partial-use-stored-headers", .required,
            [
                Step(answers: control + [("A", "1")], body: "01234567890"),
                Step(
                    asks: [("Range", "bytes=0-1")], expects: .cached, expectedStatus: 206, expectedText: "01",
                    has: [("A", "1")]),
            ]),
    ]

    private static func broken(_ id: String, _ kind: Kind, _ value: String, _ source: Source) -> CacheBehaviourCase {
        CacheBehaviourCase(
            id, kind,
            [
                Step(answers: [("Cache-Control", value)], pauses: true),
                source == .cached
                    ? Step(disconnects: true, expects: .cached)
                    : Step(disconnects: true, expectedStatus: nil, comparesBody: false, lacks: ["Step"]),
            ])
    }

    private static func failing(_ id: String, _ value: String, asks: Fields = [], status: Int, pauses: Bool)
        -> CacheBehaviourCase
    {
        CacheBehaviourCase(
            id, status == 200 ? .check : .required,
            [
                Step(answers: [("Cache-Control", value)], pauses: pauses),
                Step(asks: asks, status: 500, expectedStatus: status),
            ])
    }

    static let stale: [CacheBehaviourCase] = [
        broken("stale-close", .check, "max-age=2", .cached),
        broken("stale-sie-close", .check, "max-age=2, stale-if-error=60", .cached),
        broken("stale-close-must-revalidate", .required, "max-age=2, must-revalidate", .any),
        broken("stale-close-no-cache", .required, "max-age=2, no-cache", .any),
        failing("stale-if-error-cc-response", "max-age=0, stale-if-error=3600", status: 200, pauses: false),
        failing("stale-if-error-cc-response-expired", "max-age=0, stale-if-error=1", status: 500, pauses: true),
        failing(
            "stale-if-error-cc-request", "max-age=1", asks: [("Cache-Control", "stale-if-error=3600")], status: 200,
            pauses: true),
        failing(
            "stale-if-error-cc-request-expired", "max-age=0", asks: [("Cache-Control", "stale-if-error=1")],
            status: 500, pauses: true),
        CacheBehaviourCase(
            "stale-while-revalidate", .optimal,
            [
                Step(
                    answers: [("Cache-Control", "max-age=1, stale-while-revalidate=3600"), ("ETag", "\"abc\"")],
                    pauses: true),
                Step(expects: .cached),
            ]),
        CacheBehaviourCase(
            "stale-while-revalidate-window", .required,
            [
                Step(
                    answers: [("Cache-Control", "max-age=1, stale-while-revalidate=4"), ("ETag", "\"abc\"")],
                    pauses: true),
                Step(answers: [("Cache-Control", "no-cache"), ("ETag", "\"def\"")], pauses: true, expects: .cached),
                Step(expects: .notCached),
            ]),
    ]

    static let heads: [CacheBehaviourCase] = [
        CacheBehaviourCase(
            "head-200-freshness-update", .check,
            [
                becomesStale(), Step(method: "HEAD", answers: [("Cache-Control", "max-age=1000")], expects: .notCached),
                Step(expects: .cached),
            ]),
        CacheBehaviourCase(
            "head-200-update", .check,
            [
                becomesStale(),
                Step(
                    method: "HEAD", answers: [("Template-A", "2"), ("Cache-Control", "max-age=1000")],
                    expects: .notCached),
                Step(expects: .cached, has: [("Template-A", "2")]),
            ]),
    ]
}
