// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Collects results for the reports of a run, and writes the files at its end. Memory use does not grow with the run:
/// the test cases of JUnit reports wait in a temporary file.
struct RunReports: Sendable {
    private let options: [ReportOption]
    /// The name of the request lines.
    private let name: String
    private var counts = JUnitText.Counts()
    private var statistics = ReportStatistics()
    private var testCases: SpoolFile?
    private var spoolError: SystemError?

    init(_ options: [ReportOption], name: String) throws(CommandError) {
        (self.options, self.name) = (options, name)
        guard let junit = options.first(where: { $0.form == .junit }) else { return }
        do throws(SystemError) {
            testCases = try SpoolFile()
        } catch {
            throw .unusable("cannot create a temporary file for \(junit.option): \(error)")
        }
    }

    /// Records a result that was delivered some seconds after the start.
    mutating func record(_ result: ResultFacts, at seconds: Double) {
        guard !options.isEmpty else { return }
        statistics.record(result, at: seconds)
        counts.record(result)
        guard testCases != nil, spoolError == nil else { return }
        do throws(SystemError) {
            try testCases?.append(JUnitText.testCase(result, suite: name))
        } catch {
            spoolError = error
        }
    }

    /// Writes the files. Returns the errors.
    ///
    /// - Parameters:
    ///   - elapsed: the duration of the run, in seconds.
    ///   - isPartial: whether the run ended early.
    mutating func write(elapsed: Double, start: Date, isPartial: Bool) -> [CommandError] {
        var errors: [CommandError] = []
        for report in options {
            do throws(CommandError) {
                switch report.form {
                case .junit: try writeJUnit(report, elapsed: elapsed, start: start)
                case .html:
                    let page = HTMLReport(
                        statistics: statistics, name: name, elapsed: elapsed, start: start, isPartial: isPartial)
                    try report.file.write { file throws(SystemError) in try Self.write(page.text, to: file) }
                }
            } catch {
                errors.append(error)
            }
        }
        return errors
    }

    private mutating func writeJUnit(_ report: ReportOption, elapsed: Double, start: Date) throws(CommandError) {
        guard var testCases else { return }
        if let spoolError { throw .unusable("cannot use the temporary file of \(report.option): \(spoolError)") }
        let head = JUnitText.head(suite: name, counts, elapsed: elapsed, start: start)
        defer { self.testCases = testCases }
        try report.file.write { file throws(SystemError) in
            try Self.write(head, to: file)
            try testCases.read { bytes throws(SystemError) in
                var rest = bytes[...]
                try file.write(&rest)
            }
            try Self.write(JUnitText.tail, to: file)
        }
    }

    private static func write(_ text: String, to file: FileDescriptor) throws(SystemError) {
        var bytes = Array(text.utf8)[...]
        try file.write(&bytes)
    }
}
