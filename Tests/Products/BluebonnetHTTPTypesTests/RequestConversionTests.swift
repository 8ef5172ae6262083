// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetHTTPTypes
import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1))) struct RequestConversionTests {
    private typealias Other = HTTPTypes.HTTPRequest

    private static func other(
        _ method: Other.Method = .get, scheme: String? = "https", authority: String? = "shop.test:8443",
        path: String? = "/a%20b?c=d", _ fields: HTTPFields = [:]
    ) -> Other {
        Other(method: method, scheme: scheme, authority: authority, path: path, headerFields: fields)
    }

    @Test func partsBecomeTheURL() throws {
        let request = try Bluebonnet.HTTPRequest(
            Self.other(.patch, [.accept: "text/html"]), body: Data("body".utf8))
        #expect(request.method == "PATCH" && request.url.absoluteString == "https://shop.test:8443/a%20b?c=d")
        #expect(request.headers == ["Accept": "text/html"] && request.body == Data("body".utf8))
    }

    @Test(arguments: [
        "https://shop.test:8443/a%20b?c=d", "http://[::1]:80/", "http://shop.test/?", "http://shop.test/a/../b",
        "https://shop.test/a?b?c/d", "http://shop.test//a",
    ])
    func requestIsTheSameAfterBothConversions(url: String) throws {
        let fields: HeaderFields = ["X-A": "1", "Accept": "é", "x-a": "2", "X-Empty": ""]
        let request = Bluebonnet.HTTPRequest("REPORT", url: try #require(URL(string: url)), headers: fields)
        let other = try Other(request)
        #expect(try Bluebonnet.HTTPRequest(other) == request)
        #expect(try Other(Bluebonnet.HTTPRequest(other)) == other)
    }

    @Test func emptyPathBecomesASlash() throws {
        let url = try #require(URL(string: "http://shop.test?a=b"))
        let other = try Other(Bluebonnet.HTTPRequest(url: url))
        #expect(other.path == "/?a=b" && other.authority == "shop.test" && other.scheme == "http")
    }

    @Test func cookieFieldsBecomeOne() throws {
        var fields = HTTPFields()
        for (name, value) in [("Cookie", "a=1"), ("Accept", "text/html"), ("cookie", "b=2")] {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let request = try Bluebonnet.HTTPRequest(Self.other(.get, fields))
        #expect(request.headers.values(for: "Cookie") == ["a=1; b=2"] && request.headers["Accept"] == "text/html")
    }

    @Test(
        arguments: [
            (nil, "shop.test", "/", "no scheme"), ("https", nil, "/", "no authority"),
            ("https", "", "/", "no authority"),
            ("https", "ada@shop.test", "/", "not a host"), ("https", "shop.test", "/a b", "are not a URL"),
            ("https", "shop.test", "/a#b", "are not a URL"), ("https", "shop test", "/", "are not a URL"),
        ] as [(String?, String?, String, String)])
    func partsThatAreNoURLAreRefused(scheme: String?, authority: String?, path: String, reason: String) {
        let error = #expect(throws: NetworkingError.self) {
            try Bluebonnet.HTTPRequest(Self.other(scheme: scheme, authority: authority, path: path))
        }
        #expect(error?.code == .badURL && error?.message.contains(reason) == true)
    }

    @Test(arguments: [nil, "*", "a", ""] as [String?]) func targetWithoutPathIsRefused(path: String?) {
        let error = #expect(throws: NetworkingError.self) {
            try Bluebonnet.HTTPRequest(Self.other(.options, path: path))
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("does not begin with a slash") == true)
    }

    @Test func tunnelsAreRefused() {
        var webSocket = Self.other(.get)
        webSocket.extendedConnectProtocol = "websocket"
        for request in [Self.other(.connect), webSocket] {
            let error = #expect(throws: NetworkingError.self) { try Bluebonnet.HTTPRequest(request) }
            #expect(error?.code == .invalidRequest && error?.message.contains("CONNECT") == true)
        }
    }

    @Test func requestThatHTTPTypesCannotHaveIsRefused() throws {
        let url = try #require(URL(string: "https://shop.test/"))
        let user = try #require(URL(string: "https://ada:secret@shop.test/"))
        let (relative, path) = (try #require(URL(string: "/a")), try #require(URL(string: "file:///a")))
        let cases: [(Bluebonnet.HTTPRequest, NetworkingError.Code)] = [
            (.init("G T", url: url), .invalidRequest), (.init(url: user), .invalidRequest),
            (.init(url: relative), .badURL), (.init(url: path), .badURL),
            (.init(url: url, headers: ["A B": "1"]), .invalidRequest),
            (.init(url: url, headers: ["A": "1\r\nB: 2"]), .invalidRequest),
        ]
        for (request, code) in cases {
            let error = #expect(throws: NetworkingError.self) { try Other(request) }
            #expect(error?.code == code)
            #expect(error?.message.contains("secret") == false)
        }
    }
}

// MARK: - Calls

extension RequestConversionTests {
    @Test func callSendsTheRequest() async throws {
        let manager = RequestOperationManager { request in .json(["name": request.json?["name"] ?? "none"]) }
        let call = try manager.call(Self.other(.post, [.accept: "a/b"]), body: .json(["name": "Ada"]))
        let answer = try await call.value(as: JSONValue.self)
        #expect(answer["name"] == "Ada")
        let sent = try #require(manager.sentRequests.first)
        #expect(sent.method == "POST" && sent.url.absoluteString == "https://shop.test:8443/a%20b?c=d")
        #expect(sent.headers["Accept"] == "a/b")
    }

    @Test func pathIsResolvedAgainstTheBaseURL() async throws {
        let manager = RequestOperationManager(baseURL: URL(string: "https://api.test/v1/")) { _ in .status(204) }
        try await manager.call(Self.other(scheme: nil, authority: nil, path: "/users?page=2")).response()
        #expect(manager.sentRequests.map(\.url.absoluteString) == ["https://api.test/users?page=2"])
    }

    /// Two slashes are a path, not another host.
    @Test func pathCannotNameAnotherHost() async throws {
        let manager = RequestOperationManager(baseURL: URL(string: "https://api.test:8443/v1/")) { _ in .status(204) }
        let request = HTTPTypes.HTTPRequest(method: .get, scheme: nil, authority: nil, path: "//other.test/x?q=1")
        _ = try await manager.call(request).response()
        #expect(manager.sentRequests.map(\.url.absoluteString) == ["https://api.test:8443//other.test/x?q=1"])
    }

    @Test(arguments: ["a/b", "a?b", "a\\b", "a@b", "a#b"]) func authorityIsHostAndPort(authority: String) {
        let request = HTTPTypes.HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
        let error = #expect(throws: NetworkingError.self) { try Bluebonnet.HTTPRequest(request) }
        #expect(error?.code == .badURL)
    }

    @Test func pathWithoutABaseURLIsRefused() {
        let manager = RequestOperationManager(baseURL: nil) { _ in .status(204) }
        #expect(throws: NetworkingError.self) { try manager.call(Self.other(scheme: nil, authority: nil)) }
    }
}
