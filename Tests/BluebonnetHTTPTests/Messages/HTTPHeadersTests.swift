// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct HTTPHeadersTests {
    @Test func aFieldIsFoundWhateverTheCaseOfItsName() {
        let headers: HTTPHeaders = ["X-Token": "abc"]
        #expect(headers["x-token"] == "abc")
        #expect(headers["X-TOKEN"] == "abc")
        #expect(headers["X-Tokens"] == nil)
    }

    @Test func settingReplacesTheFieldInItsPlace() {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        headers["a"] = "3"
        #expect(headers.fields.map(\.name) == ["a", "B"])
        #expect(headers.fields.map(\.value) == ["3", "2"])
    }

    @Test func settingNilRemovesTheField() {
        var headers: HTTPHeaders = ["A": "1"]
        headers["missing"] = nil
        headers["a"] = nil
        #expect(headers.fields.isEmpty)
    }

    @Test func theLaterOfTwoLiteralsCounts() {
        let headers: HTTPHeaders = ["Accept": "a", "accept": "b"]
        #expect(headers.fields.map(\.value) == ["b"])
    }
}
