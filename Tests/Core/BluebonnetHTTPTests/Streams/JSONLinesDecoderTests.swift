// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

/// The JSON texts of a body up to its end or its first error.
struct JSONStreamReading: Equatable {
    var items: [JSONStreamItem] = []
    var error: StreamItemError?

    init(
        _ body: String, _ format: JSONLinesDecoder.Format, sliceByteCount: Int = .max,
        byteLimit: Int = JSONLinesDecoder.usualByteLimit
    ) {
        var decoder = JSONLinesDecoder(format: format, byteLimit: byteLimit)
        for slice in Array(body.utf8).slices(of: sliceByteCount) where error == nil {
            decoder.append(slice)
            read(&decoder)
        }
        decoder.finish()
        if error == nil { read(&decoder) }
    }

    private mutating func read(_ decoder: inout JSONLinesDecoder) {
        do throws(StreamItemError) {
            while let item = try decoder.next() { items.append(item) }
        } catch {
            self.error = error
        }
    }

    /// The texts; truncated texts with "…" at the end.
    var texts: [String] { items.map { String(decoding: $0.bytes, as: UTF8.self) + ($0.isTruncated ? "…" : "") } }
}

@Suite struct JSONLinesDecoderTests {
    @Test(
        arguments: [
            (nil, .lines), ("application/x-ndjson", .lines), ("application/jsonl; charset=utf-8", .lines), ("", .lines),
            ("application/json", .lines), ("application/json-seq", .sequence),
            ("Application/JSON-Seq ; a=b", .sequence),
            ("application/json-sequence", .lines),
        ] as [(String?, JSONLinesDecoder.Format)])
    func contentTypeDecidesTheFormat(contentType: String?, format: JSONLinesDecoder.Format) {
        #expect(JSONLinesDecoder.Format(contentType: contentType) == format)
    }

    @Test(arguments: [
        ("", []), ("1\n2\n", ["1", "2"]), ("1\r\n2", ["1", "2"]), ("\n \n\t\r\n{}\n\n", ["{}"]), (" [1] \n", [" [1] "]),
        ("{\"a\":1}\n{\"b\"", ["{\"a\":1}", "{\"b\""]), ("\u{FEFF}1\n", ["1"]), ("\u{FEFF}\n2\n", ["2"]),
        ("a\rb\n", ["a\rb"]),
        ("1\n\u{1E}2\n", ["1", "\u{1E}2"]),
    ])
    func linesAreTexts(body: String, texts: [String]) {
        for byteCount in 1...max(body.utf8.count, 1) {
            let reading = JSONStreamReading(body, .lines, sliceByteCount: byteCount)
            #expect(reading.texts == texts)
            #expect(reading.error == nil)
            #expect(reading.items.map(\.number) == Array(1...max(texts.count, 1)).prefix(texts.count).map { $0 })
        }
    }

    @Test func recordSeparatorAtTheStartMeansASequence() {
        let body = "\u{1E}{\"a\":\n1}\n\u{1E}2\n"
        let reading = JSONStreamReading(body, .lines)
        #expect(reading.texts == ["{\"a\":\n1}", "2"])
        #expect(JSONStreamReading(body, .lines, sliceByteCount: 1) == reading)
        #expect(JSONStreamReading(body, .sequence) == reading)
    }

    @Test(
        arguments: [
            ("12345\n\n123456\n", .lines, "JSON text 2: the text has more than 5 bytes"),
            ("12345\r\n1", .lines, nil),
            ("\u{1E}12345\n\u{1E}123456", .sequence, "JSON text 2: the text has more than 5 bytes"),
            ("\u{1E}12345\n", .sequence, nil),
            ("\u{1E}      \n", .sequence, "JSON text 1: the text has more than 5 bytes"),
            ("\u{1E}1\n       \u{1E}2\n", .sequence, nil),
        ] as [(String, JSONLinesDecoder.Format, String?)])
    func longTextIsAnError(body: String, format: JSONLinesDecoder.Format, error: String?) {
        let whole = JSONStreamReading(body, format, byteLimit: 5)
        #expect(whole.error?.description == error)
        for byteCount in 1...body.utf8.count {
            #expect(JSONStreamReading(body, format, sliceByteCount: byteCount, byteLimit: 5) == whole)
        }
    }

    @Test func usualLimitIsSixteenMebibytes() { #expect(JSONLinesDecoder.usualByteLimit == 16 << 20) }
}
