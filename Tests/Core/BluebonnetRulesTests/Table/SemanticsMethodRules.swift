// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension RuleTable {
    private static let basic: WireFields = ["WWW-Authenticate": "Basic realm=\"x\""]

    private static var withCredential: TransferOptions {
        TransferOptions { $0.credential = URLCredential(user: "user", password: "secret", persistence: .none) }
    }

    static let semanticsOfMethods: [Rule] = [
        Rule(
            .semantics, "9.1", "the case of the method is kept",
            .held(.sends("cUsToM") { request, _ in #expect(request.method == "cUsToM") })),
        Rule(
            .semantics, "9.3.2", "the response to HEAD has no content, even if its fields have a length",
            .held(.responses(to: "HEAD", [("HTTP/1.1 200 OK\nContent-Length: 1000\n\n", .status(200))]))),
        Rule(
            .semantics, "9.3.6", "CONNECT has the port, including the default port",
            .held(
                .proxy("https://origin.invalid/", .response(status: 403)) { _, proxy in
                    #expect(proxy.requests.first?.target == "origin.invalid:443")
                })),
        Rule(
            .semantics, "9.3.6", "a response other than 2xx to CONNECT makes no tunnel",
            .held(
                RuleCase {
                    for status in [301, 403, 407, 500] {
                        let reply = Reply.response(
                            status: status, headers: ["Location": "https://evil.invalid/"], body: "x")
                        try await RuleCase.proxy("https://origin.invalid/", reply) { operation, proxy in
                            #expect(operation.error != nil)
                            #expect(operation.statusCode == nil)
                        }.run()
                    }
                })),
        Rule(
            .semantics, "9.3.6", "Content-Length and Transfer-Encoding of a 2xx to CONNECT are ignored",
            .held(
                .server(tls: .localhost, answering { _ in .response(body: "ok") }) { origin in
                    for field in ["Content-Length: 4", "Transfer-Encoding: chunked"] {
                        let established = Reply.raw("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")
                        try await TestServer.answering(established.then(.tunnel(toPort: origin.port))) { proxy in
                            var options = try TransferOptions.trustingTestAuthority
                            options.proxy = try Proxy("http://127.0.0.1:\(proxy.port)")
                            #expect(await get(origin.url(), options).end == "ok", "\(field)")
                        }
                    }
                })),
        Rule(
            .semantics, "9.3.7", "OPTIONS with content says what the content is",
            .notApplicable("content and its Content-Type are the program's")),
        Rule(
            .semantics, "9.3.8", "TRACE has no content", .held(.refuses("TRACE", body: "body", .invalidRequest))),
        Rule(
            .semantics, "9.3.8", "TRACE carries no cookies and no credentials except fields that the program sets",
            .held(
                .server(answering { _ in .response(status: 401, headers: basic) }) { server in
                    let jar = CookieJar()
                    try await jar.set(Cookie(name: "a", value: "1", domain: "127.0.0.1"))
                    var options = withCredential
                    options.cookieJar = jar
                    await perform(URLRequest("TRACE", server.url()), options)
                    #expect(server.requests.map(\.method) == ["TRACE"])
                    #expect(server.sent("Cookie") + server.sent("Authorization") == [])
                })),
        Rule(
            .semantics, "10.1.1", "a request without content expects no 100",
            .held(
                RuleCase {
                    for method in ["GET", "POST", "DELETE"] {
                        try await RuleCase.sends(method, headers: ["Expect": "100-continue"]) { request, _ in
                            #expect(request.headers["Expect"] == nil)
                        }.run()
                    }
                })),
        Rule(
            .semantics, "10.1.1", "a request that waits for 100 has the Expect field, and does not wait forever",
            .held(
                RuleCase {
                    var server = TestServer.Options()
                    server.sendsContinue = false
                    try await TestServer.serving(server, script: { .response(body: $0.body) }) { server in
                        let request = URLRequest(
                            "POST", server.url(), headers: ["Expect": "100-continue"],
                            body: String(repeating: "x", count: 2000))
                        #expect(await perform(request).responseData?.count == 2000)
                        #expect(server.sent("Expect") == ["100-continue"])
                    }
                })),
        Rule(
            .semantics, "10.1.3", "a Referer has no fragment and no user information",
            .held(
                .redirect(302) { _, server in
                    #expect(server.requests.count == 2)
                    #expect(server.sent("Referer") == [])
                })),
        Rule(
            .semantics, "10.1.3", "no Referer of an https page is sent over http",
            .held(
                .server(answering { _ in .response(body: "end") }) { target in
                    try await TestServer.answering(.redirect(to: target.url().absoluteString), tls: .localhost) {
                        origin in
                        var options = try TransferOptions.trustingTestAuthority
                        options.allowsInsecureRedirects = true
                        let request = URLRequest("GET", origin.url(), headers: ["Referer": "https://secret.example/"])
                        #expect(await perform(request, options).end == "end")
                        #expect(target.sent("Referer") == [])
                    }
                })),
        Rule(
            .semantics, "10.1.4", "TE is sent together with a connection option of that name",
            .held(
                .sends(headers: ["TE": "trailers"]) { request, _ in
                    #expect(request.headers.values(named: "TE") == ["trailers"])
                    #expect(request.headers["Connection"]?.uppercased().contains("TE") == true)
                })),
        Rule(
            .semantics, "10.2.2", "a relative Location is resolved against the URL of its request",
            .held(
                RuleCase {
                    for (location, target) in [
                        ("end?x", "/a/end?x"), ("../end", "/end"), ("?x", "/a/start?x"), ("/end", "/end"),
                    ] {
                        let script: TestServer.Script = {
                            $0.target == "/a/start" ? .redirect(to: location) : .response(body: $0.target)
                        }
                        try await TestServer.scripted(script) { server in
                            #expect(await get(server.url("/a/start")).end == target)
                        }
                    }
                })),
        Rule(
            .semantics, "10.2.2", "a Location without a fragment inherits the fragment of the previous URL",
            .held(
                RuleCase {
                    for (location, fragment) in [("/end", "old"), ("/end#new", "new")] {
                        let script: TestServer.Script = {
                            $0.path == "/start" ? .redirect(to: location) : .response(body: "end")
                        }
                        try await TestServer.scripted(script) { server in
                            let operation = await get(server.url("/start#old"))
                            #expect(operation.responseHead?.url.fragment == fragment)
                        }
                    }
                })),
        Rule(
            .semantics, "11.2", "realm and other parameters may be tokens or quoted strings",
            .held(
                RuleCase {
                    for field in ["Basic realm=x", "Basic realm=\"x\"", "bAsIc REALM=\"x\"", "Basic"] {
                        try await TestServer.answering(.response(status: 401, headers: ["WWW-Authenticate": field])) {
                            await get($0.url(), withCredential)
                            #expect($0.sent("Authorization") == ["Basic dXNlcjpzZWNyZXQ="], "\(field)")
                        }
                    }
                })),
        Rule(
            .semantics, "11.5", "a credential is sent only to its server",
            .held(
                .server(answering { _ in .response(status: 401, headers: basic) }) { target in
                    try await TestServer.answering(.redirect(to: target.url().absoluteString)) { origin in
                        await get(origin.url(), withCredential)
                        #expect(target.requests.count == 1)
                        #expect(target.sent("Authorization") == [])
                    }
                })),
        Rule(
            .semantics, "11.6.1", "several challenges, in one or more fields, are parsed separately",
            .held(
                RuleCase {
                    for fields in [
                        ["Negotiate abc==, Basic realm=\"a, b\", Unknown x=y"],
                        ["Unknown x=\"Basic realm=y\"", "Basic realm=\"x\""],
                    ] {
                        let headers = WireFields(fields.map { ("WWW-Authenticate", $0) })
                        try await TestServer.answering(.response(status: 401, headers: headers)) {
                            await get($0.url(), withCredential)
                            #expect($0.sent("Authorization") == ["Basic dXNlcjpzZWNyZXQ="], "\(fields)")
                        }
                    }
                })),
        Rule(
            .semantics, "11.7.1", "a challenge of a proxy is not answered with a credential of the server",
            .held(
                RuleCase {
                    try await TestServer.answering(
                        .response(status: 407, headers: ["Proxy-Authenticate": "Basic realm=\"x\""])
                    ) { proxy in
                        var options = withCredential
                        options.proxy = try Proxy("http://127.0.0.1:\(proxy.port)")
                        await get(try #require(URL(string: "http://origin.invalid/")), options)
                        #expect(proxy.sent("Authorization") + proxy.sent("Proxy-Authorization") == [])
                    }
                })),
        Rule(
            .semantics, "12.4.2", "a weight has at most three digits after its dot",
            .held(
                RuleCase {
                    try await TestServer.answering(.response()) { server in
                        let manager = RequestOperationManager(baseURL: server.url())
                        manager.responseSerializer = HTTPResponseSerializer()
                        manager.headers["Accept-Language"] = DefaultHeaders.acceptLanguage(
                            ["de-CH", "de", "fr", "it", "rm", "en"])
                        _ = try? await manager.get("x") as Data
                        let field = try #require(server.sent("Accept-Language").first)
                        #expect(field.contains("q=0.5"))
                        for part in field.components(separatedBy: "q=").dropFirst() {
                            let weight = part.prefix { $0.isNumber || $0 == "." }
                            #expect(weight.count <= 5 && Double(weight).map { (0...1).contains($0) } == true)
                        }
                    }
                })),
    ]
}
