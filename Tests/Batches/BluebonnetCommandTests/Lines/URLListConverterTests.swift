// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct URLListConverterTests {
    @Test func everyURLBecomesALineForAnySlices() {
        let text = "\u{FEFF}# list\r\nhttps://a/?b=c\r\n\n  http://d:1/#e \n#\nhttp://h/${x}"
        let expected = [
            #"{"url":"https://a/?b=c"}"#, #"{"url":"http://d:1/#e"}"#, #"{"url":"http://h/$${x}"}"#,
        ]
        for count in 1...text.utf8.count {
            #expect(ConvertedText(text, URLListConverter(), sliceByteCount: count).texts == expected)
        }
        #expect(ConvertedText("", URLListConverter()).texts.isEmpty)
    }

    @Test(arguments: [
        ("users/7", "has no scheme"), ("ftp://h/", "which is not http or https"), ("http:///x", "has no host"),
        ("http://a b/", "contains a space"), ("http://h:99999/", "which is not from 1 to 65535"),
    ])
    func badURLIsAnErrorWithItsLine(url: String, message: String) {
        let converted = ConvertedText("http://h/\n\n\(url)\n", URLListConverter())
        #expect(converted.texts.count == 1)
        #expect(converted.error?.line == 3)
        #expect(converted.error?.message.contains(message) == true, "\(converted.error?.message ?? "")")
    }

    @Test func lineMustBeUTF8() {
        let converted = ConvertedText(Array("http://h/".utf8) + [0xFF], URLListConverter())
        #expect(converted.error == ConversionError(line: 1, "not valid UTF-8"))
    }

    @Test func lineThatIsTooLongIsAnError() {
        var lines = NumberedLines(longestLine: 1 << 20)
        lines.append(Array("#\n".utf8) + Array(repeating: 0x61, count: (1 << 20) + 1))
        #expect(throws: ConversionError(line: 2, "longer than 1 MiB")) { try lines.next() }
    }
}
