// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationXML
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct JUnitTextTests {
    /// The report of results, as a parser reads it.
    private func report(_ results: [ResultFacts], suite: String = "lines") throws -> JUnitReading {
        var counts = JUnitText.Counts()
        for result in results { counts.record(result) }
        let head = JUnitText.head(suite: suite, counts, elapsed: 1.5, start: Date(timeIntervalSince1970: 0))
        let cases = results.map { JUnitText.testCase($0, suite: suite) }.joined()
        return try #require(JUnitReading(head + cases + JUnitText.tail))
    }

    @Test func suiteCountsTestsFailuresAndSkipped() throws {
        let outcomes: [ResultLine.Outcome] = [.success, .success, .failure, .unknown, .skipped, .cancelled]
        let report = try report(outcomes.map { .sample("a", $0) })
        #expect(
            report.suite == [
                "name": "lines", "tests": "6", "failures": "2", "errors": "0", "skipped": "2", "time": "1.500",
                "timestamp": "1970-01-01T00:00:00.000000Z",
            ])
        #expect(report.cases.map(\.kind) == [nil, nil, "failure", "failure", "skipped", "skipped"])
    }

    @Test(arguments: [
        ("users/1", "users"), ("a/b/c", "a"), ("login", "lines"), ("/x", "lines"), ("", "lines"),
    ])
    func classIsTheStartOfTheID(_ id: String, _ name: String) throws {
        let found = try #require(report([.sample(id, .success, seconds: 0.25)]).cases.first)
        #expect(found.attributes == ["classname": name, "name": id, "time": "0.250"])
    }

    @Test func failureHasCodeAndMessage() throws {
        let failed = ResultFacts.sample("a", .failure, code: "timedOut", message: "after 5 s: <no answer>")
        let found = try #require(report([failed]).cases.first)
        #expect(found.detail == ["type": "timedOut", "message": "after 5 s: <no answer>"])
        let skipped = ResultFacts.sample("b", .skipped, code: "dependencyFailed", message: "a failed")
        #expect(try report([skipped]).cases.first?.detail == ["message": "a failed"])
    }

    @Test func messageIsWithoutSecrets() throws {
        let failed = ResultFacts.sample("a", .failure, code: "badURL", message: "http://h/?token=abc&x=1 is bad")
        let message = try #require(report([failed]).cases.first?.detail["message"])
        #expect(message.contains("token=REDACTED") && !message.contains("abc"))
    }

    @Test(arguments: ["a\0b", "\u{1B}[31m\"<&>'", "line\nend\ttab\r", "\u{FFFF}", "😀 é ]]>", "a\u{85}b"])
    func anyIDAndMessageIsValidXML(_ text: String) throws {
        let report = try report([.sample(text, .failure, code: text, message: text)], suite: text)
        let name = try #require(report.cases.first?.attributes["name"])
        let allowed = text.unicodeScalars.map { JUnitReading.isShown($0) ? $0 : "\u{FFFD}" }
        #expect(name == String(String.UnicodeScalarView(allowed)))
    }
}

/// The contents of a report, as an XML parser reads them.
final class JUnitReading: NSObject, XMLParserDelegate {
    struct Case {
        let attributes: [String: String]
        /// The element in the case, and its attributes.
        var kind: String?
        var detail: [String: String] = [:]
    }

    private(set) var suite: [String: String] = [:]
    private(set) var cases: [Case] = []

    /// Nil for text that is not well-formed XML.
    init?(_ text: String) {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        guard parser.parse() else { return nil }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        switch name {
        case "testsuite": suite = attributes
        case "testcase": cases.append(Case(attributes: attributes))
        case "failure", "skipped":
            cases[cases.count - 1].kind = name
            cases[cases.count - 1].detail = attributes
        default: break
        }
    }

    /// Whether the report shows a character, by XML 1.0 (2.2) and without controls.
    static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        "\t\n\r".unicodeScalars.contains(scalar)
            || (scalar.properties.generalCategory != .control && ![0xFFFE, 0xFFFF].contains(scalar.value))
    }
}
