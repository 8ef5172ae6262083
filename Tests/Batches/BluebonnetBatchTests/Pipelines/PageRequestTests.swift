// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetPipelines
import Testing

@testable import BluebonnetBatch

@Suite struct PageRequestTests {
    @Test func pageChangesOnlyItsPartOfTheRequest() {
        var line = RequestLine(url: "https://a.test/list", body: .json(["q": "x"]))
        line.query = ["a": 1]
        line.headers = ["Authorization": "Basic x", "Accept": "a/b", "X-Key": "k"]
        line.credential = RequestLine.Credential(user: "u", password: "p")
        let cursor = line.changed(by: PageChange(place: .parameter(.query("c"), "z"), hasLeftOrigin: false))
        #expect(cursor.query == ["a": 1, "c": "z"] && cursor.headers == line.headers && cursor.body == line.body)
        let json = line.changed(by: PageChange(place: .parameter(.json("c"), 5), hasLeftOrigin: false))
        #expect(json.body == .json(["q": "x", "c": 5]) && json.query == line.query)
        let other = line.changed(by: PageChange(place: .url("https://b.test/2"), hasLeftOrigin: true))
        #expect(other.url == "https://b.test/2" && other.query == nil && other.credential == nil)
        #expect(other.headers == ["Accept": "a/b"])
    }
}
