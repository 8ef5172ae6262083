// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Validation, updates, invalidation, variants, parts, stale responses.
extension CacheBehaviourCase {
    static let updates: [CacheBehaviourCase] =
        confirmations + conditions + dateConditions + heads + invalidations + variants + starVariants + parts + stale

    /// Fields that are stored, and that a 304 may change.
    static let plainFields: [(name: String, first: String, second: String)] = [
        ("Test-Header", "A", "B"), ("X-Test-Header", "A", "B"), ("Content-Foo", "A", "B"),
        ("X-Content-Foo", "A", "B"), ("Cache-Control", "max-age=1", "max-age=3600"), ("Content-Encoding", "A", "B"),
        ("Content-Location", "/foo", "/bar"), ("Content-MD5", "rL0Y20zC+Fzt72VPzMSk2A==", "N7UdGUp1E+RbVvZSTy1R8g=="),
        ("Content-Range", "A", "B"), ("Content-Security-Policy", "default-src 'self'", "default-src 'none'"),
        ("Content-Type", "text/plain", "text/plain;charset=utf-8"), ("Clear-Site-Data", "cache", "cookies"),
        ("ETag", "\"abcdef\"", "\"ghijkl\""),
        ("Expires", "Fri, 01 Jan 2038 01:01:01 GMT", "Mon, 11 Jan 2038 11:11:11 GMT"), ("Public-Key-Pins", "A", "B"),
        ("Set-Cookie", "a=b", "a=c"), ("Set-Cookie2", "a=b", "a=c"), ("X-Frame-Options", "deny", "sameorigin"),
        ("X-XSS-Protection", "1", "1; mode=block"),
    ]

    private static let mustUpdate = ["Test-Header", "X-Test-Header", "Content-Foo", "X-Content-Foo", "Cache-Control"]

    private static let confirmations: [CacheBehaviourCase] =
        plainFields.map { field in
            confirmation(field.name, field.first, field.second, after: field.second)
        } + [
            confirmation("Content-Length", "7", "10", after: "7"),
            CacheBehaviourCase(
                "304-lm-use-stored-Test-Header", .required,
                [
                    Step(
                        answers: [
                            ("Cache-Control", "max-age=2"), ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT"),
                            ("Date", "@0"), ("Test-Header", "A"),
                        ], pauses: true),
                    Step(
                        answers: [("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT"), ("Date", "@0")],
                        expects: .dateValidated, expectedStatus: 200, has: [("Test-Header", "A")]),
                ]),
        ]

    private static func confirmation(_ name: String, _ first: String, _ second: String, after: String)
        -> CacheBehaviourCase
    {
        let extra: Fields =
            (name == "Cache-Control" ? [] : [("Cache-Control", "max-age=2")])
            + (name == "ETag" ? [] : [("ETag", "\"tag\"")])
        let isRequired = mustUpdate.contains(name) || name == "Content-Length"
        return CacheBehaviourCase(
            "304-etag-update-response-" + name, isRequired ? .required : .check,
            [
                Step(answers: [("Date", "@0"), (name, first)] + extra, pauses: true, comparesBody: false),
                Step(
                    answers: [("Date", "@0"), (name, second)] + extra, expects: .tagValidated, expectedStatus: 200,
                    comparesBody: false, has: [(name, after)]),
                Step(expects: .cached, comparesBody: false, has: [(name, after)]),
            ])
    }

    private static func condition(
        _ id: String, tag: String, asks: String, kind: Kind = .check, _ more: Fields = [], has: Fields = []
    ) -> CacheBehaviourCase {
        CacheBehaviourCase(
            "conditional-" + id, kind,
            [
                fresh([("ETag", tag)] + more),
                Step(asks: [("If-None-Match", asks)], expects: .cached, expectedStatus: 304, has: has),
            ])
    }

