// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct WebLinksTests {
    private let url: URL

    init() throws { url = try #require(URL(string: "https://api.test/v1/items?page=1#top")) }

    private func links(_ values: String...) -> WebLinks { WebLinks(values, of: url) }

    @Test(arguments: [
        ("<https://other.test/a>; rel=\"next\"", "https://other.test/a"),
        ("</items?page=2>; rel=next", "https://api.test/items?page=2"),
        ("<?page=2>;rel=next", "https://api.test/v1/items?page=2"),
        ("<>; rel=next", "https://api.test/v1/items?page=1"),
        ("<a>; rel=\"prev NEXT\"", "https://api.test/v1/a"), ("<a>; REL=Next", "https://api.test/v1/a"),
        ("<a>; title=\"a, b; rel=\\\"next\\\"\"; rel=next", "https://api.test/v1/a"),
        ("<a> ;\trel = \"next\" ; type=text/html", "https://api.test/v1/a"), ("<a>;;rel=next", "https://api.test/v1/a"),
        ("<b>; rel=prev, <a>; rel=next", "https://api.test/v1/a"),
        ("<a>; rel=next, <b>; rel=next", "https://api.test/v1/a"),
        ("<a,b;c>; rel=next", "https://api.test/v1/a,b;c"), ("<a>; hreflang; rel=next", "https://api.test/v1/a"),
        ("<a>; rel=next; anchor=\"\"", "https://api.test/v1/a"), ("noise <a>; rel=next", "https://api.test/v1/a"),
        ("<a>; rel=\"next", "https://api.test/v1/a"),
    ])
    func nextLinkIsFound(value: String, expected: String) {
        #expect(links(value)["next"]?.absoluteString == expected)
    }

    @Test(arguments: [
        "", "a; rel=next", "<a", "<a>", "<a>; rel", "<a>; rev=next", "<a>; rel=nextpage", "<a>; title=\"rel=next\"",
        "<a>; rel=prev; rel=next", "<a>; rel=next; anchor=\"/other\"",
    ])
    func malformedOrOtherLinksHaveNoNext(value: String) {
        #expect(links(value)["next"] == nil)
    }

    @Test func linksOfSeveralFieldsKeepOrderAndParameters() throws {
        let links = links(
            "<1>; rel=first; title=\"One\", <2>; rel=\"next last\"; title=Two; title=no", "<3>; rel=https://R.test/X")
        #expect(links.map(\.url.lastPathComponent) == ["1", "2", "3"])
        #expect(links.map(\.relations) == [["first"], ["next", "last"], ["https://R.test/X"]])
        #expect(links.map(\.parameters) == [["title": "One"], ["title": "Two"], [:]])
        #expect(links["https://r.test/x"]?.lastPathComponent == "3")
        #expect(links[1].has("LAST"))
    }

    @Test func descriptionsHideTokens() {
        let links = links("<?page=2&token=geheim>; rel=next")
        #expect(links.description == "[next: https://api.test/v1/items?page=2&token=REDACTED]")
        #expect(links[0].description == "next: https://api.test/v1/items?page=2&token=REDACTED")
        var dumped = ""
        dump(links, to: &dumped)
        #expect(!dumped.contains("geheim"))
    }
}
