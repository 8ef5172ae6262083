// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Parses and writes the dates of header fields (RFC 9110, 5.6.7).
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

// MARK: - Strict reading and writing

// For caches, which must treat an invalid date as one in the past (RFC 9111, 5.3).
extension HTTPDate {
    /// Parses a date in exactly one of the three forms of RFC 9110, 5.6.7, ignoring the case of letters; nil for any
    /// other text. `date` accepts more.
    package static func strictDate(_ text: String, now: Date) -> Date? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let dayName = words.first else { return nil }
        if dayName.utf8.last != UInt8(ascii: ",") { return asctimeDate(words) }
        switch words.count {
        case 6: return date(words[1], words[2], words[3], words[4], zone: words[5])
        case 4:
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2].utf8.count == 2 else { return nil }
            return date(parts[0], parts[1], Substring(year(String(parts[2]), now: now)), words[2], zone: words[3])
        default: return nil
        }
    }

    /// Parses `Sun Nov  6 08:49:37 1994`, where a day of one digit has a space before it.
    private static func asctimeDate(_ words: [Substring]) -> Date? {
        switch words.count {
        case 5: return date(words[2], words[1], words[4], words[3], zone: "GMT")
        case 6 where words[2].isEmpty && words[3].utf8.count == 1:
            return date("0" + words[3], words[1], words[5], words[4], zone: "GMT")
        default: return nil
        }
    }

    private static func date(
        _ day: Substring, _ month: Substring, _ year: Substring, _ time: Substring, zone: Substring
    ) -> Date? {
        parse("Day, \(day) \(month.capitalized) \(year) \(time) \(zone.uppercased())")
    }

    /// Returns the current form of a date, `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(of date: Date) -> String {
        let seconds = Int64(clamping: date.timeIntervalSince1970)
        let (days, second) = seconds.floored(by: 86_400)
        let (year, month, day) = civil(days)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days.floored(by: 7).rest)]
        let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        let yearText = String(repeating: "0", count: max(0, 4 - String(year).count)) + String(year)
        return "\(weekday), \(twoDigits(day)) \(months[month - 1]) \(yearText) \(time) GMT"
    }

    private static func twoDigits(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }

    /// Returns the date of a day after 1 January 1970 in the Gregorian calendar. Years begin in March here, so that
    /// the leap day is the last.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).floored(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, Int(month), dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int64 {
    fileprivate init(clamping seconds: TimeInterval) {
        self.init(Swift.max(-62_135_596_800, Swift.min(seconds, 253_402_300_799)))  // the years 1 to 9999
    }

    /// Divides and rounds down.
    fileprivate func floored(by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = (self % divisor + divisor) % divisor
        return ((self - rest) / divisor, rest)
    }
}
