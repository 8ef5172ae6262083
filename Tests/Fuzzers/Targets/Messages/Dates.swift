// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// A date in one of the three forms that recipients accept (RFC 9110, 5.6.7).
    static let dates = FuzzTarget("dates") { input in
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let text = input.remainder
        let read = HTTPDate.date(text, now: now)
        if let strict = HTTPDate.parse(text) { try holdSame(read, strict, "both readers agree on \(text)") }
        guard let date = read else { return }
        let seconds = date.timeIntervalSince1970
        try holdSame(seconds, seconds.rounded(), "a date has whole seconds")
        try hold((-2_208_988_800..<253_402_300_802).contains(seconds), "\(date) is of the years from 1900 to 9999")
        // A leap second at the end of 9999 would need a five-digit year.
        guard seconds < 253_402_300_800 else { return }
        try holdSame(HTTPDate.parse(imfFixdate(Int(seconds))), date, "the date of \(text) is read again as written")
    }

    /// Formats a date as in `Sun, 06 Nov 1994 08:49:37 GMT`, with Howard Hinnant's algorithm for Gregorian days.
    private static func imfFixdate(_ seconds: Int) -> String {
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let time = seconds - day * 86_400
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        let names = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"]
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let clock = [time / 3600, time / 60 % 60, time % 60].map { padded($0, 2) }.joined(separator: ":")
        let weekday = weekdays[((day % 7) + 7) % 7]
        return "\(weekday), \(padded(dayOfMonth, 2)) \(names[month]) \(padded(year, 4)) \(clock) GMT"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
