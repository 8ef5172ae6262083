// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// Parses option values. Each error names the allowed values.
enum OptionValue {
    /// The maximum time, in seconds: about thirty years, far below the range of a clock.
    private static let longestTime = 1e9

    /// Parses a time in seconds. Zero is an error.
    static func seconds(_ text: String) throws -> Double {
        guard let seconds = Double(text), seconds > 0, seconds <= longestTime else {
            throw ValidationError("it must be a number of seconds, more than 0 and at most 1000000000")
        }
        return seconds
    }

    /// Parses a time in seconds, which may be zero.
    static func secondsOrZero(_ text: String) throws -> Double {
        guard let seconds = Double(text), seconds >= 0, seconds <= longestTime else {
            throw ValidationError("it must be a number of seconds, 0 or more and at most 1000000000")
        }
        return seconds
    }

    /// Parses a number of transfers.
    static func count(_ text: String) throws -> Int { try whole(text, in: 1...1_000_000) }

    /// Parses a whole number. The error names the range.
    private static func whole(_ text: String, in range: ClosedRange<Int>, of unit: String = "") throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw ValidationError(
                "it must be a whole number\(unit), \(range.lowerBound) or more and at most \(range.upperBound)")
        }
        return number
    }

    /// Parses the time after which a silent worker counts as lost, in seconds.
    static func lease(_ text: String) throws -> Double {
        guard let seconds = Double(text), (1...86_400).contains(seconds) else {
            throw ValidationError("it must be a number of seconds, from 1 to 86400")
        }
        return seconds
    }

    /// Parses a time with its unit: days, hours, minutes or seconds.
    static func retention(_ text: String) throws -> Duration {
        let units: [Character: Int] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (0...Int(longestTime) / unit).contains(count)
        else {
            throw ValidationError(
                "it must be a whole number followed by d, h, m or s, at most 1000000000 seconds in all")
        }
        return .seconds(count * unit)
    }

    /// Parses the name of a batch.
    static func batchName(_ text: String) throws -> String {
        guard !text.isEmpty, text.utf8.count <= 200, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw ValidationError("it must have 1 to 200 bytes, and no control characters")
        }
        return text
    }

    /// Parses the name of a schedule, with which the names of its batches begin.
    static func scheduleName(_ text: String) throws -> String {
        guard text.utf8.count <= 180 else { throw ValidationError("it must have 1 to 180 bytes") }
        return try batchName(text)
    }

    /// Parses a cron expression.
    static func cron(_ text: String) throws -> CronExpression {
        do throws(CronExpression.ParseError) {
            return try CronExpression(text)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Parses the identifier of a time zone.
    static func timeZone(_ text: String) throws -> TimeZone {
        guard let zone = TimeZone(identifier: text) else {
            throw ValidationError("it must be a time zone of the IANA database, such as Europe/Berlin or UTC")
        }
        return zone
    }

    /// Parses a condition on results.
    static func resultCondition(_ text: String) throws -> ResultCondition {
        do throws(ResultCondition.ParseError) {
            return try ResultCondition(text)
        } catch {
            throw ValidationError("it must be a condition of JSONPath, such as '@.status >= 500': \(error.message)")
        }
    }

    /// Parses a list of the properties by which failures are grouped.
    static func failureFields(_ text: String) throws -> [FailureGroup.Field] {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let fields: [FailureGroup.Field] = try words.map(choice)
        guard Set(fields).count == fields.count else { throw ValidationError("it must name each property once") }
        return fields
    }

    /// Parses the priority of a batch.
    static func batchPriority(_ text: String) throws -> Int {
        try whole(text, in: -1000...1000)
    }

    /// Parses a number of retries, which may be zero.
    static func retryCount(_ text: String) throws -> Int {
        try whole(text, in: 0...1_000_000)
    }

    /// 1 PiB.
    private static let mostBytes = 1 << 50

    /// Parses a number of bytes.
    static func byteCount(_ text: String) throws -> Int { try whole(text, in: 0...mostBytes, of: " of bytes") }

    /// Parses a number of bytes per second. The suffixes `k`, `M` and `G` mean factors of 1024.
    static func byteRate(_ text: String) throws -> Int {
        let factors: [Character: Int] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
        let factor = text.last.flatMap { factors[Character($0.lowercased())] }
        let digits = factor == nil ? text[...] : text.dropLast()
        let isNumber = digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isNumber, let count = Int(digits), (1...mostBytes / (factor ?? 1)).contains(count) else {
            throw ValidationError(
                "it must be a whole number of bytes, 1 or more and at most 1048576G, optionally followed by k, M or G"
            )
        }
        return count * (factor ?? 1)
    }

    /// Parses a number of requests per second, minute or hour.
    static func rate(_ text: String) throws -> RateLimit {
        let periods: [Substring: Duration] = ["s": .seconds(1), "m": .seconds(60), "h": .seconds(3600)]
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let period = periods[parts[1]], let count = Int(parts[0]),
            (1...1_000_000_000).contains(count)
        else {
            throw ValidationError(
                "it must be a whole number, 1 or more and at most 1000000000, followed by /s, /m or /h")
        }
        return RateLimit(count, per: period)
    }

    /// Parses the path of a readable file.
    static func readablePath(_ text: String) throws -> String {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isFolder)
        guard exists, !isFolder.boolValue, FileManager.default.isReadableFile(atPath: text) else {
            throw ValidationError("it must be the path of a readable file")
        }
        return text
    }

    /// Parses the path of a file for rows, whose ending names the form.
    static func rowPath(_ text: String) throws -> String {
        guard RowForm(path: text) != nil else {
            throw ValidationError("the name of the file must end in one of \(RowForm.endings)")
        }
        return text
    }

    /// Parses the form and the path of a report.
    static func report(_ text: String) throws -> ReportOption {
        guard let report = ReportOption(text) else {
            throw ValidationError("it must be junit=FILE or html=FILE")
        }
        return report
    }

    /// Parses a condition.
    static func condition(_ text: String) throws -> FailCondition {
        do throws(ConditionParser.Problem) {
            return try ConditionParser.parse(text)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Parses the name of a case of an enumeration.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(_ text: String) throws -> Choice {
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("it must be one of \(names)")
        }
        return choice
    }
}
