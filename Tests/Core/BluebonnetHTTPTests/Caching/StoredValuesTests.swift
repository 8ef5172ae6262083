// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

// The small values of the cache: tags, ranges, bodies.
@Suite struct StoredValuesTests {
    @Test func tagsAreComparedStronglyAndWeakly() {
        let (strong, weak, other) = (EntityTag("\"a\""), EntityTag("W/\"a\""), EntityTag("\"b\""))
        #expect(strong.matchesStrongly(strong) && strong.matchesWeakly(weak) && weak.matchesWeakly(weak))
        #expect(!strong.matchesStrongly(weak) && !weak.matchesStrongly(weak) && !strong.matchesWeakly(other))
        #expect(!EntityTag("a").isStrong && !EntityTag("\"").isStrong && EntityTag("\"\"").isStrong)
        #expect(!EntityTag("a").matchesStrongly(EntityTag("a")))
        #expect(EntityTag("\"\u{e9}\"") != EntityTag("\"e\u{301}\""))
    }

    @Test func tagListIsSplitOutsideOfQuotes() {
        let tags = EntityTag.list(["\"a,b\", W/\"c\" ,,", "d", "\"open, e"])
        #expect(tags.map(\.text) == ["\"a,b\"", "W/\"c\"", "d", "\"open, e"])
        #expect(EntityTag.list([]).isEmpty && EntityTag.list([" , "]).isEmpty)
    }

    @Test func messageHasOneTag() {
        #expect(EntityTag(["ETag": "\"a\""])?.text == "\"a\"")
        #expect(EntityTag(["ETag": " "]) == nil)
        #expect(EntityTag([.init(name: "ETag", value: "\"a\""), .init(name: "ETag", value: "\"a\"")]) == nil)
    }

    @Test(arguments: [
        ("bytes=0-0", RequestedRange.from(0, last: 0)), ("bytes= 5-", .from(5, last: nil)), ("bytes=-5", .suffix(5)),
        ("bytes=5-4", .other), ("bytes=99999999999999999999-", .other), ("bytes=0-99999999999999999999", .other),
        ("bytes", .other), ("", .other), ("bytes=1-2-3", .other), ("bytes=0-9223372036854775807", .from(0, last: .max)),
    ])
    func rangeIsRead(value: String, range: RequestedRange) {
        #expect(RequestedRange(["Range": value]) == range)
        #expect(RequestedRange([:]) == .none)
    }

    @Test func rangeIsLimitedByLength() {
        #expect(RequestedRange.from(5, last: .max).bytes(ofTotal: 10) == 5..<10)
        #expect(RequestedRange.from(5, last: 6).bytes(ofTotal: nil) == 5..<7)
        #expect(RequestedRange.from(5, last: nil).bytes(ofTotal: nil) == nil)
        #expect(RequestedRange.from(10, last: nil).bytes(ofTotal: 10) == nil)
        #expect(RequestedRange.suffix(0).bytes(ofTotal: 10) == nil)
        #expect(RequestedRange.suffix(5).bytes(ofTotal: nil) == nil)
        #expect(RequestedRange.suffix(5).bytes(ofTotal: 0) == nil)
    }

    @Test func partsAreMerged() {
        var body = StoredBody(part: 2..<4, totalByteCount: 10)
        #expect(body.gap == nil && !body.isComplete && body.contains(2..<4) && !body.contains(3..<5))
        body.announce(6..<10, totalByteCount: nil)
        body.addAnnounced(byteCount: 4)
        #expect(body.ranges == [2..<4, 6..<10] && body.gap == nil)
        body.announce(4..<6, totalByteCount: nil)
        body.addAnnounced(byteCount: 2)
        #expect(body.ranges == [2..<10] && body.gap == 0..<2)
        body.announce(0..<5, totalByteCount: nil)
        body.addAnnounced(byteCount: 3)
        #expect(body.ranges == [0..<10] && body.isComplete && body.gap == nil)
    }

    @Test func gapIsOnePiece() {
        #expect(StoredBody(part: 0..<4, totalByteCount: 10).gap == 4..<10)
        #expect(StoredBody(part: 0..<4, totalByteCount: nil).gap == nil)
        #expect(StoredBody(byteCount: 4).gap == nil)
        var body = StoredBody(part: 0..<4, totalByteCount: 10)
        body.announce(8..<10, totalByteCount: 10)
        body.addAnnounced(byteCount: 2)
        #expect(body.gap == 4..<8)
    }

    @Test func emptyBodyIsComplete() {
        #expect(StoredBody(byteCount: 0).isComplete)
        #expect(!StoredBody().isComplete)
    }
}
