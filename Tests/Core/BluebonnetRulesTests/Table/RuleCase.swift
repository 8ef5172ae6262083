// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

/// An example that shows how far the library meets a rule. It records an issue if the library behaves differently.
struct RuleCase: Sendable {
    /// Whether the programs that the case needs are installed.
    var isPossible = true
    /// The name of the case if it is a test of another suite. The documentation tests check that the test exists.
    var place: String?
    let run: @Sendable () async throws -> Void

    init(_ run: @escaping @Sendable () async throws -> Void) { self.run = run }

    /// How a request ends.
    enum End: Sendable, Equatable {
        case body(String)
        case status(Int)
        case error(NetworkingError.Code)
        /// Any of these.
        case errorOf([NetworkingError.Code])
        case anyError
    }

    /// A case that is a test of another suite, with its name there.
    static func elsewhere(_ name: String) -> RuleCase {
        var example = RuleCase {}
        (example.isPossible, example.place) = (false, name)
        return example
    }

    static let badResponse = End.error(.badServerResponse)
}

extension RuleCase.End {
    /// Records an issue if the operation ended differently.
    func expect(_ operation: RequestOperation, _ hint: String = "") {
        let seen = operation.error.map { "\($0.code.rawValue): \($0.message)" } ?? "status \(operation.statusCode ?? 0)"
        let text = "\(hint) \(seen)"
        switch self {
        case .body(let body):
            #expect(operation.error == nil, "\(text)")
            #expect(operation.responseString == body, "\(text)")
        case .status(let status):
            #expect(operation.error == nil, "\(text)")
            #expect(operation.statusCode == status, "\(text)")
        case .error(let code): #expect(operation.error?.code == code, "\(text)")
        case .errorOf(let codes): #expect(operation.error.map { codes.contains($0.code) } == true, "\(text)")
        case .anyError: #expect(operation.error != nil, "\(text)")
        }
    }
}

// MARK: - HTTP/1.1

extension RuleCase {
    /// Checks that each response ends as expected. Responses are text with LF line ends, which become CRLF. The
    /// server closes the connection after each response.
    static func responses(to method: String = "GET", _ rows: [(response: String, end: End)]) -> RuleCase {
        RuleCase {
            for row in rows {
                let bytes = row.response.replacingOccurrences(of: "\n", with: "\r\n")
                try await TestServer.answering(Reply.raw(bytes).then(.close)) { server in
                    row.end.expect(
                        await perform(URLRequest(method, server.url())), "after \(row.response.debugDescription)")
                }
            }
        }
    }

    /// Checks that a response, sent byte for byte as given, ends as expected.
    static func bytes(_ response: String, _ end: End) -> RuleCase {
        RuleCase {
            try await TestServer.answering(Reply.raw(response).then(.close)) { server in
                end.expect(await get(server.url()))
            }
        }
    }

