// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct RequestLineRequestTests {
    private func plan(_ line: RequestLine, baseURL: URL? = nil) throws -> RequestPlan {
        let recipe = RequestPlan.Recipe { _ in }
        var plan = RequestPlan(recipe: recipe, options: ResolvedOptions(TransferOptions()))
        try line.complete(&plan, baseURL: baseURL, options: TransferOptions())
        return plan
    }

    private func headers(_ plan: RequestPlan) throws -> [HeaderFields.Field] {
        try PreparedRequest(plan).first.headers.fields.sorted { $0.name < $1.name }
    }

    private func headers(_ line: RequestLine) throws -> [HeaderFields.Field] { try headers(try plan(line)) }

    private static let url = "http://h/p"

    @Test func lineWithOnlyURLSendsTheDefaultsOfTheSerializer() throws {
        let url = try #require(URL(string: Self.url))
        let request = try HTTPRequestSerializer().request(method: "GET", url: url, parameters: nil)
        let expected = try headers(RequestPlan(request, options: ResolvedOptions(TransferOptions())))
        #expect(try headers(RequestLine(url: Self.url)) == expected)
        #expect(try headers(RequestLine(url: Self.url)).contains { $0.name == "User-Agent" && !$0.value.isEmpty })
    }

    @Test func requestHasTheDefaultFields() throws {
        let url = try #require(URL(string: Self.url))
        let expected = try HTTPRequestSerializer().request(method: "GET", url: url, parameters: nil)
        let request = try #require(try plan(RequestLine(url: Self.url)).request).urlRequest
        #expect(request.url == url)
        #expect(request.httpMethod == "GET")
        #expect(request.allHTTPHeaderFields == expected.allHTTPHeaderFields)
        #expect(request.allHTTPHeaderFields?["User-Agent"] != nil)
    }

    /// A URL is empty, for example, if it is a reference to an empty member.
    @Test(arguments: ["GET", "DELETE"]) func emptyURLIsNotTheBaseURL(method: String) throws {
        var line = RequestLine(url: "")
        line.method = method
        let error = #expect(throws: NetworkingError.self) { try plan(line, baseURL: URL(string: "http://base/v1/")) }
        #expect(error?.code == .badURL && error?.message == "the URL is empty")
    }

    @Test(arguments: [
        ("http://h/a/../b", "http://h/b"), ("a/%2e%2e/../b", "http://base/b"), ("/a/./b?c=..", "http://base/a/b?c=.."),
    ])
    func dotSegmentsAreRemovedUnlessKept(url: String, expected: String) throws {
        let base = try #require(URL(string: "http://base/v1/"))
        var plan = try plan(RequestLine(url: url), baseURL: base)
        let sent = try PreparedRequest(plan)
        #expect(sent.first.url.absoluteString == expected)
        #expect(sent.request.urlRequest.url == sent.first.url)
        #expect(sent.request.urlRequest.allHTTPHeaderFields == plan.request?.urlRequest.allHTTPHeaderFields)
        var options = TransferOptions()
        options.keepsDotSegments = true
        plan.options = ResolvedOptions(options)
        #expect(try PreparedRequest(plan).first.url == plan.request?.url)
    }

    /// Numbers that a `Double` cannot represent or would write differently.
    static let numbers = [
        "12345678901234567890", "18446744073709551615", "123456789012345678.25", "1.0", "100.10", "1e2", "-0", "1E400",
        "0.1000000000000000055511151231257827",
    ]

    @Test(arguments: numbers) func numbersKeepTheirWrittenForm(number: String) throws {
        func parsed(_ members: String) throws -> RequestLine {
            let text = Data("{\"url\":\"\(Self.url)\",\(members)}".utf8)
            let line = try #require(try RequestLineParser().parse(line: text, number: 1)).line
            // Also after a round trip through a fleet's store.
            let again = try RequestLineParser().parse(line: Data(line.canonicalText.utf8), number: 1)
            return try #require(again).line
        }
        let json = try plan(parsed("\"method\":\"POST\",\"json\":{\"id\":[\(number)]}"))
        #expect(json.request?.body.map { String(decoding: $0, as: UTF8.self) } == "{\"id\":[\(number)]}")
        let form = try plan(parsed("\"method\":\"POST\",\"form\":{\"id\":\(number)}"))
        #expect(form.request?.body.map { String(decoding: $0, as: UTF8.self) } == "id=\(number)")
        let query = try plan(parsed("\"query\":{\"id\":\(number)}"))
        #expect(query.request?.url.absoluteString == "\(Self.url)?id=\(number)")
    }

    @Test func emptyProxyDisablesAllProxies() throws {
        var (line, batch) = (RequestLine(url: Self.url), TransferOptions())
        batch.proxyConfiguration = ProxyConfiguration(http: try Proxy("http://proxy.example:8080"))
        batch.proxy = try Proxy("http://other.example:8080")
        line.proxy = ""
        var plan = RequestPlan(recipe: .init { _ in }, options: ResolvedOptions(batch))
        try line.complete(&plan, baseURL: nil, options: batch)
        let url = try #require(URL(string: Self.url))
        #expect(try plan.options.value.proxy(to: #require(Origin(url))) == nil)
    }

    /// The line's policy, the batch's, whether the line polls, and the policy of the request.
    static let cachePolicies: [(CachePolicy?, CachePolicy, Bool, CachePolicy)] = [
        (nil, .useProtocol, false, .useProtocol), (nil, .forceCache, false, .forceCache),
        (.reload, .useProtocol, false, .reload), (.onlyIfCached, .useProtocol, false, .onlyIfCached),
        (.useProtocol, .forceCache, false, .useProtocol), (.revalidate, .reload, false, .revalidate),
        // A batch that sends nothing.
        (.reload, .onlyIfCached, false, .onlyIfCached), (.forceCache, .onlyIfCached, false, .onlyIfCached),
        (nil, .useProtocol, true, .reload), (.forceCache, .useProtocol, true, .reload),
        (.reload, .onlyIfCached, true, .onlyIfCached),
    ]

    @Test(arguments: cachePolicies)
    func cachePolicyOfALineOverridesTheBatch(
        _ own: CachePolicy?, _ batchPolicy: CachePolicy, _ polls: Bool, _ expected: CachePolicy
    ) throws {
        var (line, batch) = (RequestLine(url: Self.url), TransferOptions())
        (batch.cachePolicy, batch.responseCache) = (batchPolicy, InMemoryResponseCache())
        line.cache = own
        if polls {
            var pipeline = RequestLine.Pipeline()
            pipeline.until = RequestLine.Condition([], every: 1, max: 2)
            line.pipeline = pipeline
        }
        var plan = RequestPlan(recipe: .init { _ in }, options: ResolvedOptions(batch))
        try line.complete(&plan, baseURL: nil, options: batch)
        #expect(plan.options.value.cachePolicy == expected)
    }

    @Test func addressOfALineReplacesAnotherSpellingOfTheHost() throws {
        var (line, batch) = (RequestLine(url: Self.url), TransferOptions())
        batch.addressOverrides = ["H.example": "127.0.0.1", "other.example": "127.0.0.3"]
        line.resolve = ["h.example.": "127.0.0.2"]
        var plan = RequestPlan(recipe: .init { _ in }, options: ResolvedOptions(batch))
        try line.complete(&plan, baseURL: nil, options: batch)
        #expect(plan.options.value.addressOverrides == ["h.example.": "127.0.0.2", "other.example": "127.0.0.3"])
    }

    @Test func lineReportsWhetherItReadsFiles() {
        var (form, secure) = (RequestLine(url: Self.url), RequestLine(url: Self.url))
        form.body = .multipart([RequestLine.Part(name: "n", content: .value("v"))])
        #expect(!form.readsFiles && !secure.readsFiles)
        form.body = .multipart([
            RequestLine.Part(name: "n", content: .file(path: "/f", filename: nil, contentType: nil))
        ])
        secure.security = RequestLine.Security()
        #expect(form.readsFiles && secure.readsFiles)
    }

    @Test func lineHeaderIsSentWithTheDefaults() throws {
        var line = RequestLine(url: Self.url)
        line.headers = ["X-A": "1", "User-Agent": "mine/1"]
        let plain = try headers(RequestLine(url: Self.url)).filter { $0.name != "User-Agent" }
        let own = Array(line.headers)
        #expect(try headers(line) == (plain + own).sorted { $0.name < $1.name })
    }

    @Test(arguments: ["HEAD", "OPTIONS", "DELETE"])
    func methodsOtherThanGETSendTheDefaultsToo(method: String) throws {
        let line = RequestLine(method: method, url: Self.url)
        let plan = try plan(line)
        #expect(plan.request?.method == method)
        #expect(try headers(plan) == headers(RequestLine(url: Self.url)))
    }
}
