// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct RequestPropertiesTests {
    private func request(_ serializer: some RequestSerializer) throws -> URLRequest {
        try serializer.request(method: "GET", url: #require(URL(string: "http://h/")))
    }

    @Test func foundationDefaultsApplyUntilChanged() throws {
        let plain = URLRequest(url: try #require(URL(string: "http://h/")))
        let request = try request(HTTPRequestSerializer())
        #expect(request.cachePolicy == plain.cachePolicy)
        #expect(request.httpShouldHandleCookies == plain.httpShouldHandleCookies)
        #expect(request.allowsCellularAccess == plain.allowsCellularAccess)
        #expect(request.networkServiceType == plain.networkServiceType)
    }

    @Test func setPropertiesApply() throws {
        var properties = RequestProperties()
        properties.cachePolicy = .reloadIgnoringLocalCacheData
        properties.handlesCookies = false
        properties.allowsCellularAccess = false
        properties.networkServiceType = .background
        var (http, json, list) = (HTTPRequestSerializer(), JSONRequestSerializer(), PropertyListRequestSerializer())
        http.properties = properties
        (json.http, list.http) = (http, http)
        for request in try [request(http), request(json), request(list)] {
            #expect(request.cachePolicy == .reloadIgnoringLocalCacheData)
            #expect(!request.httpShouldHandleCookies)
            #expect(!request.allowsCellularAccess)
            #expect(request.networkServiceType == .background)
        }
    }

    @Test func existingRequestKeepsItsProperties() throws {
        var serializer = HTTPRequestSerializer()
        serializer.properties.cachePolicy = .returnCacheDataElseLoad
        var plain = URLRequest(url: try #require(URL(string: "http://h/")))
        plain.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(try serializer.request(plain, with: nil).cachePolicy == .reloadIgnoringLocalCacheData)
    }
}