    private static let conditions: [CacheBehaviourCase] = [
        condition("etag-strong-respond", tag: "\"abcdef\"", asks: "\"abcdef\""),
        condition("304-etag", tag: "\"abcdef\"", asks: "\"abcdef\"", has: [("ETag", "\"abcdef\"")]),
        condition("etag-strong-respond-obs-text", tag: "\"abcdefü\"", asks: "\"abcdefü\""),
        condition("etag-unquoted-respond-unquoted", tag: "abcdef", asks: "abcdef"),
        condition("etag-weak-respond", tag: "W/\"abcdef\"", asks: "W/\"abcdef\""),
        condition("etag-weak-respond-lowercase", tag: "w/\"abcdef\"", asks: "w/\"abcdef\""),
        condition("etag-strong-respond-multiple-first", tag: "\"abcdef\"", asks: "\"abcdef\", \"1234\", \"5678\""),
        condition("etag-strong-respond-multiple-second", tag: "\"abcdef\"", asks: "\"1234\", \"abcdef\", \"5678\""),
        condition("etag-strong-respond-multiple-last", tag: "\"abcdef\"", asks: "\"1234\", \"5678\", \"abcdef\""),
        CacheBehaviourCase(
            "conditional-etag-precedence", .check,
            [
                fresh([("Last-Modified", "@-5000"), ("ETag", "\"abcdef\"")]),
                Step(
                    asks: [("If-None-Match", "\"abcdef\""), ("If-Modified-Since", "@-9000")], expects: .cached,
                    expectedStatus: 304),
            ]),
        CacheBehaviourCase(
            "conditional-etag-vary-headers", .required,
            [
                Step(
                    asks: [("Abc", "123")],
                    answers: [("Expires", "@1"), ("ETag", "\"abcdef\""), ("Date", "@0"), ("Vary", "Abc")],
                    pauses: true),
                Step(
                    asks: [("Abc", "123")], expects: .tagValidated, expectedStatus: 200, sends: [("Abc", "123")]),
            ]),
        CacheBehaviourCase(
            "conditional-etag-vary-headers-mismatch", .check,
            [
                Step(
                    asks: [("Abc", "123")],
                    answers: [("Expires", "@9999"), ("ETag", "\"abcdef\""), ("Date", "@0"), ("Vary", "Abc")]),
                Step(asks: [("Abc", "456")], sends: [("If-None-Match", "\"abcdef\"")]),
            ]),
        CacheBehaviourCase(
            "conditional-etag-strong-generate", .optimal,
            [
                becomesStale([("ETag", "\"abcdef\"")]),
                Step(expects: .tagValidated, expectedStatus: 200, sends: [("If-None-Match", "\"abcdef\"")]),
            ]),
        CacheBehaviourCase(
            "conditional-etag-weak-generate-weak", .optimal,
            [
                becomesStale([("ETag", "W/\"abcdef\"")]),
                Step(expects: .tagValidated, expectedStatus: 200, sends: [("If-None-Match", "W/\"abcdef\"")]),
            ]),
        CacheBehaviourCase(
            "conditional-etag-forward", .check,
            [Step(asks: [("If-None-Match", "\"abcdef\"")], sends: [("If-None-Match", "\"abcdef\"")])]),
    ]

    private static func dated(_ id: String, _ answers: Fields, since: String) -> CacheBehaviourCase {
        CacheBehaviourCase(
            "conditional-lm-" + id, .check,
            [
                fresh(answers), Step(asks: [("If-Modified-Since", since)], expects: .cached, expectedStatus: 304),
            ])
    }

    private static let dateConditions: [CacheBehaviourCase] = [
        dated("fresh", [("Last-Modified", "@-3000")], since: "@-3003"),
        dated("fresh-earlier", [("Last-Modified", "@-3000")], since: "@-2000"),
        dated("fresh-no-lm", [], since: "@-1"),
        CacheBehaviourCase(
            "conditional-lm-stale", .check,
            [
                Step(
                    answers: [("Cache-Control", "max-age=2"), ("Last-Modified", "@-3000"), ("Date", "@0")], pauses: true
                ),
                Step(asks: [("If-Modified-Since", "@-3003")], expects: .dateValidated, expectedStatus: 304),
            ]),
    ]

    private static let invalidations: [CacheBehaviourCase] = ["POST", "PUT", "DELETE", "M-SEARCH"].flatMap { method in
        let locations: Fields = [("Location", "/location"), ("Content-Location", "/content_location")]
        return [
            CacheBehaviourCase(
                "invalidate-\(method)", .required, [fresh(), Step(method: method), Step(expects: .notCached)]),
            CacheBehaviourCase(
                "invalidate-\(method)-failed", .optimal,
                [fresh(), Step(method: method, status: 500), Step(expects: .cached)]),
            CacheBehaviourCase(
                "invalidate-\(method)-location", .check,
                [
                    fresh().at("location"), Step(method: method, answers: locations),
                    Step(path: "location", expects: .notCached),
                ]),
            CacheBehaviourCase(
                "invalidate-\(method)-cl", .check,
                [
                    fresh().at("content_location"), Step(method: method, answers: locations),
                    Step(path: "content_location", expects: .notCached),
                ]),
        ]
    }

