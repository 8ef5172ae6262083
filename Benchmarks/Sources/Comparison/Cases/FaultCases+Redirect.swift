// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let redirect: [FaultCase] =
        rewritten + locations + refused + [
            endless("to-itself", ["*": [.redirect(to: "{0}/")]]),
            endless(
                "in-a-circle",
                ["/": [.redirect(to: "{0}/b")], "/b": [.redirect(to: "{0}/c")], "/c": [.redirect(to: "{0}/")]]),
            endless("to-new-places", ["*": (1...200).map { .redirect(to: "{0}/\($0)") }]),
            FaultCase(
                "redirect-without-location", .redirect, "A redirect that leads nowhere is a response or an error.",
                .text("HTTP/1.1 302 Found\r\nContent-Length: 4\r\n\r\nnone"), expect: .either([Answer(302, "none")])),
            FaultCase(
                "redirect-body-cut", .redirect, "A redirect whose body was cut is followed or an error.",
                [
                    ServerPlan(
                        .plain,
                        [
                            "/": [
                                Reply([
                                    .text("HTTP/1.1 302 X\r\nLocation: /new\r\nContent-Length: 99\r\n\r\nx"), .close,
                                ])
                            ],
                            "/new": [.ok("new")],
                        ])
                ], [.init(expect: .either("new"))]),
            FaultCase(
                "redirect-to-http", .redirect,
                "A redirect does not lead from https to http unless the program wants it.",
                [.secure(["*": [.redirect(to: "{1}/")]]), ServerPlan(.plain, ["*": [.ok("plain")]])],
                [
                    .init(expect: .anything) { $0.refusesInsecureRedirects = true }
                ]
            ) {
                $0.checks = [.requests(1, nil, atMost: 0)]
                $0.isOptional = true
            },
            FaultCase(
                "redirect-to-other-host-with-certificate", .redirect,
                "The certificate is checked after a redirect too.",
                [.secure(["*": [.redirect(to: "https://127.0.0.1:{0:port}/new")]])], [.init(expect: .failure)]),
        ]

    /// RFC 9110, 15.4: the method and the body of the redirected request. Not following the redirect is correct too.
    private static let rewritten = [
        rewrite(301, "POST", ["GET", "POST"]), rewrite(302, "POST", ["GET", "POST"]), rewrite(303, "POST", ["GET"]),
        rewrite(307, "POST", ["POST"]), rewrite(308, "POST", ["POST"]), rewrite(302, "PUT", ["PUT"]),
        rewrite(303, "PUT", ["GET"]), rewrite(307, "PUT", ["PUT"]), rewrite(302, "HEAD", ["HEAD"]),
        rewrite(303, "HEAD", ["HEAD", "GET"]), rewrite(307, "DELETE", ["DELETE"]),
        rewrite(308, "POST", ["POST"], file: true),
    ]

    private static func rewrite(_ status: Int, _ method: String, _ methods: [String], file: Bool = false) -> FaultCase {
        let hasBody = ["POST", "PUT"].contains(method)
        let keepsBody = hasBody && methods == [method]
        let head = Reply([.text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")])
        let answers = methods.map { Answer(200, $0 == "HEAD" ? "" : "new") }
        return FaultCase(
            "redirect-\(status)-\(method.lowercased())\(file ? "-file" : "")", .redirect,
            "After a \(status), \(method) becomes \(methods.joined(separator: " or "))\(keepsBody ? " with its body" : "").",
            [
                ServerPlan(
                    .plain, ["/a": [.redirect(status, to: "{0}/new")], "/new": [.ok("new")], "HEAD /new": [head]])
            ],
            [
                .init(method, "{0}/a", expect: .success(answers + Answer.redirects)) { request in
                    if hasBody { request.body = file ? .file(body) : .memory(body) }
                }
            ]
        ) {
            $0.checks = [.methods(methods, path: "/new", at: 0)] + (keepsBody ? [.body(body, path: "/new", at: 0)] : [])
        }
    }

    /// RFC 3986, 5: the target of a reference.
    private static let locations = [
        ("relative", "new", "/a/new"), ("absolute-path", "/new", "/new"), ("parent", "../new", "/new"),
        ("same-scheme", "//127.0.0.1:{0:port}/new", "/new"), ("query", "?q", "/a/b"),
        ("fragment", "{0}/new#part", "/new"),
    ].map { name, location, path in
        var routes = ["/a/b": [Reply.redirect(to: location)], "*": [.ok("elsewhere")]]
        routes[path, default: []].append(.ok("new"))
        return FaultCase(
            "redirect-\(name)", .redirect, "A reference in Location is resolved (RFC 3986, 5).",
            [ServerPlan(.plain, routes)], [.init("GET", "{0}/a/b", expect: .success("new"))])
    }

    /// Locations that a client must not follow. The redirect itself may be delivered.
    private static let refused = [
        ("file", "file:///etc/hostname"), ("data", "data:text/plain,hello"), ("ftp", "ftp://127.0.0.1:{0:port}/new"),
        ("gopher", "gopher://127.0.0.1:{0:port}/new"), ("script", "javascript:alert(1)"), ("no-url", "http://[bad/"),
        ("no-port", "http://127.0.0.1:99999/"),
    ].map { name, location in
        FaultCase(
            "redirect-to-\(name)", .redirect, "A redirect to `\(location.prefix { $0 != "{" })` is not followed.",
            [ServerPlan(.plain, ["/": [.redirect(to: location)], "*": [.ok("new")]])],
            [.init(expect: .either(Answer.redirects))])
    }

    private static func endless(_ name: String, _ routes: [String: [Reply]]) -> FaultCase {
        FaultCase(
            "redirect-\(name)", .redirect, "Redirects without an end are given up.", [ServerPlan(.plain, routes)],
            [.init(expect: .either(Answer.redirects))])
    }
}
