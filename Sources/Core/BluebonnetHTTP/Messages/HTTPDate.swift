// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Parses the dates of header fields (RFC 9110, 5.6.7).
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses the current form, `Sun, 06 Nov 1994 08:49:37 GMT`; nil for any other text, including the two obsolete
    /// forms.
    package static func parse(_ text: String) -> Date? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, isDayName(words[0]), words[5] == "GMT",
            let day = number(words[1], digits: 2), let month = months.firstIndex(of: String(words[2])),
            let year = number(words[3], digits: 4), let seconds = seconds(ofDay: words[4])
        else { return nil }
        return date(year: year, month: month + 1, day: day).map { $0.addingTimeInterval(TimeInterval(seconds)) }
    }

    /// Returns whether a word is three letters and a comma. The day of the week need not match the date.
    private static func isDayName(_ word: Substring) -> Bool {
        word.utf8.count == 4 && word.utf8.last == UInt8(ascii: ",")
            && word.utf8.dropLast().allSatisfy { (0x61...0x7A).contains(FieldSyntax.lowercase($0)) }
    }

    /// Parses a date in the current form or in one of the two obsolete forms, `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov 6 08:49:37 1994`, which recipients must accept (RFC 9110, 5.6.7). A year of two digits is at most 50
    /// years ahead.
    package static func date(_ text: String, now: Date = Date()) -> Date? {
        let words = text.split { " ,-".contains($0) }.map(String.init)
        switch words.count {
        case 6: return parse("Day, \(words[1]) \(words[2]) \(year(words[3], now: now)) \(words[4]) \(words[5])")
        case 5:
            let day = words[2].utf8.count == 1 ? "0" + words[2] : words[2]
            return parse("Day, \(day) \(words[1]) \(words[4]) \(words[3]) GMT")
        default: return nil
        }
    }

    private static func year(_ text: String, now: Date) -> String {
        guard text.utf8.count == 2, let year = Int(text) else { return text }
        let thisYear = 1970 + Int(now.timeIntervalSince1970 / 31_556_952)
        let candidate = thisYear / 100 * 100 + year
        return String(candidate > thisYear + 50 ? candidate - 100 : candidate)
    }

    private static func seconds(ofDay text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).compactMap { number($0, digits: 2) }
        guard parts.count == 3, text.utf8.count == 8, parts[0] < 24, parts[1] < 60, parts[2] <= 60 else { return nil }
        return parts[0] * 3600 + parts[1] * 60 + parts[2]
    }

    /// Returns midnight of a day, from the days since 1970 in the Gregorian calendar.
    private static func date(year: Int, month: Int, day: Int) -> Date? {
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year >= 1900, day >= 1, day <= lengths[month - 1] else { return nil }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400 - 477  // 477 until the end of 1969
        let days = (year - 1970) * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1
        return Date(timeIntervalSince1970: TimeInterval(days) * 86_400)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        text.utf8.count == digits && FieldSyntax.isNumber(text.utf8) ? Int(text) : nil
    }
}
