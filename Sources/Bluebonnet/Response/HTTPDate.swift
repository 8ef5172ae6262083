// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// An instant in the three forms of RFC 9110 (5.6.7).
enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`; nil for
    /// anything else.
    static func date(_ text: String, now: Date = Date()) -> Date? {
        let words = text.split { " ,-".contains($0) }.map { $0.lowercased() }
        switch words.count {
        case 6 where words[5] == "gmt" || words[5] == "utc":
            return date(day: words[1], month: words[2], year: words[3], time: words[4], now: now)
        case 5: return date(day: words[2], month: words[1], year: words[4], time: words[3], now: now)
        default: return nil
        }
    }

    private static func date(day: String, month: String, year: String, time: String, now: Date) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0), 2) }
        guard let day = number(day, 2), (1...31).contains(day), let month = months.firstIndex(of: month),
            let year = self.year(year, now: now), clock.count == 3, let hour = clock[0], let minute = clock[1],
            let second = clock[2], hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = days(year: year, month: month + 1, day: day)
        return Date(timeIntervalSince1970: TimeInterval(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    private static func number(_ text: String, _ mostDigits: Int) -> Int? {
        text.utf8.count <= mostDigits && FieldSyntax.isNumber(text.utf8) ? Int(text) : nil
    }

    /// Two digits mean the century that is not more than 50 years ahead.
    private static func year(_ text: String, now: Date) -> Int? {
        guard let year = number(text, 4) else { return nil }
        guard text.utf8.count == 2 else { return text.utf8.count == 4 ? year : nil }
        let thisYear = 1970 + Int(now.timeIntervalSince1970 / 31_556_952)
        let candidate = thisYear / 100 * 100 + year
        return candidate > thisYear + 50 ? candidate - 100 : candidate
    }

    /// Days since 1970 in the Gregorian calendar, whose cycle of 400 years has 146,097 of them.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year  // years that begin in March: the leap day is their last one
        let cycle = shifted / 400
        let yearOfCycle = shifted - cycle * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
    }
}
