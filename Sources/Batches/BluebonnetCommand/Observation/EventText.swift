// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Formats instants and durations in files of events.
enum EventText {
    /// Returns a date in UTC (RFC 3339): `2026-11-28T09:00:00.123456Z`.
    static func date(_ date: Date) -> String {
        let microseconds = Int64((date.timeIntervalSince1970 * 1_000_000).rounded(.down))
        let (days, rest) = microseconds.quotientAndRemainder(roundingDownBy: 86_400_000_000)
        let (year, month, day) = civil(days)
        let (seconds, fraction) = (rest / 1_000_000, rest % 1_000_000)
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock).\(padded(fraction, 6))Z"
    }

    /// Returns a number of nanoseconds in microseconds: `12.345`.
    static func microseconds(_ nanoseconds: UInt64) -> String {
        "\(nanoseconds / 1000).\(padded(Int64(nanoseconds % 1000), 3))"
    }

    /// Returns a duration for people: `31 µs`, `0.4 ms`, `120 ms`, `1.25 s`, `2:05`.
    static func duration(_ seconds: Double) -> String {
        switch seconds {
        case 59.95...: Quantity.duration(seconds)
        case 0.9995...: String(format: "%.2f s", seconds)
        case 0.0995...: String(format: "%.0f ms", seconds * 1000)
        case 0.000_0995...: String(format: "%.1f ms", seconds * 1000)
        default: String(format: "%.0f µs", seconds * 1_000_000)
        }
    }

    /// Returns year, month and day of a number of days since 1970, in the Gregorian calendar.
    private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
        // The year begins in March here, so that the leap day is its last day. An era has 400 years.
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(roundingDownBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civilMonth = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, dayOfYear - (153 * month + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    fileprivate func quotientAndRemainder(roundingDownBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double { self / .seconds(1) }
}

extension JSONText {
    /// Writes a member that is a text; nothing for nil.
    mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        key(name)
        string(text)
    }

    /// Writes a member that is a whole number; nothing for nil.
    mutating func member(_ name: StaticString, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        key(name)
        token(String(number))
    }

    mutating func member(_ name: StaticString, _ flag: Bool) {
        key(name)
        token(flag ? "true" : "false")
    }

    /// Writes a member that is a time in seconds; nothing for nil.
    mutating func member(_ name: StaticString, seconds duration: Duration?) {
        guard let duration else { return }
        key(name)
        seconds(duration.inSeconds)
    }

    /// Writes a member that is an array of objects with `name` and `value`.
    mutating func member(_ name: StaticString, pairs: [(name: String, value: String)]) {
        key(name)
        array { text in
            for pair in pairs {
                text.object { text in
                    text.member("name", pair.name)
                    text.member("value", pair.value)
                }
            }
        }
    }
}
