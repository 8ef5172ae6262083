// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import BluebonnetHTTP

/// The request value, and its conversion to Foundation's `URLRequest`.
@Suite struct HTTPRequestTests {
    private let url = URL(string: "http://host/a?b=c")!
    private let other = URL(string: "http://other/")!

    @Test func urlRequestHasEveryPart() {
        let headers: HeaderFields = ["X-A": "1", "X-A": "2", "X-B": "3"]
        let request = HTTPRequest("PUT", url: url, headers: headers, body: Data("b".utf8)).urlRequest
        #expect(request.url == url && request.httpMethod == "PUT" && request.httpBody == Data("b".utf8))
        #expect(request.allHTTPHeaderFields == ["X-A": "1, 2", "X-B": "3"])
        let plain = HTTPRequest(url: url).urlRequest
        #expect(plain.httpMethod == "GET" && plain.allHTTPHeaderFields?.isEmpty != false && plain.httpBody == nil)
        #expect(plain.timeoutInterval == 60)
    }

    @Test func urlRequestPropertiesArePreserved() throws {
        var given = URLRequest(url: url, cachePolicy: .returnCacheDataElseLoad, timeoutInterval: 7)
        given.httpShouldHandleCookies = false
        given.allHTTPHeaderFields = ["X-B": "2", "X-A": "1"]
        given.mainDocumentURL = other
        let request = try #require(HTTPRequest(given))
        #expect(request.headers.map(\.name) == ["X-A", "X-B"])
        #expect(request.cachePolicy == .returnCacheDataElseLoad && request.timeoutInterval == 7)
        #expect(!request.handlesCookies)
        #expect(request.urlRequest.mainDocumentURL == other)
    }

    @Test func bodyStreamRemainsUntilBodyIsSet() throws {
        let stream = InputStream(data: Data("stream".utf8))
        var given = URLRequest(url: url)
        given.httpBodyStream = stream
        var request = try #require(HTTPRequest(given))
        (request.url, request.headers["X-A"]) = (other, "1")
        #expect(request.bodyStream === stream && request.urlRequest.httpBodyStream === stream)
        request.body = Data("data".utf8)
        #expect(request.bodyStream == nil && request.urlRequest.httpBody == Data("data".utf8))
    }

    @Test(arguments: [("get", "GET"), ("Post", "POST"), ("patch", "patch"), ("MKCOL", "MKCOL"), ("G-t", "G-t")])
    func methodIsNormalizedAsByFoundation(written: String, sent: String) throws {
        var request = HTTPRequest(written, url: url)
        #expect(request.method == sent && request.urlRequest.httpMethod == sent)
        request.method = "TRACE"
        request.method = written
        #expect(request.method == sent)
        var given = try #require(HTTPRequest(URLRequest(url: url)))
        given.method = written
        #expect(given.method == sent && given.urlRequest.httpMethod == sent)
    }

    @Test func urlRequestWithoutURLGivesNil() {
        var given = URLRequest(url: url)
        given.url = nil
        #expect(HTTPRequest(given) == nil)
    }

    /// Each change, and its effect on Foundation's `URLRequest`.
    private static let changes:
        [(name: String, change: @Sendable (inout HTTPRequest) -> Void, holds: @Sendable (URLRequest) -> Bool)] = [
            ("method", { $0.method = "POST" }, { $0.httpMethod == "POST" }),
            ("url", { $0.url = URL(fileURLWithPath: "/x") }, { $0.url == URL(fileURLWithPath: "/x") }),
            ("field", { $0.headers["X-A"] = "new" }, { $0.value(forHTTPHeaderField: "X-A") == "new" }),
            ("no field", { $0.headers["X-A"] = nil }, { $0.value(forHTTPHeaderField: "X-A") == nil }),
            ("body", { $0.body = Data("new".utf8) }, { $0.httpBody == Data("new".utf8) }),
            ("no body", { $0.body = nil }, { $0.httpBody == nil }),
        ]

    @Test func everyChangeReachesURLRequest() throws {
        var given = URLRequest(url: url)
        given.setValue("old", forHTTPHeaderField: "X-A")
        given.httpBody = Data("old".utf8)
        given.timeoutInterval = 7
        for (name, change, holds) in Self.changes {
            var fromFoundation = try #require(HTTPRequest(given))
            var own = HTTPRequest(url: url, headers: ["X-A": "old"], body: Data("old".utf8))
            #expect(!holds(fromFoundation.urlRequest) && !holds(own.urlRequest), "\(name)")
            change(&fromFoundation)
            change(&own)
            #expect(holds(fromFoundation.urlRequest) && holds(own.urlRequest), "\(name)")
            #expect(fromFoundation == own, "\(name)")
            #expect(fromFoundation.urlRequest.timeoutInterval == 7, "\(name)")
        }
    }

    @Test func equalityComparesParts() {
        let request = HTTPRequest(url: url, headers: ["X-A": "1"], body: Data("b".utf8))
        #expect(request == HTTPRequest(url: url, headers: ["x-a": "1"], body: Data("b".utf8)))
        for (name, change, _) in Self.changes {
            var changed = request
            change(&changed)
            #expect(changed != request, "\(name)")
        }
    }

    @Test func descriptionHidesSecrets() throws {
        let url = try #require(URL(string: "http://user:secret@host/?token=abc"))
        let description = HTTPRequest("PUT", url: url, headers: ["Authorization": "Bearer t"]).description
        #expect(description.hasPrefix("PUT http://") && !description.contains("secret") && !description.contains("abc"))
    }
}
