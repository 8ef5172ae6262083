// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// How long a response is used.
extension CacheBehaviourCase {
    static let freshness: [CacheBehaviourCase] = lifetimes + controlSyntax + expires + expiresSyntax + ages + heuristics

    private static func controls(_ id: String, _ kind: Kind, _ value: String, _ source: Source) -> CacheBehaviourCase {
        CacheBehaviourCase(id, kind, after([("Cache-Control", value)], source))
    }

    private static let lifetimes: [CacheBehaviourCase] = [
        CacheBehaviourCase("freshness-none", .check, after([], .notCached)),
        controls("freshness-max-age", .optimal, "max-age=3600", .cached),
        CacheBehaviourCase("freshness-max-age-stale", .required, [becomesStale(), Step(expects: .notCached)]),
        controls("freshness-max-age-0", .required, "max-age=0", .notCached),
        controls("freshness-max-age-max-minus-1", .optimal, "max-age=2147483647", .cached),
        controls("freshness-max-age-max", .optimal, "max-age=2147483648", .cached),
        controls("freshness-max-age-max-plus-1", .optimal, "max-age=2147483649", .cached),
        controls("freshness-max-age-max-plus", .optimal, "max-age=99999999999", .cached),
        CacheBehaviourCase(
            "freshness-max-age-age", .required,
            after([("Date", "@0"), ("Cache-Control", "max-age=3600"), ("Age", "7200")], .notCached)),
        CacheBehaviourCase(
            "freshness-max-age-date", .check,
            after([("Date", "@-7200"), ("Cache-Control", "max-age=3600")], .notCached)),
        CacheBehaviourCase(
            "freshness-max-age-expires", .optimal,
            after([("Cache-Control", "max-age=3600"), ("Expires", "@-7200"), ("Date", "@0")], .cached)),
        CacheBehaviourCase(
            "freshness-max-age-expires-invalid", .optimal,
            after([("Cache-Control", "max-age=3600"), ("Expires", "0"), ("Date", "@0")], .cached)),
        CacheBehaviourCase(
            "freshness-max-age-0-expires", .required,
            after([("Expires", "@3600"), ("Cache-Control", "max-age=0"), ("Date", "@0")], .notCached)),
        controls("freshness-max-age-extension", .optimal, "foobar, max-age=3600", .cached),
        controls("freshness-max-age-case-insenstive", .optimal, "MaX-aGe=3600", .cached),
        controls("freshness-max-age-negative", .required, "max-age=-3600", .notCached),
        controls("freshness-max-age-s-maxage-private", .required, "s-maxage=3600, max-age=1", .notCached),
        CacheBehaviourCase(
            "freshness-max-age-s-maxage-private-multiple", .required,
            after([("Cache-Control", "s-maxage=3600"), ("Cache-Control", "max-age=1")], .notCached)),
    ]

    private static let controlSyntax: [CacheBehaviourCase] = [
        controls("freshness-max-age-quoted", .check, "max-age=\"3600\"", .cached),
        controls("freshness-max-age-ignore-quoted", .required, "extension=\"max-age=3600\", max-age=1", .notCached),
        controls("freshness-max-age-ignore-quoted-rev", .required, "max-age=1, extension=\"max-age=3600\"", .notCached),
        controls("freshness-max-age-space-before-equals", .check, "max-age =3600", .notCached),
        controls("freshness-max-age-space-after-equals", .check, "max-age= 3600", .notCached),
        controls("freshness-max-age-leading-zero", .required, "max-age=003600", .cached),
        controls("freshness-max-age-single-quoted", .required, "max-age='3600'", .notCached),
    ]

    private static func expires(_ id: String, _ kind: Kind, _ fields: Fields, _ source: Source) -> CacheBehaviourCase {
        let dated = fields.contains { $0.0 == "Date" } ? fields : fields + [("Date", "@0")]
        return CacheBehaviourCase("freshness-expires-" + id, kind, [Step(answers: dated), Step(expects: source)])
    }

    private static let expires: [CacheBehaviourCase] = [
        expires("future", .optimal, [("Expires", "@2592000")], .cached),
        expires("past", .required, [("Expires", "@-2592000")], .notCached),
        expires("present", .required, [("Expires", "@0")], .notCached),
        expires("old-date", .required, [("Expires", "@300"), ("Date", "@400")], .notCached),
        expires("invalid", .required, [("Expires", "0")], .notCached),
        expires("invalid-date", .optimal, [("Date", "foo"), ("Expires", "@10")], .cached),
        expires("age-slow-date", .required, [("Date", "@-10"), ("Expires", "@10"), ("Age", "25")], .notCached),
        expires("age-fast-date", .required, [("Date", "@10"), ("Expires", "@20"), ("Age", "15")], .notCached),
    ]

