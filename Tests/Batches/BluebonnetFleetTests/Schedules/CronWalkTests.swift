// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

@testable import BluebonnetFleet

/// The ticks of random expressions are those that a walk from minute to minute finds.
@Suite struct CronWalkTests {
    /// The zone and a day around which its clocks change, or none.
    private static let places: [(zone: String, day: String)] = [
        ("UTC", "2026-02-28"), ("Europe/Berlin", "2026-03-29"), ("Europe/Berlin", "2026-10-25"),
        ("America/New_York", "2026-03-08"), ("America/New_York", "2026-11-01"), ("America/Havana", "2026-03-08"),
        ("America/Havana", "2026-11-01"), ("Australia/Lord_Howe", "2026-04-05"), ("Australia/Lord_Howe", "2026-10-04"),
        ("Pacific/Apia", "2011-12-30"), ("Asia/Kathmandu", "2027-12-31"), ("America/Santiago", "2026-04-05"),
    ]

    /// A random expression, with the values that it was written from.
    private struct Sample {
        var text = ""
        private var values: [Set<Int>] = []
        private var isStar: [Bool] = []

        init(_ random: inout SeededGenerator) {
            add(0...59, anyIn: 6, &random)
            add(0...23, anyIn: 3, &random)
            // Restricted days would leave most walks without ticks.
            add(1...31, anyIn: 2, &random)
            add(1...12, anyIn: 1, &random)
            add(0...6, anyIn: 2, &random)
        }

        private mutating func add(_ range: ClosedRange<Int>, anyIn odds: Int, _ random: inout SeededGenerator) {
            let isAny = Int.random(in: 0..<odds, using: &random) == 0
            var (items, found): ([String], Set<Int>) = ([], [])
            for _ in 0..<(isAny ? 1 : Int.random(in: 1...3, using: &random)) {
                let step = Int.random(in: 1...range.count, using: &random)
                let first = Int.random(in: range, using: &random)
                let last = Int.random(in: first...range.upperBound, using: &random)
                switch isAny ? 0 : Int.random(in: 1...4, using: &random) {
                case 0:
                    items.append("*")
                    found.formUnion(range)
                case 1:
                    items.append("\(first)")
                    found.insert(first)
                case 2:
                    items.append("\(first)-\(last)")
                    found.formUnion(first...last)
                case 3:
                    items.append("*/\(step)")
                    found.formUnion(range.filter { ($0 - range.lowerBound) % step == 0 })
                default:
                    items.append("\(first)-\(last)/\(step)")
                    found.formUnion((first...last).filter { ($0 - first) % step == 0 })
                }
            }
            text += (text.isEmpty ? "" : " ") + items.joined(separator: ",")
            values.append(found)
            isStar.append(items[0].hasPrefix("*"))
        }

        var hasAllHours: Bool { values[1].count == 24 }

        /// Whether a local time is permitted.
        func permits(_ time: Moment.Local) -> Bool {
            guard values[0].contains(time.minute), values[1].contains(time.hour), values[3].contains(time.month)
            else { return false }
            let (day, weekday) = (values[2].contains(time.day), values[4].contains(time.weekday))
            return isStar[2] || isStar[4] ? day && weekday : day || weekday
        }

        func isTick(_ moment: Moment) -> Bool {
            if hasAllHours { return permits(moment.local) }
            return moment.isFirst && permits(moment.local) || moment.skipped.contains(where: permits)
        }
    }

    /// A minute of the walk.
    private struct Moment {
        struct Local {
            let minute: Int
            let hour: Int
            let day: Int
            let month: Int
            let weekday: Int

            /// - Parameter seconds: the seconds since 1970 that the clock shows.
            init(_ seconds: Int) {
                var (seconds, parts) = (time_t(seconds), tm())
                gmtime_r(&seconds, &parts)
                (minute, hour, weekday) = (Int(parts.tm_min), Int(parts.tm_hour), Int(parts.tm_wday))
                (day, month) = (Int(parts.tm_mday), Int(parts.tm_mon) + 1)
            }
        }

        let instant: Int
        let local: Local
        /// Whether the clock shows the time for the first time.
        let isFirst: Bool
        /// The times that the clock skipped just before.
        let skipped: [Local]

        /// Returns the minutes of four days around the beginning of a day.
        static func around(_ start: Int, in zone: TimeZone) -> [Moment] {
            var (moments, seen, before): ([Moment], Set<Int>, Int?) = ([], [], nil)
            // The day before the walk is needed to know repeated times.
            for instant in stride(from: start - 3 * 86_400, to: start + 2 * 86_400, by: 60) {
                let local = instant + zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
                let isFirst = seen.insert(local).inserted
                let skipped = before.map { Array(stride(from: min($0 + 60, local), to: local, by: 60)) } ?? []
                before = local
                guard instant >= start - 2 * 86_400 else { continue }
                moments.append(
                    Moment(
                        instant: instant, local: Local(local), isFirst: isFirst, skipped: skipped.map(Local.init)))
            }
            return moments
        }
    }

    @Test(arguments: places.indices, [1, 2] as [UInt64])
    func ticksAreThoseOfTheWalk(index: Int, seed: UInt64) throws {
        let place = Self.places[index]
        let zone = try #require(TimeZone(identifier: place.zone))
        let start = Int(try Date("\(place.day)T00:00:00Z", strategy: .iso8601).timeIntervalSince1970)
        let moments = Moment.around(start, in: zone)
        let hasChange = moments.contains { !$0.isFirst || !$0.skipped.isEmpty }
        #expect(hasChange != ["UTC", "Asia/Kathmandu"].contains(place.zone))
        var random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(index))
        var (count, sampleCount) = (0, 0)
        while sampleCount < 8 {
            let sample = Sample(&random)
            guard let expression = try? CronExpression(sample.text) else { continue }  // no month has the day
            sampleCount += 1
            let first = Date(timeIntervalSince1970: Double(start - 2 * 86_400))
            let ticks = expression.ticks(after: first - 1, in: zone).prefix { $0 < first + 4 * 86_400 }
            let found = ticks.map { Int($0.timeIntervalSince1970) }
            let expected = moments.filter(sample.isTick).map(\.instant)
            #expect(found == expected, "\(sample.text) in \(place.zone), seed \(seed)")
            count += expected.count
        }
        #expect(count > 10, "the walks had only \(count) ticks")
    }
}
