// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetFleet

/// Cron expressions: their fields, and their ticks.
@Suite struct CronExpressionTests {
    private static func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    private static func ticks(
        _ expression: String, after start: String, zone: String = "UTC", count: Int
    ) throws -> [String] {
        let zone = try #require(TimeZone(identifier: zone))
        let ticks = try CronExpression(expression).ticks(after: date(start), in: zone)
        return ticks.prefix(count).map { $0.ISO8601Format() }
    }

    // MARK: Fields

    /// An expression, and its first ticks after Thursday 2026-01-01T00:00:00Z, as `MM-DDTHH:MM` of 2026.
    private static let rows: [(String, [String])] = [
        ("* * * * *", ["01-01T00:01", "01-01T00:02"]),
        ("*/15 * * * *", ["01-01T00:15", "01-01T00:30", "01-01T00:45", "01-01T01:00"]),
        ("*/40 * * * *", ["01-01T00:40", "01-01T01:00", "01-01T01:40"]),
        ("5-59/20 * * * *", ["01-01T00:05", "01-01T00:25", "01-01T00:45", "01-01T01:05"]),
        ("0 0 * * *", ["01-02T00:00", "01-03T00:00"]),
        ("30 4,16 * * *", ["01-01T04:30", "01-01T16:30", "01-02T04:30"]),
        ("0 9-17/4 * * *", ["01-01T09:00", "01-01T13:00", "01-01T17:00", "01-02T09:00"]),
        ("0 0 1 * *", ["02-01T00:00", "03-01T00:00"]),
        ("0 0 31 * *", ["01-31T00:00", "03-31T00:00", "05-31T00:00"]),
        ("0 0 1 JAN,Jul *", ["07-01T00:00"]),
        ("0 0 1 mar-may *", ["03-01T00:00", "04-01T00:00", "05-01T00:00"]),
        ("0 0 1 */5 *", ["06-01T00:00", "11-01T00:00"]),
        ("0 0 * * sun", ["01-04T00:00", "01-11T00:00"]),
        ("0 0 * * 0", ["01-04T00:00", "01-11T00:00"]),
        ("0 0 * * 7", ["01-04T00:00", "01-11T00:00"]),
        ("0 0 * * mon-fri", ["01-02T00:00", "01-05T00:00", "01-06T00:00"]),
        ("0 0 * * sat-sun", ["01-03T00:00", "01-04T00:00", "01-10T00:00"]),
        ("0 0 * * 0-0", ["01-04T00:00", "01-11T00:00"]),
        ("0 0 * * 5-7", ["01-02T00:00", "01-03T00:00", "01-04T00:00", "01-09T00:00"]),
        // Either day field, if both restrict the days.
        ("0 0 13 * fri", ["01-02T00:00", "01-09T00:00", "01-13T00:00", "01-16T00:00"]),
        // Both, if one of them begins with *: the odd days that are Sundays.
        ("0 0 */2 * sun", ["01-11T00:00", "01-25T00:00", "02-01T00:00"]),
        ("59 23 31 dec *", ["12-31T23:59"]),
    ]

    @Test(arguments: rows) func ticksFollowTheFields(expression: String, ticks: [String]) throws {
        let found = try Self.ticks(expression, after: "2026-01-01T00:00:00Z", count: ticks.count)
        #expect(found == ticks.map { "2026-\($0):00Z" })
    }

