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

    @Test func aLineThatSaysNothingButWhereSendsTheDefaultsOfTheSerializer() throws {
        let url = try #require(URL(string: Self.url))
        let request = try HTTPRequestSerializer().request(method: "GET", url: url, parameters: nil)
        let expected = try headers(RequestPlan(request, options: ResolvedOptions(TransferOptions())))
        #expect(try headers(RequestLine(url: Self.url)) == expected)
        #expect(try headers(RequestLine(url: Self.url)).contains { $0.name == "User-Agent" && !$0.value.isEmpty })
    }

    @Test func theRequestItselfHasTheFieldsToo() throws {
        let url = try #require(URL(string: Self.url))
        let expected = try HTTPRequestSerializer().request(method: "GET", url: url, parameters: nil)
        let request = try #require(try plan(RequestLine(url: Self.url)).request)
        #expect(request.url == url)
        #expect(request.httpMethod == "GET")
        #expect(request.allHTTPHeaderFields == expected.allHTTPHeaderFields)
        #expect(request.allHTTPHeaderFields?["User-Agent"] != nil)
    }

    @Test(arguments: [
        ("http://h/a/../b", "http://h/b"), ("a/%2e%2e/../b", "http://base/b"), ("/a/./b?c=..", "http://base/a/b?c=.."),
    ])
    func aLinesPathIsSentWithoutDotSegmentsUnlessTheyAreKept(url: String, expected: String) throws {
        let base = try #require(URL(string: "http://base/v1/"))
        var plan = try plan(RequestLine(url: url), baseURL: base)
        let sent = try PreparedRequest(plan)
        #expect(sent.first.url.absoluteString == expected)
        #expect(sent.request.urlRequest.url == sent.first.url)
        #expect(sent.request.urlRequest.allHTTPHeaderFields == plan.request?.allHTTPHeaderFields)
        var options = TransferOptions()
        options.keepsDotSegments = true
        plan.options = ResolvedOptions(options)
        #expect(try PreparedRequest(plan).first.url == plan.request?.url)
    }

    @Test func lineThatReadsFilesSaysSo() {
        var (form, secure) = (RequestLine(url: Self.url), RequestLine(url: Self.url))
        form.body = .multipart([RequestLine.Part(name: "n", content: .value("v"))])
        #expect(!form.readsFiles && !secure.readsFiles)
        form.body = .multipart([
            RequestLine.Part(name: "n", content: .file(path: "/f", filename: nil, contentType: nil))
        ])
        secure.security = RequestLine.Security()
        #expect(form.readsFiles && secure.readsFiles)
    }

    @Test func aLineWithAHeaderSendsItBesideTheDefaults() throws {
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
        #expect(plan.request?.httpMethod == method)
        #expect(try headers(plan) == headers(RequestLine(url: Self.url)))
    }
}
