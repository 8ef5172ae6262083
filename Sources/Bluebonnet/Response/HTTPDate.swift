// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Reads the dates of header fields (RFC 9110, 5.6.7), in the form that is sent today.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`; nil for anything else, the two obsolete forms included.
    static func parse(_ text: String) -> Date? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].utf8.count == 4, words[0].hasSuffix(","), words[5] == "GMT",
            let day = number(words[1], digits: 2), let month = months.firstIndex(of: String(words[2])),
            let year = number(words[3], digits: 4), let seconds = seconds(ofDay: words[4])
        else { return nil }
        return date(year: year, month: month + 1, day: day).map { $0.addingTimeInterval(TimeInterval(seconds)) }
    }

    private static func seconds(ofDay text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).compactMap { number($0, digits: 2) }
        guard parts.count == 3, text.utf8.count == 8, parts[0] < 24, parts[1] < 60, parts[2] <= 60 else { return nil }
        return parts[0] * 3600 + parts[1] * 60 + parts[2]
    }

    /// Midnight, by the days since 1970 of the Gregorian calendar.
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
