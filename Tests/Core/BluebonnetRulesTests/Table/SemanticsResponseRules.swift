// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

extension RuleTable {
    private static let strong: WireFields = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]

    private static let whole = RuleCase.firstPart + RuleCase.secondPart

    private static func part(
        _ range: String = "bytes 100005-100009/100010", _ body: String = RuleCase.secondPart, tag: String = "\"v1\""
    ) -> Reply {
        .response(status: 206, headers: ["ETag": tag, "Content-Range": range], body: body)
    }

    /// Whether an operation that requires a successful status accepts this status.
    private static func accepts(_ status: Int, _ isAccepted: Bool) -> RuleCase {
        .server(answering { _ in .response(status: status) }) { server in
            let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
            operation.start()
            try? await operation.waitUntilEnded()
            #expect(operation.error?.code == (isAccepted ? nil : .unacceptableStatus))
            #expect(operation.statusCode == status)
        }
    }

    static let semanticsOfResponses: [Rule] = [
        Rule(
            .semantics, "13.1.5", "If-Range is not sent without Range",
            .held(
                .resumed([:]) { second, file, _ in
                    #expect(second.headers["Range"] == nil && second.headers["If-Range"] == nil)
                    #expect(file == whole)
                })),
        Rule(
            .semantics, "13.1.5", "If-Range contains no weak entity tag",
            .held(
                .resumed(["ETag": "W/\"v1\"", "Accept-Ranges": "bytes"]) { second, file, _ in
                    #expect(second.headers["If-Range"] == nil && second.headers["Range"] == nil)
                    #expect(file == whole)
                })),
        Rule(
            .semantics, "13.1.5",
            "If-Range contains no date if there is an entity tag, or if the date is not strong",
            .held(
                RuleCase {
                    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
                    let later = "Sun, 06 Nov 1994 08:50:37 GMT"
                    try await RuleCase.resumed(
                        ["ETag": "\"v1\"", "Last-Modified": date, "Date": later], then: part()
                    ) {
                        second, _, _ in #expect(second.headers["If-Range"] == "\"v1\"")
                    }.run()
                    try await RuleCase.resumed(["Last-Modified": date, "Date": date]) { second, _, _ in
                        #expect(second.headers["If-Range"] == nil && second.headers["Range"] == nil)
                    }.run()
                    try await RuleCase.resumed(["Last-Modified": date, "Date": later]) { second, _, _ in
                        #expect(second.headers["If-Range"] == date)
                    }.run()
                })),
        Rule(
            .semantics, "14.4", "a part with an invalid Content-Range is not joined to another part",
            .held(
                RuleCase {
                    for range in [
                        "bytes 100009-100005/100010", "bytes 100005-100009/100009", "bytes x-100009/100010",
                        "bytes=100005-100009/100010", "bytes 100004-100008/100010", "bytes 100005-100009/100011",
                    ] {
                        try await RuleCase.resumed(strong, then: part(range, "EVIL!")) { second, file, _ in
                            #expect(second.headers["Range"] == "bytes=100005-")
                            #expect(file != RuleCase.firstPart + "EVIL!", "\(range)")
                        }.run()
                    }
                })),
        Rule(
            .semantics, "14.4", "a part in unknown units is not joined to another part",
            .held(
                .resumed(strong, then: part("lines 100005-100009/100010", "EVIL!")) { _, file, _ in
                    #expect(file != RuleCase.firstPart + "EVIL!")
                })),
        Rule(
            .semantics, "14.6", "a client that cannot read the response to several ranges does not request them",
            .held(
                .resumed(strong, then: part()) { second, file, _ in
                    #expect(second.headers.values(named: "Range") == ["bytes=100005-"])
                    #expect(file == whole)
                })),
        Rule(
            .semantics, "15", "an unknown status counts as the first of its class",
            .held(
                RuleCase {
                    for (status, isAccepted) in [(299, true), (399, false), (499, false), (599, false)] {
                        try await accepts(status, isAccepted).run()
                    }
                })),
        Rule(
            .semantics, "15.2", "interim responses before the final one are read, asked for or not",
            .held(
                .responses([
                    (
                        "HTTP/1.1 100 Continue\n\nHTTP/1.1 102 Processing\nX: 1\n\nHTTP/1.1 103 Early Hints\n\n"
                            + "HTTP/1.1 199 Unknown\n\nHTTP/1.1 200 OK\nContent-Length: 2\n\nok", .body("ok")
                    )
                ]))),
        Rule(
            .semantics, "15.2.2", "a switch to a protocol that was not requested",
            .stricter(
                "such a response is refused",
                .responses([("HTTP/1.1 101 Switching\nUpgrade: x\nConnection: upgrade\n\n", RuleCase.badResponse)]))),
        Rule(
            .semantics, "15.3.7", "a part is recognized by 206, its Content-Range and its Content-Type",
            .held(
                .resumed(
                    strong,
                    then: .response(
                        status: 206, headers: ["ETag": "\"v1\"", "Content-Type": "multipart/byteranges; boundary=x"],
                        body: "--x--")
                ) { _, file, _ in #expect(file?.contains("--x--") != true) })),
        Rule(
            .semantics, "15.3.7.3", "parts are joined only under the same strong validator",
            .held(
                RuleCase {
                    for tag in ["\"v2\"", "W/\"v1\"", "v1"] {
                        try await RuleCase.resumed(strong, then: part(tag: tag)) { _, file, _ in
                            #expect(file != whole, "\(tag)")
                        }.run()
                    }
                })),
        Rule(
            .semantics, "15.4", "a redirect is followed to its Location; without one it is not followed",
            .stricter(
                "301, 302, 303, 307 and 308 without a Location are refused",
                .responses([("HTTP/1.1 302 Found\nContent-Length: 0\n\n", RuleCase.badResponse)]))),
        Rule(
            .semantics, "15.4", "the number of redirects is limited",
            .held(
                .server(answering { .redirect(to: "/" + String((Int($0.path.dropFirst()) ?? 0) + 1)) }) { server in
                    #expect(await get(server.url("/0")).error?.code == .tooManyRedirects)
                    #expect(server.requests.count == 21)
                })),
        Rule(
            .semantics, "15.4", "fields that are only for the first server are not sent to another server",
            .held(
                .server(answering { _ in .response(body: "end") }) { target in
                    try await TestServer.answering(.redirect(to: target.url().absoluteString)) { origin in
                        let fields = ["Authorization": "secret", "Cookie": "a=1", "X-Api-Key": "secret", "Origin": "x"]
                        #expect(await perform(URLRequest("GET", origin.url(), headers: fields)).end == "end")
                        for name in fields.keys { #expect(target.sent(name) == [], "\(name)") }
                    }
                })),
        Rule(
            .semantics, "15.4.4", "303 is followed with GET, or with HEAD after HEAD",
            .held(
                RuleCase {
                    for (method, next) in [("POST", "GET"), ("PUT", "GET"), ("DELETE", "GET"), ("HEAD", "HEAD")] {
                        try await TestServer.scripted(
                            answering {
                                $0.path == "/start" ? .redirect(to: "/end", status: 303) : .response()
                            }
                        ) {
                            await perform(URLRequest(method, $0.url("/start")))
                            #expect($0.requests.map(\.method) == [method, next])
                        }
                    }
                })),
        Rule(
            .semantics, "15.4.5", "304 has no content",
            .held(.responses([("HTTP/1.1 304 Not Modified\nContent-Length: 5\n\n", .status(304))]))),
        Rule(
            .semantics, "15.4.8", "307 is followed with the same method and content",
            .held(
                RuleCase {
                    for method in ["POST", "PUT", "PATCH", "DELETE"] {
                        try await RuleCase.redirect(307, method: method) { operation, server in
                            #expect(operation.end == "end")
                            #expect(server.requests.map(\.method) == [method, method])
                            #expect(server.requests.map(\.bodyText) == ["body", "body"])
                        }.run()
                    }
                })),
        Rule(
            .semantics, "15.4.9", "308 is followed with the same method and content",
            .held(
                .redirect(308, method: "POST") { operation, server in
                    #expect(operation.end == "end")
                    #expect(server.requests.map(\.method) == ["POST", "POST"])
                    #expect(server.requests.map(\.bodyText) == ["body", "body"])
                })),
        Rule(
            .semantics, "15.5.2", "401 is answered with the same credential only once",
            .held(
                .server(answering { _ in .response(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""]) }) {
                    server in
                    let credential = URLCredential(user: "user", password: "wrong", persistence: .none)
                    #expect(await get(server.url(), TransferOptions { $0.credential = credential }).statusCode == 401)
                    #expect(server.requests.count == 2)
                })),
    ]
}
