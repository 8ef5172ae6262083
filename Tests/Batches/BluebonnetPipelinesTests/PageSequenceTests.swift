// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetPipelines

@Suite struct PageSequenceTests {
    private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private static func page(_ next: PageCandidate.Next = .none, items: Int = 2, total: Int64? = nil) throws
        -> PageCandidate
    {
        var page = PageCandidate()
        (page.next, page.itemCount, page.total) = (next, items, total)
        (page.requestURL, page.responseURL) = (try url("https://a.test/list"), try url("https://a.test/list"))
        return page
    }

    private static func next(_ step: PageSequence.Step) -> PageChange? {
        if case .next(let change) = step { change } else { nil }
    }

    @Test(arguments: [
        ("/p2", "https://a.test/p2", false), ("?page=2", "https://a.test/list?page=2", false),
        ("https://a.test:443/p2", "https://a.test:443/p2", false), ("//b.test/p2", "https://b.test/p2", true),
        ("https://u:p@a.test/p2", "https://a.test/p2", false),
    ]) func nextURLIsResolvedAgainstThePage(text: String, expected: String, leaves: Bool) throws {
        var sequence = PageSequence(Pagination(next: .link))
        #expect(sequence.first == nil)
        let change = Self.next(sequence.step(after: try Self.page(.url(text))))
        #expect(change == PageChange(place: .url(expected), hasLeftOrigin: leaves))
    }

    @Test func originThatWasLeftGetsNoCredentialsAgain() throws {
        var sequence = PageSequence(Pagination(next: .link))
        #expect(Self.next(sequence.step(after: try Self.page(.url("https://b.test/2"))))?.hasLeftOrigin == true)
        #expect(Self.next(sequence.step(after: try Self.page(.url("https://a.test/3"))))?.hasLeftOrigin == true)
    }

    @Test(arguments: ["https://a.test/list", "https://a.test/list#x", ""]) func pageThatWasRequestedBeforeIsALoop(
        text: String
    ) throws {
        var sequence = PageSequence(Pagination(next: .body(.elements)))
        guard case .fail(let code, let message) = sequence.step(after: try Self.page(.url(text))) else {
            Issue.record("no failure")
            return
        }
        #expect(code == .paginationLoop && message == "page 1 leads back to an earlier page: https://a.test/list")
    }

    @Test func loopOfSeveralPagesIsFound() throws {
        var sequence = PageSequence(Pagination(next: .link))
        for name in ["b", "c", "d"] { #expect(Self.next(sequence.step(after: try Self.page(.url("/\(name)")))) != nil) }
        guard case .fail(.paginationLoop, _) = sequence.step(after: try Self.page(.url("/c"))) else {
            Issue.record("no loop")
            return
        }
    }

    @Test func cursorThatComesAgainIsALoop() throws {
        var sequence = PageSequence(Pagination(next: .cursor(.header("X"), into: .query("c"))))
        let change = PageChange(place: .parameter(.query("c"), "a"), hasLeftOrigin: false)
        #expect(sequence.step(after: try Self.page(.cursor("a"))) == .next(change))
        guard case .fail(.paginationLoop, let message) = sequence.step(after: try Self.page(.cursor("a"))) else {
            Issue.record("no loop")
            return
        }
        #expect(message.hasSuffix(#"the cursor "a""#))
    }

    @Test func normalFormsOfOneTextAreTwoCursors() throws {
        var sequence = PageSequence(Pagination(next: .cursor(.header("X"), into: .query("c"))))
        for cursor in ["\u{E9}", "e\u{301}"] {
            #expect(Self.next(sequence.step(after: try Self.page(.cursor(.string(cursor))))) != nil)
        }
    }

    @Test func parameterInAnotherNormalFormIsKept() throws {
        var request = HTTPRequest(url: try Self.url("https://a.test/list?e%CC%81=1&%C3%A9=2&b=3"))
        try request.apply(PageChange(place: .parameter(.query("\u{E9}"), 4), hasLeftOrigin: false))
        #expect(request.url.absoluteString == "https://a.test/list?e%CC%81=1&b=3&%C3%A9=4")
    }

    @Test(arguments: ["http://a.test/2", "ftp://a.test/2", "https://", "https://a.test:99999/"])
    func unusableURLFailsTheLine(text: String) throws {
        var sequence = PageSequence(Pagination(next: .link))
        guard case .fail(let code, _) = sequence.step(after: try Self.page(.url(text))) else {
            Issue.record("no failure")
            return
        }
        #expect(code == (text.hasPrefix("http:") ? .redirectRefused : .badServerResponse))
    }

    @Test func missingNextPageEnds() throws {
        for next in [Pagination.Next.link, .header("X"), .cursor(.header("X"), into: .json("c"))] {
            var sequence = PageSequence(Pagination(next: next))
            #expect(sequence.step(after: try Self.page()) == .end)
            #expect(sequence.pageCount == 1 && sequence.itemCount == 2)
        }
    }

    @Test func numbersOfPagesCountFromTheStart() throws {
        var sequence = PageSequence(Pagination(next: .page(.query("p"), start: 0)))
        #expect(sequence.first?.place == .parameter(.query("p"), 0))
        #expect(Self.next(sequence.step(after: try Self.page()))?.place == .parameter(.query("p"), 1))
        #expect(Self.next(sequence.step(after: try Self.page()))?.place == .parameter(.query("p"), 2))
        #expect(sequence.step(after: try Self.page(items: 0)) == .end)
        #expect(sequence.pageCount == 3 && sequence.itemCount == 4)
    }

    @Test func offsetsGrowByTheLimit() throws {
        var rule = Pagination(next: .offset(.json("from"), limit: 2))
        rule.until = .short
        var sequence = PageSequence(rule)
        #expect(sequence.first?.place == .parameter(.json("from"), 0))
        #expect(Self.next(sequence.step(after: try Self.page()))?.place == .parameter(.json("from"), 2))
        #expect(sequence.step(after: try Self.page(items: 1)) == .end)
    }

    @Test func totalEndsThePages() throws {
        var rule = Pagination(next: .page(.query("p"), start: 1))
        rule.until = .total(.elements)
        var sequence = PageSequence(rule)
        #expect(Self.next(sequence.step(after: try Self.page(items: 2, total: 3))) != nil)
        #expect(sequence.step(after: try Self.page(items: 1, total: 3)) == .end)
        var wrong = PageSequence(rule)
        #expect(wrong.step(after: try Self.page(items: 0, total: 3)) == .end)
    }

    @Test func tooManyPagesFailTheLine() throws {
        var rule = Pagination(next: .link)
        rule.max = 2
        var sequence = PageSequence(rule)
        #expect(Self.next(sequence.step(after: try Self.page(.url("/2")))) != nil)
        guard case .fail(.tooManyPages, let message) = sequence.step(after: try Self.page(.url("/3"))) else {
            Issue.record("no failure")
            return
        }
        #expect(message.hasPrefix("2 pages are not the last"))
        var ending = PageSequence(rule)
        _ = ending.step(after: try Self.page(.url("/2")))
        #expect(ending.step(after: try Self.page()) == .end)
    }
}
