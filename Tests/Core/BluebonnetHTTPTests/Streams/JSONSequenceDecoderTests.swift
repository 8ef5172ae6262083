// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

/// RFC 7464. "␞" is the record separator in these texts, and "…" follows a truncated text.
@Suite struct JSONSequenceDecoderTests {
    private static func body(_ text: String) -> String { text.replacing("␞", with: "\u{1E}") }

    @Test(arguments: [
        ("", []), ("␞1\n␞2\n", ["1", "2"]), ("␞\"a\"\n␞[1, 2]\n␞{\"a\": {}}\n", ["\"a\"", "[1, 2]", "{\"a\": {}}"]),
        ("␞␞␞1\n␞␞", ["1"]), ("␞\n␞ \t\r\n␞1\n", ["1"]), ("␞ 1 \n␞\n2\n", [" 1", "\n2"]), (" \n␞1\n", ["1"]),
        // Pretty-printed texts, and brackets in strings.
        ("␞{\n\"a\":\n[1,\n2]\n}\n", ["{\n\"a\":\n[1,\n2]\n}"]), ("␞[\"]}\\\"]\"]\n", ["[\"]}\\\"]\"]"]),
        ("␞\"\\\\\"\n␞\"\\\"\\n\"\n", ["\"\\\\\"", "\"\\\"\\n\""]),
        // Texts that end themselves need no white space; other values do.
        ("␞\"a\"␞[]␞{}", ["\"a\"", "[]", "{}"]), ("␞123␞4\n", ["123…", "4"]), ("␞true", ["true…"]),
        ("␞null␞", ["null…"]),
        ("␞false ", ["false"]), ("␞truefalse␞1\n", ["truefalse…", "1"]),
        // Texts that are not closed.
        ("␞{\"a\":␞{\"a\":1}\n", ["{\"a\":…", "{\"a\":1}"]), ("␞\"a\n", ["\"a\n…"]), ("␞[[1]\n␞2\n", ["[[1]\n…", "2"]),
        ("␞\"\\\"", ["\"\\\"…"]), ("␞[\"]", ["[\"]…"]),
        // Texts that are no JSON: a parser reports them.
        ("␞{}x\n␞]\n␞[}\n", ["{}x", "]", "[}"]), ("␞{}x␞", ["{}x…"]),
    ])
    func sequenceIsSplitIntoTexts(text: String, texts: [String]) {
        let body = Self.body(text)
        for byteCount in 1...max(body.utf8.count, 1) {
            let reading = JSONStreamReading(body, .sequence, sliceByteCount: byteCount)
            #expect(reading.texts == texts)
            #expect(reading.error == nil)
        }
    }

    @Test(arguments: [("1\n", 1), ("x␞1\n", 1), ("␞1\n2\n", 2), ("␞1 2\n", 2), ("␞{} {}\n", 2)])
    func textWithoutARecordSeparatorIsAnError(text: String, number: Int) {
        let body = Self.body(text)
        let reason = "there is no record separator (0x1E) before the text"
        for byteCount in 1...body.utf8.count {
            let reading = JSONStreamReading(body, .sequence, sliceByteCount: byteCount)
            #expect(reading.error == StreamItemError(item: "JSON text", number: number, reason: reason))
            #expect(reading.items.count == number - 1)
        }
    }

    @Test(arguments: ["{\"a\":[1]}", "\"a\"", "12", "null"])
    func textIsReturnedWithItsLineFeed(text: String) throws {
        var decoder = JSONLinesDecoder(format: .sequence)
        decoder.append("\u{1E}\(text)".utf8)
        #expect(try decoder.next() == nil)
        decoder.append("\n".utf8)
        #expect(try decoder.next() == JSONStreamItem(number: 1, bytes: Array(text.utf8), isTruncated: false))
        #expect(try decoder.next() == nil)
    }

    @Test func truncationIsAnErrorOfItsText() {
        let items = JSONStreamReading(Self.body("␞1\n␞2␞3\n"), .sequence).items
        #expect(items.map(\.truncation?.description) == [nil, "JSON text 2: the end of the text is missing", nil])
    }
}
