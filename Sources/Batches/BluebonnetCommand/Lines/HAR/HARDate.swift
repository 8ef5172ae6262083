// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Reads the times of a HAR file: `2024-05-06T07:08:09.123Z`, with a fraction of any length or none, and `Z` or an
/// offset (ISO 8601).
enum HARDate {
    /// Returns a time in seconds and fractions since 1970; nil for other text.
    static func seconds(_ text: String) -> Double? {
        let pattern = /(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:?\d\d)/
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        let parts = match.output
        let numbers = [parts.1, parts.2, parts.3, parts.4, parts.5, parts.6].compactMap { Int($0) }
        guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]) else { return nil }
        guard numbers[3] <= 24, numbers[4] < 60, numbers[5] <= 60 else { return nil }
        let days = days(numbers[0], numbers[1], numbers[2])
        let whole = ((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
        let fraction = parts.7.flatMap { Double("0" + $0) } ?? 0
        return Double(whole - offset(parts.8)) + fraction
    }

    /// Returns the offset of a time zone in seconds.
    private static func offset(_ text: Substring) -> Int {
        let digits = text.filter(\.isNumber)
        guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)) else { return 0 }
        return (text.hasPrefix("-") ? -60 : 60) * (hours * 60 + minutes)
    }

    /// Returns the days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March here, so that a leap
    /// day is the last day of its year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
