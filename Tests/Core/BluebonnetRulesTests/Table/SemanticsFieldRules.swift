// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetHTTP
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

extension RuleTable {
    /// The error code of a GET for a text that may be an unusable URL.
    private static func url(_ text: String, _ code: NetworkingError.Code) -> RuleCase {
        RuleCase {
            let url = try #require(URL(string: text))
            #expect(await get(url).error?.code == code)
        }
    }

    /// The result of a GET from a server with this certificate, by its address or by its name.
    private static func certificate(
        _ certificate: TestCertificate, host: String = "127.0.0.1", _ end: RuleCase.End
    ) -> RuleCase {
        .server(tls: certificate, answering { _ in .response(body: "ok") }) { server in
            var options = try TransferOptions.trustingTestAuthority
            options.addressOverrides = ["localhost": "127.0.0.1"]
            end.expect(await get(server.url(host: host), options))
        }
    }

    /// The answers to a challenge with this field. The request has a credential.
    private static func challenge(
        _ field: String, _ check: @escaping @Sendable (_ answers: [String]) -> Void
    ) -> RuleCase {
        .server(answering { _ in .response(status: 401, headers: ["WWW-Authenticate": field]) }) { server in
            await get(
                server.url(),
                TransferOptions {
                    $0.credential = URLCredential(user: "user", password: "secret", persistence: .none)
                })
            check(server.sent("Authorization"))
        }
    }