    /// Checks one request as the server receives it. The server answers 200.
    static func sends(
        _ method: String = "GET", _ path: String = "/", headers: [String: String] = [:], body: String? = nil,
        _ check: @escaping @Sendable (ReceivedRequest, TestServer) -> Void
    ) -> RuleCase {
        RuleCase {
            try await TestServer.answering(.response(body: "ok")) { server in
                let operation = await perform(URLRequest(method, server.url(path), headers: headers, body: body))
                #expect(operation.error == nil)
                check(try #require(server.requests.first), server)
            }
        }
    }

    /// Checks that a request is refused without a connection to the server.
    static func refuses(
        _ method: String = "GET", headers: [String: String] = [:], body: String? = nil, _ code: NetworkingError.Code
    ) -> RuleCase {
        RuleCase {
            try await TestServer.answering(.response()) { server in
                let operation = await perform(URLRequest(method, server.url(), headers: headers, body: body))
                #expect(operation.error?.code == code)
                #expect(server.connectionCount == 0)
            }
        }
    }

    /// A server with a script, and a check of the server.
    static func server(
        tls certificate: TestCertificate? = nil, _ script: @escaping TestServer.Script,
        _ check: @escaping @Sendable (TestServer) async throws -> Void
    ) -> RuleCase {
        RuleCase { try await TestServer.scripted(tls: certificate, script, check) }
    }

    /// A request for `/start`, which the server answers with this redirect. Any other path is answered with "end".
    static func redirect(
        _ status: Int, method: String = "GET", to location: String = "/end",
        _ check: @escaping @Sendable (RequestOperation, TestServer) -> Void
    ) -> RuleCase {
        let script: TestServer.Script = {
            $0.path == "/start" ? .redirect(to: location, status: status) : .response(body: "end")
        }
        return server(script) { server in
            let body = method == "GET" ? nil : "body"
            check(await perform(URLRequest(method, server.url("/start"), body: body)), server)
        }
    }

    /// A GET through an HTTP proxy that answers every request itself with this reply.
    static func proxy(
        _ url: String, _ reply: Reply = .response(body: "ok"),
        _ check: @escaping @Sendable (RequestOperation, TestServer) -> Void
    ) -> RuleCase {
        RuleCase {
            try await TestServer.answering(reply) { proxy in
                let options = try TransferOptions { $0.proxy = try Proxy("http://127.0.0.1:\(proxy.port)") }
                check(await get(try #require(URL(string: url)), options), proxy)
            }
        }
    }

    /// Checks whether the second of two consecutive requests reuses the connection of the first. The first request is
    /// answered with this text.
    static func secondConnection(after response: String, isSame: Bool) -> RuleCase {
        let first = response.replacingOccurrences(of: "\n", with: "\r\n")
        return server(answering { $0.path == "/first" ? .raw(first) : .response(body: "second") }) { server in
            var connections: [Int] = []
            // Another suite may have closed the kept connection.
            for _ in 1...(isSame ? 5 : 1) {
                await get(server.url("/first"))
                #expect(await get(server.url("/second")).end == "second")
                connections = server.requests.suffix(2).map(\.connection)
                if isSame == (Set(connections).count == 1) { return }
            }
            Issue.record("the connections are \(connections)")
        }
    }
}

// MARK: - Partial content

extension RuleCase {
    /// The part of a download that arrives at first. A shorter part would leave nothing to resume.
    static let firstPart = String(repeating: "x", count: 100_005)
    /// The rest of the download.
    static let secondPart = "56789"

    /// A download of 100,010 bytes that is cut five bytes before its end and then retried. The second request and all
    /// later requests get the second reply.
    static func resumed(
        _ fields: WireFields, then second: Reply = .response(body: firstPart + secondPart),
        _ check: @escaping @Sendable (_ second: ReceivedRequest, _ file: String?, RequestOperation) -> Void
    ) -> RuleCase {
        let whole = Reply.response(headers: fields, body: firstPart + secondPart)
        let script: TestServer.Script = { request in
            request.path == "/file" && request.headers["X-Try"] == "1"
                ? whole.cut(afterByteCount: whole.bytes.count - 5) : second
        }
        return server(script) { server in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = folder.url.appendingPathComponent("file")
            var last: RequestOperation?
            for attempt in 1...2 {
                let operation = HTTPRequestOperation(
                    request: URLRequest("GET", server.url("/file"), headers: ["X-Try": "\(attempt)"]))
                operation.outputFile = file
                operation.start()
                try? await operation.waitUntilEnded()
                last = operation
            }
            let request = try #require(server.requests.dropFirst().first)
            let text = try? String(contentsOf: file, encoding: .utf8)
            check(request, text, try #require(last))
        }
    }
}

// MARK: - HTTP/2

extension RuleCase {
    typealias Frame = HTTP2WireServer.Frame

    /// The frames of a valid response.
    static let okFrames: [HTTP2WireServer.Frame] = [.head([(":status", "200")]), .data("ok", ends: true)]

    /// Checks that an HTTP/2 request answered with these frames ends as expected, and that the next request succeeds.
    static func frames(
        _ frames: [HTTP2WireServer.Frame], _ end: End, isClosed: Bool = false,
        _ check: @escaping @Sendable (HTTP2WireServer) async throws -> Void = { _ in }
    ) -> RuleCase {
        http2 { server, options in
            end.expect(await get(server.url(frames, isClosed: isClosed), options))
            #expect(await get(server.url(path: "/next"), options).end == "ok")
            try await check(server)
        }
    }

    /// An HTTP/2 server, and options that trust its certificate.
    static func http2(
        _ check: @escaping @Sendable (HTTP2WireServer, TransferOptions) async throws -> Void
    ) -> RuleCase {
        var example = RuleCase {
            var options = try TransferOptions.trustingTestAuthority
            options.timeouts.idle = .seconds(5)
            try await HTTP2WireServer.serving { [options] server in
                try await check(server, options)
            }
        }
        example.isPossible = HTTP2WireServer.isAvailable
        return example
    }

    /// Checks the head of one HTTP/2 request as the server receives it.
    static func sendsHTTP2(
        _ method: String = "GET", headers: [String: String] = [:], body: String? = nil,
        _ check: @escaping @Sendable (WireFields) -> Void
    ) -> RuleCase {
        http2 { server, options in
            let request = URLRequest(method, server.url(path: "/path?query"), headers: headers, body: body)
            #expect(await perform(request, options).end == "ok")
            check(try #require(server.heads.first))
        }
    }
}

// MARK: - Cookies

extension RuleCase {
    /// Checks the cookies that a jar sends to a URL after a response to `http://www.example.com/dir/page` has set
    /// these fields.
    static func cookies(
        _ fields: [String], status: Int = 200, to host: String = "www.example.com", _ path: String = "/dir/other",
        sends sent: String?, keeps check: @escaping @Sendable ([Cookie]) -> Void = { _ in }
    ) -> RuleCase {
        let set = WireFields(fields.map { ("Set-Cookie", $0) })
        return server(answering { $0.path == "/dir/page" ? .response(status: status, headers: set) : .response() }) {
            server in
            var options = TransferOptions.to("www.example.com", host)
            let jar = CookieJar()
            options.cookieJar = jar
            await get(server.url("/dir/page", host: "www.example.com"), options)
            await get(server.url(path, host: host), options)
            expectCookies(server.requests.last, sent)
            check(await jar.cookies)
        }
    }

    /// Checks that a request has one field with these cookies, or no field. The order of cookies matters only if
    /// their paths differ.
    static func expectCookies(_ request: ReceivedRequest?, _ sent: String?, isOrdered: Bool = false) {
        let fields = request?.headers.values(named: "Cookie")
        if isOrdered { return #expect(fields == (sent.map { [$0] } ?? [])) }
        let cookies = { (text: String) in text.components(separatedBy: "; ").sorted() }
        #expect(fields?.map(cookies) == (sent.map { [cookies($0)] } ?? []))
    }
}

extension HTTP2WireServer {
    /// The heads that arrived, grouped by connection, in the order of the connections.
    var connectionsOfRequests: [[ReceivedFrame]] {
        Dictionary(grouping: frames.filter { $0.kind == 1 }, by: \.connection).sorted { $0.key < $1.key }.map(\.value)
    }
}
