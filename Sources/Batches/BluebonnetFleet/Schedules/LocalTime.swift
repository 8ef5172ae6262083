// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A day of the Gregorian calendar.
struct CivilDay {
    let month: Int
    let day: Int
    /// The day of the week; Sunday is 0.
    let weekday: Int

    /// - Parameter number: the number of days since 1970-01-01.
    init(_ number: Int) {
        // Counted from 0000-03-01, a year ends with its leap day, and 400 years have 146,097 days.
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let index = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * index + 2) / 5 + 1
        month = index < 10 ? index + 3 : index - 9
        let rest = (number + 4) % 7  // 1970-01-01 was a Thursday
        weekday = rest >= 0 ? rest : rest + 7
    }

    /// Returns the number of days of a month in a leap year.
    static func longestMonth(_ month: Int) -> Int {
        switch month {
        case 2: 29
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Converts between instants, in seconds since 1970, and the local time of a zone.
struct LocalTime {
    private static let secondsPerDay = 86_400

    private let zone: TimeZone

    init(_ zone: TimeZone) { self.zone = zone }

    /// Returns the number of the local day at an instant: days since 1970-01-01.
    func day(at instant: Int) -> Int {
        let local = instant + offset(at: instant)
        return (local >= 0 ? local : local - (Self.secondsPerDay - 1)) / Self.secondsPerDay
    }

    /// The seconds that local time is ahead of UTC at an instant.
    fileprivate func offset(at instant: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
    }

    /// One day of a zone.
    struct Day {
        private let time: LocalTime
        private let start: Int
        /// The offsets of the day, and of the days around it.
        private let offsets: [Int]

        /// - Parameter number: the number of the day since 1970-01-01.
        init(_ number: Int, in zone: TimeZone) {
            time = LocalTime(zone)
            start = number * LocalTime.secondsPerDay
            // Local time is at most 14 hours away from UTC. No zone changes its clocks twice in three days.
            let halfDay = LocalTime.secondsPerDay / 2
            offsets = Set([-2, 1, 4].map { [time, start] in time.offset(at: start + $0 * halfDay) }).sorted()
        }

        /// Whether clocks change on the day, or close to it.
        var hasChange: Bool { offsets.count > 1 }

        /// Returns the range of the instants at which a schedule can have the tick of a local time.
        func possibleInstants(of seconds: Int) -> ClosedRange<Int> {
            start + seconds - (offsets.last ?? 0)...start + seconds - (offsets.first ?? 0)
        }

        /// Returns the instants at which a schedule has the tick of a local time.
        ///
        /// - Parameters:
        ///   - seconds: the seconds since the beginning of the day, as a clock shows them.
        ///   - followsElapsedTime: whether a skipped time has no tick and a repeated time has two.
        func instants(of seconds: Int, followsElapsedTime: Bool) -> [Int] {
            let local = start + seconds
            guard hasChange else { return offsets.map { local - $0 } }
            let found = offsets.map { (instant: local - $0, offset: $0) }
                .filter { time.offset(at: $0.instant) == $0.offset }.map(\.instant).sorted()
            if followsElapsedTime { return found }
            return [found.first ?? endOfGap(around: local)]
        }

        /// Returns the first instant after skipped local times.
        private func endOfGap(around local: Int) -> Int {
            guard let least = offsets.first, let most = offsets.last else { return local }
            var (before, after) = (local - most, local - least)
            let offset = time.offset(at: before)
            while after - before > 1 {
                let middle = before + (after - before) / 2
                if time.offset(at: middle) == offset { before = middle } else { after = middle }
            }
            return after
        }
    }
}
