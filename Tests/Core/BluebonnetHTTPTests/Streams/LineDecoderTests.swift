// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

/// The lines of a text up to its end or its first error.
private struct LineReading: Equatable {
    var lines: [[UInt8]] = []
    var error: StreamItemError?

    init(_ text: [UInt8], sliceByteCount: Int = .max, byteLimit: Int = LineDecoder.usualByteLimit) {
        var decoder = LineDecoder(byteLimit: byteLimit)
        for slice in text.slices(of: sliceByteCount) where error == nil {
            decoder.append(slice)
            read(&decoder)
        }
        decoder.finish()
        if error == nil { read(&decoder) }
    }

    private mutating func read(_ decoder: inout LineDecoder) {
        do throws(StreamItemError) {
            while let line = try decoder.next() { lines.append(line) }
        } catch {
            self.error = error
        }
    }

    var texts: [String] { lines.map { String(decoding: $0, as: UTF8.self) } }
}

@Suite struct LineDecoderTests {
    @Test(arguments: [
        ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\n\nb\n\n", ["a", "", "b", ""]),
        ("a\r\nb\r\n", ["a", "b"]), ("\r\n\r\n", ["", ""]), ("a\rb\n", ["a\rb"]), ("a\r\r\n", ["a\r"]),
        ("a\r", ["a\r"]),
        ("\r", ["\r"]), ("a\n\rb", ["a", "\rb"]), ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", []),
        ("\u{FEFF}\n", [""]), ("\u{FEFF}\n\u{FEFF}", ["", "\u{FEFF}"]), ("é\u{2028}\u{85}\0\n", ["é\u{2028}\u{85}\0"]),
    ])
    func textIsSplitIntoLines(text: String, lines: [String]) {
        let bytes = Array(text.utf8)
        for byteCount in 1...max(bytes.count, 1) {
            let reading = LineReading(bytes, sliceByteCount: byteCount)
            #expect(reading.lines == lines.map { Array($0.utf8) })
            #expect(reading.error == nil)
        }
    }

    @Test(
        arguments: [
            ("12345\n", nil), ("12345\r\n", nil), ("12345", nil), ("12345\r", "line 1: the line has more than 5 bytes"),
            ("123456\n", "line 1: the line has more than 5 bytes"),
            ("123456", "line 1: the line has more than 5 bytes"),
            ("1\n2\n12345\r\r\n", "line 3: the line has more than 5 bytes"), ("12345\n12345\n", nil),
            ("12345\ra", "line 1: the line has more than 5 bytes"),
        ] as [(String, String?)])
    func longLineIsAnError(text: String, error: String?) {
        let bytes = Array(text.utf8)
        let whole = LineReading(bytes, byteLimit: 5)
        #expect(whole.error?.description == error)
        for byteCount in 1...bytes.count {
            #expect(LineReading(bytes, sliceByteCount: byteCount, byteLimit: 5) == whole)
        }
    }

    @Test func everyCallRepeatsTheError() {
        var decoder = LineDecoder(byteLimit: 1)
        decoder.append("ab\nc\n".utf8)
        for _ in 1...2 { #expect(throws: StreamItemError.self) { try decoder.next() } }
    }

    @Test func lineIsReturnedWithItsLineFeed() throws {
        var decoder = LineDecoder()
        decoder.append("a\r".utf8)
        #expect(try decoder.nextText() == nil)
        decoder.append("\nb".utf8)
        #expect(try decoder.nextText() == "a")
        #expect(try decoder.nextText() == nil)
        decoder.finish()
        #expect(try decoder.nextText() == "b")
        #expect(try decoder.nextText() == nil)
        #expect(decoder.lineCount == 2)
    }

    @Test func invalidUTF8IsReplacedInTexts() throws {
        var decoder = LineDecoder()
        decoder.append([0x61, 0xFF, 0x0A])
        #expect(try decoder.nextText() == "a\u{FFFD}")
    }

    @Test func usualLimitIsSixteenMebibytes() { #expect(LineDecoder.usualByteLimit == 16 << 20) }
}