    static let semanticsOfFields: [Rule] = [
        Rule(
            .semantics, "2.2", "nothing is sent that the grammar does not allow",
            .held(
                RuleCase {
                    try await RuleCase.refuses("GET /", .invalidRequest).run()
                    try await RuleCase.refuses("", .invalidRequest).run()
                    try await RuleCase.refuses(headers: ["X Y": "1"], .invalidRequest).run()
                })),
        Rule(
            .semantics, "2.3", "received elements may be as long as the elements that the library sends",
            .held(
                RuleCase {
                    let path = "/" + String(repeating: "p", count: 8000)
                    let script: TestServer.Script = {
                        $0.path == "/start" ? .redirect(to: path) : .response(body: String($0.path.count))
                    }
                    try await TestServer.scripted(script) { server in
                        #expect(await get(server.url("/start")).end == "8001")
                    }
                })),
        Rule(
            .semantics, "2.5", "a later minor version is treated as the highest known version",
            .deviates(
                "libcurl refuses versions of HTTP/1 beyond 1.1",
                .responses([("HTTP/1.9 200 OK\nContent-Length: 2\n\nok", RuleCase.badResponse)]))),
        Rule(
            .semantics, "4.2.1", "an http URL without a host is invalid", .held(url("http:///path", .badURL))),
        Rule(
            .semantics, "4.2.2", "an https URL without a host is invalid", .held(url("https:///path", .badURL))),
        Rule(
            .semantics, "4.2.2", "https requests use a secured connection, and only secured responses are accepted",
            .held(
                RuleCase {
                    var options = TestServer.Options()
                    options.greeting = .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain")
                    try await TestServer.serving(options, script: { _ in .response() }) { server in
                        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
                        #expect(await get(url).error?.code == .secureConnectionFailed)
                        #expect(server.requests.isEmpty)
                    }
                })),
        Rule(
            .semantics, "4.2.4", "no user information is sent in a target or a field",
            .held(
                .proxy("http://user:secret@origin.invalid/path") { _, proxy in
                    let request = proxy.requests.first
                    #expect(request?.target == "http://origin.invalid/path")
                    #expect(request?.headers["Host"] == "origin.invalid")
                    #expect(request?.headText.contains("secret") == false)
                })),
        Rule(
            .semantics, "4.3.4", "the certificate has to name the host of the URL",
            .held(
                RuleCase {
                    try await certificate(.wrongHost, .error(.serverNotTrusted)).run()
                    try await certificate(.localhost, .body("ok")).run()
                    try await certificate(.localhost, host: "localhost", .body("ok")).run()
                })),
        Rule(
            .semantics, "4.3.4", "a certificate that is not valid ends the request with an error",
            .held(
                RuleCase {
                    try await certificate(.expired, .error(.serverNotTrusted)).run()
                    try await certificate(.selfSigned, .error(.serverNotTrusted)).run()
                })),
        Rule(
            .semantics, "4.3.4", "a common name is not a name of the host",
            .held(certificate(.commonNameOnly, host: "localhost", .error(.serverNotTrusted)))),
        Rule(
            .semantics, "4.3.5", "an address is compared only with the addresses in the certificate",
            .held(
                RuleCase {
                    try await certificate(.addressAsName, .error(.serverNotTrusted)).run()
                    try await certificate(.addressOnly, .body("ok")).run()
                })),
        Rule(
            .semantics, "5.1", "names of fields are compared without regard to case",
            .held(
                .server(answering { _ in .response(headers: ["x-NAME": "1"]) }) { server in
                    #expect(await get(server.url()).responseHeaders["X-Name"] == "1")
                })),
        Rule(
            .semantics, "5.3", "only fields that are lists are sent more than once",
            .held(
                .sends(headers: ["Accept": "text/plain", "User-Agent": "own"]) { request, _ in
                    let names = request.headers.names.map { $0.lowercased() }
                    #expect(Set(names).count == names.count)
                })),
        Rule(
            .semantics, "5.3", "lines of one field keep their order, and Set-Cookie is not joined",
            .held(
                .server(
                    answering { _ in
                        .response(headers: ["X": "1", "Set-Cookie": "a=1, b", "x": "2", "Set-cookie": "c=2"])
                    }
                ) {
                    server in
                    let headers = await get(server.url()).responseHeaders
                    #expect(headers.filter { $0.hasName("x") }.map(\.value) == ["1", "2"])
                    #expect(headers.filter { $0.hasName("set-cookie") }.map(\.value) == ["a=1, b", "c=2"])
                })),
        Rule(
            .semantics, "5.4", "a field that is too large is ignored only if its meaning can safely be ignored",
            .stricter(
                "a head that is too large is refused",
                .server(answering { _ in .response(headers: ["X": String(repeating: "x", count: 300_000)]) }) {
                    server in
                    #expect(await get(server.url()).error?.code == .headersTooLarge)
                })),
        Rule(
            .semantics, "5.5", "a value with CR, LF or NUL is refused",
            .held(
                RuleCase {
                    for byte in ["\r", "\0"] {
                        try await RuleCase.bytes(
                            "HTTP/1.1 200 OK\r\nX: a\(byte)b\r\nContent-Length: 0\r\n\r\n", .anyError
                        ).run()
                    }
                })),
        Rule(
            .semantics, "5.5", "no value with CR, LF or NUL is sent",
            .held(
                RuleCase {
                    for value in ["a\rb", "a\nb", "a\0b", "a\r\nX: y"] {
                        #expect(throws: NetworkingError.self) { try RequestCheck.field(name: "X", value: value) }
                    }
                })),
        Rule(
            .semantics, "5.5", "white space around a value is ignored",
            .held(
                .server(answering { _ in .response(headers: ["X": " \t a \t "]) }) { server in
                    #expect(await get(server.url()).responseHeaders["X"] == "a")
                })),
        Rule(
            .semantics, "5.6.1", "empty elements of a list are ignored",
            .held(
                .server(
                    answering { _ in
                        .response(
                            headers: ["Content-Encoding": ", ,identity,, ", "Connection": ",,close,"], body: "ok")
                    }
                ) {
                    server in
                    #expect(await get(server.url()).end == "ok")
                    await get(server.url())
                    #expect(server.requests.map(\.connection) == [1, 2])
                })),
        Rule(
            .semantics, "5.6.1", "no empty element of a list is sent",
            .held(
                .sends { request, _ in
                    for field in request.headers.fields where field.name.hasPrefix("Accept") {
                        #expect(
                            !field.value.split(separator: ",", omittingEmptySubsequences: false).contains {
                                $0.allSatisfy { $0 == " " }
                            })
                    }
                })),
        Rule(
            .semantics, "5.6.3", "white space that old senders insert is ignored",
            .held(challenge("Basic realm = \"x\" , charset = \"UTF-8\"") { #expect($0 == ["Basic dXNlcjpzZWNyZXQ="]) })),
        Rule(
            .semantics, "5.6.4", "a backslash in a quoted string escapes the next byte",
            .held(
                RuleCase {
                    let challenges = HTTPChallenge.parse(["Digest realm=\"a\\\"b\\\\c\", nonce=\"\\n\""])
                    #expect(challenges.first?.parameters == ["realm": "a\"b\\c", "nonce": "n"])
                })),
        Rule(
            .semantics, "5.6.7", "dates are read in three forms",
            .held(
                RuleCase {
                    for text in [
                        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                    ] {
                        #expect(HTTPDate.date(text)?.timeIntervalSince1970 == 784_111_777, "\(text)")
                    }
                })),
        Rule(
            .semantics, "5.6.7", "a year of two digits that seems more than 50 years ahead is in the past",
            .held(
                RuleCase {
                    let now = Date(timeIntervalSince1970: 1_800_000_000)  // 2027
                    let year = { (text: String) in
                        HTTPDate.date("Sunday, 06-Nov-\(text) 08:49:37 GMT", now: now).map {
                            Calendar(identifier: .gregorian).component(.year, from: $0)
                        }
                    }
                    #expect(year("76") == 2076)
                    #expect(year("78") == 1978)
                    #expect(year("99") == 1999)
                })),
        Rule(
            .semantics, "5.6.7", "dates are sent only in the current form",
            .notApplicable("no date is sent but the server's own, in If-Range")),
        Rule(
            .semantics, "6.4.1", "a response to HEAD, and 204 and 304, have no content",
            .held(
                .server(answering { $0.method == "HEAD" ? .response(body: "12345") : .response(status: 204) }) {
                    server in
                    #expect(await perform(URLRequest("HEAD", server.url())).responseData?.isEmpty != false)
                    #expect(await get(server.url()).responseData?.isEmpty != false)
                })),
        Rule(
            .semantics, "6.5.1", "fields after the content are not merged into the head",
            .held(
                .server(
                    answering { _ in .chunked(chunks: ["ok"], trailers: ["Location": "/evil", "ETag": "\"late\""]) }
                ) {
                    server in
                    let headers = await get(server.url()).responseHeaders
                    #expect(headers["Location"] == nil && headers["ETag"] == nil)
                })),
        Rule(
            .semantics, "6.5.1", "no field is sent after the content that must be in the head",
            .held(.elsewhere("RequestTrailerTests.fieldOfTheHeadIsRefused"))),
        Rule(
            .semantics, "7.2", "Host is sent, as the URL has it, without user information",
            .held(.sends { request, server in #expect(request.headers["Host"] == "127.0.0.1:\(server.port)") })),
        Rule(
            .semantics, "7.8", "Upgrade is sent together with a connection option of that name",
            .held(
                .server(answering { _ in .response(body: "ok") }) { server in
                    await get(server.url(), TransferOptions { $0.httpVersion = .http2 })
                    #expect(server.sent("Upgrade") == ["h2c"])
                    #expect(server.sent("Connection").first?.contains("Upgrade") == true)
                })),
        Rule(
            .semantics, "7.8", "no other protocol is used before the request was sent and 101 was received",
            .held(
                .server(answering { _ in .response(body: "ok") }) { server in
                    #expect(await get(server.url(), TransferOptions { $0.httpVersion = .http2 }).end == "ok")
                    #expect(server.history.connection(1)?.failure == nil)
                })),
        Rule(
            .semantics, "8.4", "content codings are decoded from the last to the first",
            .held(
                .server(
                    answering { _ in
                        // "hello", compressed with gzip and then with zlib.
                        let body = Data(base64Encoded: "eJyT7+ZgAAEm5tMeZ0+eZGdoWyZgxgoUAABIAQWo")
                        return .response(headers: ["Content-Encoding": "gzip, deflate"], body: body ?? Data())
                    }
                ) { server in #expect(await get(server.url()).end == "hello") })),
        Rule(
            .semantics, "8.6", "Content-Length is read without overflow",
            .held(
                .responses([
                    ("HTTP/1.1 200 OK\nContent-Length: 18446744073709551618\n\nok", RuleCase.badResponse),
                    ("HTTP/1.1 200 OK\nContent-Length: 99999999999999999999999999\n\nok", RuleCase.badResponse),
                    ("HTTP/1.1 200 OK\nContent-Length: 0000000000000000000002\n\nok", .body("ok")),
                ]))),
        Rule(
            .semantics, "8.6",
            "a Content-Length with equal numbers is that number or refused; with different numbers it is refused",
            .held(
                .responses([
                    ("HTTP/1.1 200 OK\nContent-Length: 2, 2\n\nok", .body("ok")),
                    ("HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 2\n\nok", .body("ok")),
                    ("HTTP/1.1 200 OK\nContent-Length: 2, 1\n\nok", RuleCase.badResponse),
                ]))),
        Rule(
            .semantics, "8.6", "a Content-Length that is known to be wrong is not sent",
            .held(.refuses("POST", headers: ["Content-Length": "3"], body: "body", .invalidRequest))),
    ]
}
