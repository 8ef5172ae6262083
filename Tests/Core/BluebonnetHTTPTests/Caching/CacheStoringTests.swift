// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

// RFC 9111, 3: which responses are stored, and which of their fields.
@Suite struct CacheStoringTests {
    private func stored(
        _ headers: HeaderFields, status: Int = 200, method: String = "GET", asks: HeaderFields = [:],
        rules: CacheRules = CacheRules(), hasBody: Bool = false
    ) -> StoredResponse? {
        var cache = CacheSimulation()
        cache.rules = rules
        cache.origin = { _, _ in CacheSimulation.Origin(status: status, headers: headers) }
        _ = cache.get(asks, method: method, hasBody: hasBody)
        return cache.entries.first?.response
    }

    private let fresh: HeaderFields = ["Cache-Control": "max-age=60"]

    @Test(arguments: ["HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "get"])
    func onlyGetIsStored(method: String) {
        #expect(stored(fresh, method: method) == nil)
        #expect(stored(fresh) != nil)
    }

    @Test func getWithBodyIsNotStored() {
        #expect(stored(fresh, hasBody: true) == nil)
    }

    @Test func postIsStoredForItsOwnLocationOnly() {
        let location: HeaderFields = ["Cache-Control": "max-age=60", "Content-Location": "/x"]
        #expect(stored(location, method: "POST", hasBody: true) != nil)
        #expect(stored(fresh, method: "POST", hasBody: true) == nil)
        #expect(stored(["Content-Location": "/x", "ETag": "\"a\""], method: "POST", hasBody: true) == nil)
        #expect(stored(["Cache-Control": "max-age=60", "Content-Location": "/y"], method: "POST") == nil)
        #expect(stored(location, status: 201, method: "POST", hasBody: true) == nil)
    }

    @Test func noStoreOfEitherSideForbidsStoring() {
        #expect(stored(["Cache-Control": "max-age=60, no-store"]) == nil)
        #expect(stored(fresh, asks: ["Cache-Control": "no-store"]) == nil)
        #expect(stored(["Cache-Control": "no-store, must-understand, max-age=60"]) != nil)
        #expect(stored(["Cache-Control": "no-store, must-understand, max-age=60"], status: 599) == nil)
        #expect(stored(["Cache-Control": "must-understand, max-age=60"], status: 599) == nil)
    }

    @Test func privateResponsesAndAuthorizedRequestsAreStored() {
        #expect(stored(["Cache-Control": "private, max-age=60"]) != nil)
        #expect(stored(["Cache-Control": "private=\"x\", max-age=60"]) != nil)
        #expect(stored(fresh, asks: ["Authorization": "Basic eDp5"]) != nil)
    }

    @Test func somethingHasToPermitStoring() {
        let tag: HeaderFields = ["ETag": "\"a\""]
        #expect(stored(tag) != nil)
        #expect(stored(tag, status: 403) == nil)
        #expect(stored(["ETag": "\"a\"", "Cache-Control": "private"], status: 403) != nil)
        #expect(stored(["ETag": "\"a\"", "Cache-Control": "public"], status: 403) != nil)
        #expect(stored(["ETag": "\"a\"", "Expires": "0"], status: 403) != nil)
        #expect(stored(["ETag": "\"a\"", "Cache-Control": "s-maxage=60"], status: 403) == nil)
    }

    @Test(arguments: [100, 103, 304, 407, 412, 416])
    func statusesAboutOneRequestAreNotStored(status: Int) {
        #expect(stored(fresh, status: status) == nil)
    }

    @Test func uselessResponsesAreStoredForReplayOnly() {
        #expect(stored([:]) == nil)
        #expect(stored(["Cache-Control": "max-age=0"]) == nil)
        #expect(stored(["Cache-Control": "max-age=0, stale-if-error=5"]) != nil)
        var rules = CacheRules()
        rules.storesForReplay = true
        #expect(stored([:], rules: rules) != nil)
        #expect(stored([:], status: 403, rules: rules) == nil)
    }

    @Test func varyByAnythingIsNotStored() {
        #expect(stored(["Cache-Control": "max-age=60", "Vary": "Accept, *"]) == nil)
    }

    @Test func fieldsOfConnectionAreNotStored() throws {
        let headers: HeaderFields = [
            "Cache-Control": "max-age=60", "Connection": "X-Hop, close", "X-Hop": "1", "Keep-Alive": "1", "TE": "1",
            "Proxy-Connection": "1", "Proxy-Authenticate": "1", "Proxy-Authentication-Info": "1",
            "Proxy-Authorization": "1", "Transfer-Encoding": "chunked", "Upgrade": "h2", "X-Kept": "1",
            "Set-Cookie": "a=b",
        ]
        let names = try #require(stored(headers)).headers.map(\.name)
        #expect(names.sorted() == ["Cache-Control", "Date", "Set-Cookie", "X-Kept"])
    }

    @Test func fieldsThatNeedValidationAreNotStored() throws {
        let headers: HeaderFields = ["Cache-Control": "max-age=60, no-cache=\"x-a\"", "X-A": "1", "X-B": "2"]
        let response = try #require(stored(headers))
        #expect(response.headers["X-A"] == nil)
        #expect(response.headers["X-B"] == "2")
    }

    @Test func missingDateIsAdded() throws {
        let response = try #require(stored(fresh))
        #expect(response.headers["Date"] == HTTPDate.text(of: response.receivedAt))
        let dated = try #require(stored(["Cache-Control": "max-age=60", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]))
        #expect(dated.headers.values(for: "Date") == ["Sun, 06 Nov 1994 08:49:37 GMT"])
    }

    @Test func responseIsEncodedAndDecoded() throws {
        let headers: HeaderFields = ["Cache-Control": "max-age=60", "Vary": "Accept", "ETag": "\"a\""]
        var response = try #require(stored(headers, asks: ["Accept": "a, b"]))
        response.isExpired = true
        let decoded = try JSONDecoder().decode(StoredResponse.self, from: JSONEncoder().encode(response))
        #expect(decoded.key == response.key && decoded.headers == response.headers)
        #expect(decoded.variance == response.variance && decoded.body == response.body)
        #expect(decoded.isExpired && decoded.id == response.id && decoded.times == response.times)
    }
}
