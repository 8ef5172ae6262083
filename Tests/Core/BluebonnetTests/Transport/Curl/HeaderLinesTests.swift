// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CCurl
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct HeaderLinesTests {
    /// The texts of a list, as libcurl reads them.
    private func texts(_ list: UnsafeMutablePointer<curl_slist>?) -> [String] {
        var (texts, next): ([String], UnsafeMutablePointer<curl_slist>?) = ([], list)
        while let element = next {
            texts.append(String(cString: element.pointee.data))
            next = element.pointee.next
        }
        return texts
    }

    private func fields(_ pairs: KeyValuePairs<String, String>) -> [HeaderFields.Field] {
        pairs.map { HeaderFields.Field(name: $0.key, value: $0.value) }
    }

    @Test func fieldsBecomeLinesInOrder() {
        var lines = HeaderLines()
        defer { lines.close() }
        let long = String(repeating: "v", count: 10_000)
        let list = lines.write(fields(["B": "1", "A": "ä \u{20AC}", "Long": long]), unwanted: [])
        #expect(texts(list) == ["B: 1", "A: ä \u{20AC}", "Long: \(long)"])
    }

    @Test func emptyAndUnwantedFieldsUseLibcurlSyntax() {
        var lines = HeaderLines()
        defer { lines.close() }
        #expect(
            texts(lines.write(fields(["Empty": "", "A": "1"]), unwanted: ["Expect"])) == ["Empty;", "A: 1", "Expect:"])
        #expect(texts(lines.write(fields(["Blank": " \t", "B": " b"]), unwanted: [])) == ["Blank;", "B:  b"])
        #expect(texts(lines.write([], unwanted: ["Expect", "B"])) == ["Expect:", "B:"])
        #expect(lines.write([], unwanted: []) == nil)
    }

    @Test func laterLinesContainNothingOfEarlierRequests() {
        var lines = HeaderLines()
        defer { lines.close() }
        for count in [3, 1, 5_000, 2, 0, 40] {
            let value = String(repeating: "x", count: count)
            let expected = (0..<count % 7 + 1).map { count == 0 ? "F\($0);" : "F\($0): \(value)" }
            let list = lines.write(
                (0..<count % 7 + 1).map { HeaderFields.Field(name: "F\($0)", value: value) }, unwanted: [])
            #expect(texts(list) == expected)
        }
    }

    @Test func linesCanBeWrittenAfterTheBlockWasClosed() {
        var lines = HeaderLines()
        _ = lines.write(fields(["A": "1"]), unwanted: [])
        lines.close()
        #expect(texts(lines.write(fields(["B": "2"]), unwanted: [])) == ["B: 2"])
        lines.close()
    }
}