    private static let expiresSyntax: [CacheBehaviourCase] =
        [
            ("32bit", "Tue, 19 Jan 2038 14:14:08 GMT"), ("far-future", "Sun, 21 Nov 2286 04:46:39 GMT"),
            ("rfc850", "Thursday, 18-Aug-50 02:01:18 GMT"), ("ansi-c", "Thu Aug 18 02:01:18 2050"),
            ("ansi-c", "Thu Aug  8 02:01:18 2050"), ("wrong-case-weekday", "THU, 18 Aug 2050 02:01:18 GMT"),
            ("wrong-case-month", "Thu, 18 AUG 2050 02:01:18 GMT"), ("wrong-case-tz", "Thu, 18 Aug 2050 02:01:18 gMT"),
        ].map { expires($0.0, .optimal, [("Expires", $0.1)], .cached) }
        + [
            ("invalid-utc", "Thu, 18 Aug 2050 02:01:18 UTC"), ("invalid-aest", "Thu, 18 Aug 2050 02:01:18 AEST"),
            ("invalid-2-digit-year", "Thu, 18 Aug 50 02:01:18 GMT"),
            ("invalid-no-comma", "Thu 18 Aug 2050 02:01:18 GMT"),
            ("invalid-multiple-spaces", "Thu, 18  Aug  2050 02:01:18 GMT"),
            ("invalid-date-dashes", "Thu, 18-Aug-2050 02:01:18 GMT"),
            ("invalid-time-periods", "Thu, 18 Aug 2050 02.01.18 GMT"),
            ("invalid-1-digit-hour", "Thu, 18 Aug 2050 2:01:18 GMT"),
        ].map { expires($0.0, .required, [("Expires", $0.1)], .notCached) }
        + [
            expires(
                "invalid-multiple-lines", .required,
                [("Expires", "Thu, 18 Aug 2050 2:01:18 GMT"), ("Expires", "Thu, 18 Aug 2050 2:01:19 GMT")], .notCached)
        ]

    private static func age(_ id: String, _ values: [String], _ source: Source, kind: Kind = .required)
        -> CacheBehaviourCase
    {
        let lifetime = id == "dup-old" ? "max-age=10000" : "max-age=3600"
        let fields = [("Date", "@0"), ("Cache-Control", lifetime)] + values.map { ("Age", $0) }
        return CacheBehaviourCase("age-parse-" + id, kind, after(fields, source))
    }

    private static let ages: [CacheBehaviourCase] = [
        age("nonnumeric", ["abc"], .cached), age("negative", ["-7200"], .cached), age("float", ["7200.0"], .cached),
        age("large-minus-one", ["2147483647"], .notCached), age("large", ["2147483648"], .notCached),
        age("larger", ["2147483649"], .notCached), age("suffix", ["7200, 0"], .notCached),
        age("prefix", ["0, 7200"], .cached), age("suffix-twoline", ["7200", "0"], .notCached),
        age("prefix-twoline", ["0", "7200"], .cached), age("dup-0", ["0, 0"], .cached),
        age("dup-0-twoline", ["0", "0"], .cached), age("dup-old", ["3600", "3600"], .cached),
    ]

    private static func heuristic(_ status: Int, _ source: Source, _ fields: Fields = []) -> CacheBehaviourCase {
        let answers = [("Last-Modified", "@-86400"), ("Date", "@0")] + fields
        return CacheBehaviourCase(
            "heuristic-\(status)-\(source == .cached ? "" : "not_")cached", source == .cached ? .optimal : .required,
            [Step(status: status, answers: answers), Step(status: status, expects: source)])
    }

    private static let heuristics: [CacheBehaviourCase] =
        [200, 203, 204, 404, 405, 410, 414, 501].map { heuristic($0, .cached) }
        + [201, 202, 403, 502, 503, 504, 599].map { heuristic($0, .notCached) }
        + [heuristic(599, .cached, [("Cache-Control", "public")])]
        + [5, 10, 30, 60, 300, 600, 1200, 1800, 3600, 43_200, 86_400].map { delta in
            CacheBehaviourCase(
                "heuristic-delta-\(delta)", .check,
                after([("Last-Modified", "@-\(delta)"), ("Date", "@0")], delta > 30 ? .cached : .notCached))
        }
}
