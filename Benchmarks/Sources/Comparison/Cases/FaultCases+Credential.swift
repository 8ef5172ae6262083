// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let credential: [FaultCase] = [
        leak(
            "authorization-to-other-port", "Authorization does not follow a redirect to another port.", authorization,
            to: "{1}/new"),
        leak(
            "authorization-to-other-host", "Authorization does not follow a redirect to another host.", authorization,
            to: "http://localhost:{1:port}/new"),
        leak(
            "cookie-to-other-host", "A Cookie field does not follow a redirect to another host.",
            .init("Cookie", "id=1"), to: "http://localhost:{1:port}/new"),
        leak(
            "cookie-to-other-port", "A Cookie field does not follow a redirect to another port.",
            .init("Cookie", "id=1"), to: "{1}/new", isOptional: true),
        leak(
            "own-field-to-other-host", "A field of the program's own does not follow a redirect to another host.",
            .init("X-Api-Key", "secret"), to: "http://localhost:{1:port}/new", isOptional: true),
        FaultCase(
            "authorization-to-http", .credential, "Authorization does not follow a redirect from https to http.",
            [.secure(["*": [.redirect(to: "http://localhost:{1:port}/")]]), ServerPlan(.plain, ["*": [.ok("new")]])],
            [.init(expect: .anything) { $0.fields = [authorization] }]
        ) { $0.checks = [.noField("authorization", at: 1)] },
        FaultCase(
            "authorization-comes-back", .credential, "Authorization that was dropped on the way does not come back.",
            [
                ServerPlan(.plain, ["/": [.redirect(to: "{1}/")], "/back": [.ok("back")]]),
                ServerPlan(.plain, ["*": [.redirect(to: "{0}/back")]]),
            ], [.init(expect: .either([Answer(200, "back")] + Answer.redirects)) { $0.fields = [authorization] }]
        ) {
            $0.checks = [.noField("authorization", at: 1), .noFieldOnPath("authorization", path: "/back", at: 0)]
            $0.isOptional = true
        },
        FaultCase(
            "authorization-stays-in-origin", .credential, "Authorization follows a redirect within its origin.",
            [ServerPlan(.plain, ["/": [.redirect(to: "/new")], "AUTH /new": [.ok("new")], "/new": [denied]])],
            [.init(expect: .success("new")) { $0.fields = [authorization] }]),
        FaultCase(
            "user-in-url-to-other-port", .credential, "A URL's user does not follow a redirect to another port.",
            [ServerPlan(.plain, ["*": [.redirect(to: "{1}/")]]), ServerPlan(.plain, ["*": [.ok("new")]])],
            [
                .init(
                    "GET", "http://ada:secret@127.0.0.1:{0:port}/",
                    expect: .either([Answer(200, "new")] + Answer.redirects))
            ]
        ) { $0.checks = [.noField("authorization", at: 1)] },
        FaultCase(
            "basic", .credential, "A credential for Basic is sent.",
            [ServerPlan(.plain, ["AUTH /": [.ok("in")], "/": [denied]])],
            [.init(expect: .success("in")) { $0.credential = .basic }]),
        FaultCase(
            "basic-refused", .credential, "A credential that is refused is not sent again and again.",
            [ServerPlan(.plain, ["*": [denied]])],
            [.init(expect: .either([Answer(401, "no")])) { $0.credential = .basic }]
        ) { $0.checks = [.requests(0, nil, atMost: 3)] },
        FaultCase(
            "basic-not-to-other-origin", .credential, "Another origin's challenge gets no credential.",
            [
                ServerPlan(.plain, ["AUTH /": [.redirect(to: "{1}/")], "/": [denied]]),
                ServerPlan(.plain, ["*": [denied]]),
            ], [.init(expect: .either([Answer(401, "no")])) { $0.credential = .basic }]
        ) { $0.checks = [.noField("authorization", at: 1)] },
        digest(
            "digest", "A challenge of Digest is answered.",
            [ServerPlan(.plain, ["AUTH /": [.ok("in")], "/": [challenged]])], .success("in"), []),
        digest(
            "digest-refused", "Challenges of Digest without an end are given up.",
            [ServerPlan(.plain, ["*": [challenged]])], .either([Answer(401, "no")]), [.requests(0, nil, atMost: 4)]),
        digest(
            "digest-not-to-other-origin", "Another origin's challenge of Digest gets no response.",
            [
                ServerPlan(.plain, ["AUTH /": [.redirect(to: "{1}/")], "/": [challenged]]),
                ServerPlan(.plain, ["*": [challenged]]),
            ], .either([Answer(401, "no")]), [.noField("authorization", at: 1)]),
    ]

    private static let authorization = Plan.Field("Authorization", "Bearer secret")
    private static let denied = Reply.ok("no", status: "401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"")
    private static let challenged = Reply.ok(
        "no", status: "401 Unauthorized",
        "WWW-Authenticate: Digest realm=\"x\", nonce=\"5ca1ab1e\", qop=\"auth\", algorithm=MD5")

    private static func leak(
        _ name: String, _ rule: String, _ field: Plan.Field, to place: String, isOptional: Bool = false
    ) -> FaultCase {
        FaultCase(
            name, .credential, rule,
            [ServerPlan(.plain, ["*": [.redirect(to: place)]]), ServerPlan(.plain, ["*": [.ok("new")]])],
            [.init(expect: .either([Answer(200, "new")] + Answer.redirects)) { $0.fields = [field] }]
        ) {
            $0.checks = [.noField(field.name, at: 1)]
            $0.isOptional = isOptional
        }
    }

    private static func digest(
        _ name: String, _ rule: String, _ servers: [ServerPlan], _ expectation: Expectation, _ checks: [ServerCheck]
    ) -> FaultCase {
        FaultCase(name, .credential, rule, servers, [.init(expect: expectation) { $0.credential = .digest }]) {
            $0.checks = checks
            $0.notOffered = [
                .asyncHTTPClient: "it answers no challenges",
                .urlSession: "on Linux, it answers no challenges of Digest",
            ]
        }
    }
}