    private static func variant(
        _ id: String, _ kind: Kind, _ vary: String, _ first: Fields, _ second: Fields, _ source: Source,
        language: String? = nil
    ) -> CacheBehaviourCase {
        let answers =
            [("Cache-Control", "max-age=5000"), ("Last-Modified", "@-3000"), ("Date", "@0"), ("Vary", vary)]
            + (language.map { [("Content-Language", $0)] } ?? [])
        return CacheBehaviourCase(
            "vary-" + id, kind, [Step(asks: first, answers: answers), Step(asks: second, expects: source)])
    }

    private static func language(_ id: String, _ second: String, stored: String? = nil) -> CacheBehaviourCase {
        variant(
            "normalise-lang-" + id, .optimal, "Accept-Language", [("Accept-Language", "en, de")],
            [("Accept-Language", second)], .cached, language: stored)
    }

    private static let one: Fields = [("Foo", "1")]
    private static let three: Fields = [("Foo", "1"), ("Bar", "abc"), ("Baz", "789")]

    private static let variants: [CacheBehaviourCase] = [
        variant("match", .optimal, "Foo", one, one, .cached),
        variant("no-match", .required, "Foo", one, [("Foo", "2")], .notCached),
        variant("omit-stored", .required, "Foo", [], one, .notCached),
        variant("omit", .required, "Foo", one, [], .notCached),
        variant("cache-key", .optimal, "Foo", one + [("Other", "2")], one + [("Other", "3")], .cached),
        variant("2-match", .optimal, "Foo, Bar", Array(three[..<2]), Array(three[..<2]), .cached),
        variant("2-no-match", .required, "Foo, Bar", Array(three[..<2]), [("Foo", "2"), ("Bar", "abc")], .notCached),
        variant("2-match-omit", .required, "Foo, Bar", Array(three[..<2]), [], .notCached),
        variant("3-match", .optimal, "Foo, Bar, Baz", three, three, .cached),
        variant(
            "3-no-match", .required, "Foo, Bar, Baz", three, [("Foo", "2")] + three[1...], .notCached),
        variant(
            "3-order", .required, "Foo, Bar, Baz", three, [("Foo", "1"), ("Baz", "789"), ("Bar", "abcde")], .notCached),
        variant(
            "3-omit", .optimal, "Foo, Bar, Baz", [("Foo", "1"), ("Baz", "789")], [("Foo", "1"), ("Baz", "789")], .cached
        ),
        variant("star", .required, "*", one, one, .notCached),
        variant("normalise-combine", .optimal, "Foo", [("Foo", "1, 2")], [("Foo", "1"), ("Foo", "2")], .cached),
        variant("normalise-space", .optimal, "Foo", [("Foo", "1,2")], [("Foo", " 1, 2 ")], .cached),
        language("order", "de, en"), language("case", "eN, De"), language("space", " en ,   de"),
        language("select", "fr;q=0.5, de;q=1.0", stored: "de"),
        CacheBehaviourCase(
            "vary-invalidate", .optimal,
            [
                Step(asks: one, answers: [("Cache-Control", "max-age=5000"), ("Vary", "Foo")], body: "one"),
                Step(
                    asks: [("Foo", "2")], answers: [("Cache-Control", "max-age=5000"), ("Vary", "Foo")], body: "two",
                    expects: .notCached),
                Step(asks: one, body: "one", expects: .cached),
            ]),
    ]

    private static let starVariants: [CacheBehaviourCase] = [
        ("star", ["*"]), ("star-star", ["*, *"]), ("star-star-lines", ["*", "*"]), ("empty-star", [", *"]),
        ("empty-star-lines", ["", "*"]), ("star-foo", ["*, Foo"]), ("foo-star", ["Foo, *"]),
    ].map { id, lines in
        CacheBehaviourCase(
            "vary-syntax-" + id, .required,
            [
                Step(asks: one, answers: [("Cache-Control", "max-age=5000")] + lines.map { ("Vary", $0) }),
                Step(asks: one, expects: .notCached),
            ])
    }
}
