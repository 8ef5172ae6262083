// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import BluebonnetHTTP

@Suite struct JSONPathTextTests {
    /// Whether the text is one value, by the fast check and by the parser. Both must agree.
    private func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var text = JSONPathText(bytes)
            let isSkipped = (try? text.skipValue(depth: 0)) != nil
            text.skipSpace()
            let isValid = isSkipped && text.position == bytes.count
            #expect(isValid == ((try? JSONParser.check(bytes)) != nil), "\(Array(bytes))")
            return isValid
        }
    }

    @Test(arguments: [
        "null", " [1, -0.5e+3 ,true,false]\n", #"{"a":{"b":[]},"c":{}}"#, #""\ud83d\ude00\u00e9\"\\\/\b\f\n\r\t""#,
        #"["12345678","1234567","123456789é"]"#, "\u{FEFF}[]", "\"\u{7F}é€😀\u{10FFFF}\"",
        "{\n                \"a\"  :\t1}",
    ])
    func validTextIsSkipped(text: String) { #expect(isValid(Array(text.utf8))) }

    @Test(arguments: [
        "", "[", "[1,]", "{\"a\"}", "{\"a\":}", "{,}", "01", "1.", "-", "1e", "nul", "truE", "\"", "\"\\", "\"\\u12",
        "\"\\x\"",
        "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"12345678\u{1}\"", "\"\t\"", "[1 2]", "{\"a\" 1}", "[1]]", "1 1", "'a'",
        "{a:1}",
        "[\0]", "1\0", "\0",
    ])
    func invalidTextIsRefused(text: String) { #expect(!isValid(Array(text.utf8))) }

    @Test func everyPairOfBytesInStringIsChecked() {
        for first in 0x80...0xFF as ClosedRange<UInt8> {
            for second in stride(from: 0, through: 0xFF, by: 1) as StrideThrough<UInt8> {
                _ = isValid([0x22, first, second, 0x22])
                _ = isValid([0x22, first, second, 0x80, 0x22])
                _ = isValid([0x22, first, second, 0x80, 0xBF, 0x22])
            }
        }
        #expect(!isValid([0x22, 0xED, 0xA0, 0x80, 0x22]) && isValid([0x22, 0xF4, 0x8F, 0xBF, 0xBF, 0x22]))
    }

    @Test(arguments: [
        ("[", "]", 512, true), ("[", "]", 513, false), ("{\"\":", "}", 512, true), ("{\"\":", "}", 513, false),
    ])
    func nestingIsLimitedAsInParser(opening: String, closing: String, depth: Int, isValid: Bool) {
        let inner = opening == "[" ? "" : "0"
        let text = String(repeating: opening, count: depth) + inner + String(repeating: closing, count: depth)
        #expect(self.isValid(Array(text.utf8)) == isValid)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func skippingAndParserAgreeOnMutatedText(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let text = Array(
            #" {"a":[-1.5e30,true,0,12345678901234567890],"é\u00e9":{"cccccccccc":"x\n\ud83d\ude00"},"d":null} "#.utf8)
        let bytes = Array("\"\\{}[]:,0e9.-+utn \u{1}é".utf8) + [0xFF, 0x80]
        var refusedCount = 0
        for _ in 0..<500 {
            var changed = text
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let position = Int.random(in: changed.indices, using: &random)
                changed[position] = bytes.randomElement(using: &random) ?? 0
            }
            if !isValid(changed) { refusedCount += 1 }
        }
        #expect((1..<500).contains(refusedCount))
    }
}