    @Test func leapDayIsFoundAcrossYears() throws {
        #expect(
            try Self.ticks("0 12 29 2 *", after: "2096-03-01T00:00:00Z", count: 2)
                == ["2104-02-29T12:00:00Z", "2108-02-29T12:00:00Z"])
        // 2100 is no leap year: after 2088, February 29 is a Sunday only in 2128.
        #expect(
            try Self.ticks("0 0 29 2 */7", after: "2026-01-01T00:00:00Z", count: 4).map { $0.prefix(10) }
                == ["2032-02-29", "2060-02-29", "2088-02-29", "2128-02-29"])
    }

    @Test func tickIsAfterTheInstant() throws {
        let expression = try CronExpression("0 * * * *")
        let hour = try Self.date("2026-05-05T10:00:00Z")
        for (offset, expected) in [(-0.001, 0.0), (0, 3_600), (0.5, 3_600), (3_599.9, 3_600)] {
            #expect(expression.next(after: hour + offset, in: .gmt) == hour + expected)
        }
    }

    @Test func spacesAndNamesAreNormalized() throws {
        #expect(try CronExpression("  0\t9 * *   Mon ").description == "0 9 * * Mon")
    }

    // MARK: Mistakes

    private static let mistakes: [(String, CronExpression.Field?, String)] = [
        ("* * * *", nil, "five fields"), ("* * * * * *", nil, "not 6"), ("", nil, "not 0"),
        ("@hourly", nil, "five fields"),
        ("60 * * * *", .minute, #"minute: "60" is not a number from 0 to 59"#),
        ("-1 * * * *", .minute, #"minute: "" is not a number from 0 to 59"#),
        ("+1 * * * *", .minute, #"minute: "+1" is not a number from 0 to 59"#),
        ("* 24 * * *", .hour, #"hour: "24" is not a number from 0 to 23"#),
        ("* mon * * *", .hour, #"hour: "mon" is not a number from 0 to 23"#),
        ("* * 0 * *", .dayOfMonth, #"day of month: "0" is not a number from 1 to 31"#),
        ("* * L * *", .dayOfMonth, #"day of month: "L" is not a number from 1 to 31"#),
        ("* * * 13 *", .month, #"month: "13" is not a number from 1 to 12 or a name from jan to dec"#),
        ("* * * * 8", .dayOfWeek, #"day of week: "8" is not a number from 0 to 7 or a name from sun to sat"#),
        ("* * * * monday", .dayOfWeek, #"day of week: "monday" is not"#),
        ("* 17-9 * * *", .hour, #"hour: the range "17-9" ends before it begins"#),
        ("*/0 * * * *", .minute, #"minute: the step "0" is not a number from 1 to 60"#),
        ("*/61 * * * *", .minute, #"minute: the step "61" is not a number from 1 to 60"#),
        ("*/ * * * *", .minute, #"minute: the step "" is not a number from 1 to 60"#),
        ("5/15 * * * *", .minute, "minute: a step follows * or a range: write 5-59/15"),
        ("1,,2 * * * *", .minute, "minute: a value is missing"), ("* 1, * * *", .hour, "hour: a value is missing"),
        ("* * 30 2 *", .dayOfMonth, "day of month: no permitted month has the day 30"),
        ("* * 31 2,4,jun *", .dayOfMonth, "day of month: no permitted month has the day 31"),
    ]

    @Test(arguments: mistakes)
    func mistakeNamesItsField(text: String, field: CronExpression.Field?, message: String) throws {
        let error = #expect(throws: CronExpression.ParseError.self) { try CronExpression(text) }
        #expect(error?.field == field)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    // MARK: Clocks that change

    private struct Change: Sendable {
        let zone: String
        let expression: String
        let start: String
        let ticks: [String]
    }

    private static let changes: [Change] = [
        // Berlin, 2026-03-29: from 02:00 to 03:00 at 01:00Z.
        Change(
            zone: "Europe/Berlin", expression: "30 2 * * *", start: "2026-03-28T00:00:00Z",
            ticks: ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]),
        Change(
            zone: "Europe/Berlin", expression: "0,30 2 * * *", start: "2026-03-28T12:00:00Z",
            ticks: ["2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"]),
        Change(
            zone: "Europe/Berlin", expression: "0 2,3 * * *", start: "2026-03-28T12:00:00Z",
            ticks: ["2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"]),
        Change(
            zone: "Europe/Berlin", expression: "30 * * * *", start: "2026-03-29T00:00:00Z",
            ticks: ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z"]),
        // Berlin, 2026-10-25: from 03:00 to 02:00 at 01:00Z.
        Change(
            zone: "Europe/Berlin", expression: "30 2 * * *", start: "2026-10-24T12:00:00Z",
            ticks: ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]),
        Change(
            zone: "Europe/Berlin", expression: "30 * * * *", start: "2026-10-25T00:00:00Z",
            ticks: ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"]),
        Change(
            zone: "Europe/Berlin", expression: "*/30 1-3 * * *", start: "2026-10-24T23:15:00Z",
            ticks: [
                "2026-10-24T23:30:00Z", "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T02:00:00Z",
                "2026-10-25T02:30:00Z",
            ]),
        // Havana, 2026-11-01: from 01:00 to 00:00 at 05:00Z. The repeated midnight has one tick.
        Change(
            zone: "America/Havana", expression: "0 0 * * *", start: "2026-10-31T12:00:00Z",
            ticks: ["2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"]),
        // Lord Howe, 2026-04-05: from 02:00 to 01:30 at 2026-04-04T15:00Z.
        Change(
            zone: "Australia/Lord_Howe", expression: "45 1 * * *", start: "2026-04-04T00:00:00Z",
            ticks: ["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"]),
        Change(
            zone: "Australia/Lord_Howe", expression: "45 * * * *", start: "2026-04-04T14:00:00Z",
            ticks: ["2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", "2026-04-04T16:15:00Z"]),
        // Apia skipped 2011-12-30: the day began and ended at 10:00Z.
        Change(
            zone: "Pacific/Apia", expression: "0 12 * * *", start: "2011-12-29T00:00:00Z",
            ticks: ["2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z"]),
        Change(
            zone: "Pacific/Apia", expression: "0 * * * *", start: "2011-12-30T08:30:00Z",
            ticks: ["2011-12-30T09:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T11:00:00Z"]),
    ]

    @Test(arguments: changes.indices) func changedClocksFollowTheRule(index: Int) throws {
        let change = Self.changes[index]
        let found = try Self.ticks(
            change.expression, after: change.start, zone: change.zone, count: change.ticks.count)
        #expect(found == change.ticks, "\(change.expression) in \(change.zone)")
    }

    // MARK: The last tick

    @Test(arguments: [
        ("*/15 * * * *", "2026-01-01T00:00:00Z", "2026-06-01T10:20:00Z", "2026-06-01T10:15:00Z"),
        ("*/15 * * * *", "2026-06-01T10:14:59Z", "2026-06-01T10:15:00Z", "2026-06-01T10:15:00Z"),
        ("*/15 * * * *", "2026-06-01T10:15:00Z", "2026-06-01T10:29:59Z", nil),
        ("0 0 1 1 *", "2020-06-01T00:00:00Z", "2026-06-01T10:20:00Z", "2026-01-01T00:00:00Z"),
        ("0 0 1 1 *", "2026-01-01T00:00:00Z", "2026-06-01T10:20:00Z", nil),
    ])
    func lastTickIsTheNewest(expression: String, first: String, end: String, tick: String?) throws {
        let found = try CronExpression(expression)
            .last(after: Self.date(first), notAfter: Self.date(end), in: .gmt)
        #expect(found?.ISO8601Format() == tick)
    }
}
