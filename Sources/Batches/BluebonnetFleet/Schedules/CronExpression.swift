// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The times at which a schedule makes batches: the five fields of cron, minute, hour, day of month, month and day of
/// week. A value type.
///
/// ```swift
/// let weekdays = try CronExpression("*/15 9-17 * * mon-fri")
/// let next = weekdays.next(after: Date(), in: .gmt)
/// ```
///
/// A field is a list of values, ranges (`9-17`) and `*`; a range and `*` may have a step (`*/15`). Months and days of
/// week may be names of three letters; 0 and 7 are Sunday. If neither day field begins with `*`, a day is permitted
/// that either field permits; otherwise, both have to permit it.
///
/// When clocks change, an expression with all 24 hours follows the elapsed time: local times that are skipped have no
/// tick, and local times that are repeated have two ticks. Any other expression has each local time once a day: a
/// skipped time is made up for at the first instant after the skipped times, and a repeated time has a tick the first
/// time only. Ticks at the same instant are one tick.
public struct CronExpression: Sendable, Hashable {
    /// A field of an expression.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        case minute
        case hour
        case dayOfMonth = "day of month"
        case month
        case dayOfWeek = "day of week"
    }

    /// Why a text is not an expression.
    public struct ParseError: Error, Sendable, Hashable {
        /// The field with the mistake; nil if it is no single field.
        public let field: Field?
        /// The mistake, as a sentence without a full stop that names the field.
        public let message: String

        init(_ field: Field?, _ problem: String) {
            self.field = field
            message = field.map { "\($0.rawValue): \(problem)" } ?? problem
        }
    }

    /// The expression as written, with single spaces.
    public let description: String
    private let minutes: [Int]
    private let hours: [Int]
    private let days: CronField
    private let months: CronField
    private let weekdays: CronField

    /// Parses an expression.
    ///
    /// - Throws: an error that names the field with the mistake, also if there is no day that the fields permit.
    public init(_ text: String) throws(ParseError) {
        let texts = text.split { $0.isWhitespace }
        guard texts.count == Field.allCases.count else {
            throw ParseError(
                nil,
                "an expression has the five fields minute, hour, day of month, month and day of week, not "
                    + "\(texts.count): write for example */15 * * * *")
        }
        description = texts.joined(separator: " ")
        minutes = try CronField(texts[0], .minute).values(in: Field.minute.range)
        hours = try CronField(texts[1], .hour).values(in: Field.hour.range)
        days = try CronField(texts[2], .dayOfMonth)
        months = try CronField(texts[3], .month)
        weekdays = try CronField(texts[4], .dayOfWeek)
        guard hasDay else { throw ParseError(.dayOfMonth, "no permitted month has the day \(texts[2])") }
    }

    /// Whether the fields permit a day of any year.
    private var hasDay: Bool {
        if !days.isStar, !weekdays.isStar { return true }
        return months.values(in: Field.month.range).contains { month in
            !days.values(in: 1...CivilDay.longestMonth(month)).isEmpty
        }
    }
}

extension CronExpression: CustomStringConvertible {}

extension CronExpression.ParseError: LocalizedError, CustomStringConvertible {
    /// The message.
    public var errorDescription: String? { message }
    /// The message.
    public var description: String { message }
}

// MARK: - Ticks

extension CronExpression {
    /// The number of days that are searched: February 29 falls on one day of the week once in 40 years.
    private static let dayLimit = 41 * 366

    /// Returns the first tick after an instant, in a time zone. Ticks are whole seconds.
    ///
    /// - Returns: nil if there is no tick within 41 years.
    public func next(after date: Date, in zone: TimeZone) -> Date? {
        let start = Int(date.timeIntervalSince1970.rounded(.down))
        // Skipped and repeated times may belong to the day before.
        let firstDay = LocalTime(zone).day(at: start) - 1
        for day in firstDay..<firstDay + Self.dayLimit where permits(day) {
            guard let tick = firstTick(on: day, after: start, in: zone) else { continue }
            // Clocks that are set back at midnight repeat times of two days.
            let other = permits(day + 1) ? firstTick(on: day + 1, after: start, in: zone) : nil
            return Date(timeIntervalSince1970: Double(min(tick, other ?? tick)))
        }
        return nil
    }

    /// Returns the last tick that is after an instant and not after another one; nil without such a tick.
    func last(after first: Date, notAfter end: Date, in zone: TimeZone) -> Date? {
        var length = 3_600.0
        while true {
            let start = max(first, end - length)
            guard var tick = next(after: start, in: zone), tick <= end else {
                guard start > first else { return nil }
                length *= 24
                continue
            }
            while let next = next(after: tick, in: zone), next <= end { tick = next }
            return tick
        }
    }

    private func permits(_ day: Int) -> Bool {
        let date = CivilDay(day)
        guard months.contains(date.month) else { return false }
        let (isDay, isWeekday) = (days.contains(date.day), weekdays.contains(date.weekday))
        return days.isStar || weekdays.isStar ? isDay && isWeekday : isDay || isWeekday
    }

    private func firstTick(on day: Int, after start: Int, in zone: TimeZone) -> Int? {
        let localDay = LocalTime.Day(day, in: zone)
        let followsElapsedTime = hours.count == Field.hour.range.count
        var first: Int?
        for hour in hours {
            for minute in minutes {
                let time = (hour * 60 + minute) * 60
                let possible = localDay.possibleInstants(of: time)
                guard possible.upperBound > start else { continue }
                if let first, possible.lowerBound > first { return first }
                for tick in localDay.instants(of: time, followsElapsedTime: followsElapsedTime) where tick > start {
                    // Without a change of clocks, later times have later instants.
                    if !localDay.hasChange { return tick }
                    first = min(first ?? tick, tick)
                }
            }
        }
        return first
    }
}
