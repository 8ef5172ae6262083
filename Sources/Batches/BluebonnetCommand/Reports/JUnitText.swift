// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// Writes the parts of a JUnit XML report: one test suite, with a test case for each result line.
enum JUnitText {
    /// The counts of a suite.
    struct Counts: Sendable, Equatable {
        var tests = 0, failures = 0, skipped = 0

        mutating func record(_ result: ResultFacts) {
            tests += 1
            if result.isFailure {
                failures += 1
            } else if result.outcome != .success {
                skipped += 1
            }
        }
    }

    /// Returns the start of the report.
    ///
    /// - Parameters:
    ///   - suite: the name of the suite.
    ///   - start: the start of the run.
    static func head(suite: String, _ counts: Counts, elapsed: Double, start: Date) -> String {
        let attributes = [
            ("name", suite), ("tests", "\(counts.tests)"), ("failures", "\(counts.failures)"), ("errors", "0"),
            ("skipped", "\(counts.skipped)"), ("time", seconds(elapsed)), ("timestamp", EventText.date(start)),
        ]
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite\(text(attributes))>\n"
    }

    /// The end of the report.
    static let tail = "</testsuite>\n</testsuites>\n"

    /// Returns a test case. Its class is the id's part before the first slash, which pages and elements of a line have
    /// in common; for an id without a slash, the suite.
    static func testCase(_ result: ResultFacts, suite: String) -> String {
        let group = result.id.firstIndex(of: "/").map { String(result.id[..<$0]) } ?? ""
        let attributes = [
            ("classname", group.isEmpty ? suite : group), ("name", result.id),
            ("time", seconds(result.seconds ?? 0)),
        ]
        let start = "<testcase\(text(attributes))"
        let message = ("message", Redaction.text(result.message ?? ""))
        if result.isFailure {
            return "\(start)><failure\(text([("type", result.code ?? "unknown"), message]))/></testcase>\n"
        }
        return result.outcome == .success ? "\(start)/>\n" : "\(start)><skipped\(text([message]))/></testcase>\n"
    }

    private static func text(_ attributes: [(name: String, value: String)]) -> String {
        attributes.map { " \($0.name)=\"\(MarkupText.escaped($0.value))\"" }.joined()
    }

    private static func seconds(_ seconds: Double) -> String { String(format: "%.3f", max(0, seconds)) }
}
