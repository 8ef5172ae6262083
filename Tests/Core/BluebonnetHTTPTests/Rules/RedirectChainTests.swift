// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct RedirectChainTests {
    private let callersHeaders: HeaderFields = [
        "Authorization": "Basic x", "Cookie": "a=b", "X-Api-Key": "k", "Proxy-Authorization": "p", "Host": "h",
        "Accept": "a", "Accept-Language": "b", "accept-encoding": "c", "User-Agent": "d", "Content-Type": "e",
        "Range": "f", "If-Range": "g", "if-none-match": "i", "Referer": "r", "Origin": "o",
    ]
    private let travelling = [
        "Accept", "Accept-Language", "accept-encoding", "User-Agent", "Content-Type", "Range", "If-Range",
        "if-none-match",
    ]

    private func chain(_ url: String, _ policy: RedirectPolicy = RedirectPolicy()) throws -> RedirectChain {
        RedirectChain(
            HopRequest(
                HTTPRequest("PUT", url: try #require(URL(string: url)), headers: callersHeaders), hasBody: true),
            policy: policy)
    }

    private func follow(_ location: String, in chain: inout RedirectChain) throws -> HopRequest {
        let next = try #require(chain.decision(status: 307, locations: [location]).next)
        chain.follow(next)
        return next
    }

    @Test(arguments: ["/x", "http://a/x", "http://A:80/x", "//a/x"])
    func fieldsAndCredentialsStayWithinOrigin(location: String) throws {
        var chain = try chain("http://a/")
        let next = try follow(location, in: &chain)
        #expect(next.headers == callersHeaders)
        #expect(next.carriesCredentials)
    }

    @Test(arguments: ["http://b/", "http://a:81/", "https://a/", "http://a.b/", "http://www.a/", "http://a./"])
    func otherOriginGetsNoSecretFieldsOrCredentials(location: String) throws {
        var chain = try chain("http://a/")
        let next = try follow(location, in: &chain)
        #expect(next.headers.fields.map(\.name) == travelling)
        #expect(!next.carriesCredentials)
        #expect(next.hasBody)
    }

    @Test func droppedFieldsAreNotRestoredAtFirstOrigin() throws {
        var chain = try chain("http://u:p@a/")
        _ = try follow("http://b/", in: &chain)
        _ = try follow("/2", in: &chain)
        let back = try follow("http://a/2", in: &chain)
        #expect(back.headers.fields.map(\.name) == travelling)
        #expect(!back.carriesCredentials)
        #expect(back.url.absoluteString == "http://a/2")
        #expect(chain.hopCount == 3)
    }

    @Test func redirectsBeyondTheLimitFail() throws {
        var chain = try chain("http://a/0")
        for hop in 1...20 { _ = try follow("/\(hop)", in: &chain) }
        #expect(chain.hopCount == 20)
        #expect(chain.decision(status: 307, locations: ["/21"]).failure == .tooManyRedirects)
        #expect(chain.decision(status: 200, locations: []).isDelivery)
    }

    @Test func redirectLimitIsConfigurable() throws {
        var chain = try chain("http://a/0", RedirectPolicy(limit: 1))
        _ = try follow("/1", in: &chain)
        #expect(chain.decision(status: 307, locations: ["/2"]).failure == .tooManyRedirects)
    }

    @Test func redirectToItselfIsLoop() throws {
        let chain = try chain("http://a/0")
        #expect(chain.decision(status: 307, locations: ["/0"]).failure == .tooManyRedirects)
        #expect(chain.decision(status: 307, locations: ["/0#f"]).failure == .tooManyRedirects)
        #expect(chain.decision(status: 307, locations: ["/x/%2e%2e/./0"]).failure == .tooManyRedirects)
    }

    @Test func loopOfThreeRedirectsIsDetected() throws {
        var chain = try chain("http://a/0")
        _ = try follow("/1", in: &chain)
        _ = try follow("/2", in: &chain)
        #expect(chain.decision(status: 307, locations: ["/0"]).failure == .tooManyRedirects)
    }

    @Test func sameURLWithOtherMethodIsNotLoop() throws {
        let chain = try chain("http://a/0")
        #expect(chain.decision(status: 303, locations: ["/0"]).next?.method == "GET")
    }

    @Test func sentRequestReplacesProposedRequest() throws {
        var chain = try chain("http://a/0")
        var next = try #require(chain.decision(status: 307, locations: ["/1"]).next)
        next.url = try #require(URL(string: "http://c/9"))
        next.headers = ["X-New": "n"]
        chain.follow(next)
        let after = try #require(chain.decision(status: 307, locations: ["x"]).next)
        #expect(after.url.absoluteString == "http://c/x")
        #expect(after.headers == ["X-New": "n"])
    }
}
