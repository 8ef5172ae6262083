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
            // Ticks of rare minutes would leave most walks without any.
            add(0...59, odds: 3, &random)
            add(0...23, odds: 2, &random)
            add(1...31, odds: 1, &random)
            add(1...12, odds: 1, &random)
            add(0...6, odds: 1, &random)
        }

        private mutating func add(_ range: ClosedRange<Int>, odds: Int, _ random: inout SeededGenerator) {
            let isAny = Int.random(in: 0...odds, using: &random) == 0 || (range.upperBound < 32 && Bool.random(using: &random))
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

        /// Whether a local time, as seconds since 1970 on its clock, is permitted.
        func permits(_ local: Int) -> Bool {
            var (seconds, parts) = (time_t(local), tm())
            gmtime_r(&seconds, &parts)
            guard values[0].contains(Int(parts.tm_min)), values[1].contains(Int(parts.tm_hour)),
                values[3].contains(Int(parts.tm_mon) + 1)
            else { return false }
            let day = values[2].contains(Int(parts.tm_mday))
            let weekday = values[4].contains(Int(parts.tm_wday))
            return isStar[2] || isStar[4] ? day && weekday : day || weekday
        }
    }

    /// Returns the ticks of some days, minute by minute.
    private static func walk(_ sample: Sample, _ minutes: Range<Int>, _ offsets: [Int: Int]) -> [Int] {
        var (ticks, seen): ([Int], Set<Int>) = ([], [])
        for minute in (minutes.lowerBound - 2_880)..<minutes.upperBound {
            let (offset, before) = (offsets[minute] ?? 0, offsets[minute - 1] ?? 0)
            let local = minute * 60 + offset
            let isFirst = seen.insert(local).inserted
            guard minutes.contains(minute) else { continue }
            let skipped = stride(from: local - max(0, offset - before), to: local, by: 60)
            let isTick =
                sample.hasAllHours
                ? sample.permits(local)
                : (isFirst && sample.permits(local)) || skipped.contains { sample.permits($0) }
            if isTick { ticks.append(minute * 60) }
        }
        return ticks
    }

    @Test(arguments: places.indices, [1, 2, 3] as [UInt64])
    func ticksAreThoseOfTheWalk(index: Int, seed: UInt64) throws {
        let place = Self.places[index]
        let zone = try #require(TimeZone(identifier: place.zone))
        let day = Int(try Date("\(place.day)T00:00:00Z", strategy: .iso8601).timeIntervalSince1970) / 60
        // Two days and a half before the day until two days after it.
        let minutes = (day - 3_600)..<(day + 2 * 1_440)
        var offsets: [Int: Int] = [:]
        for minute in (minutes.lowerBound - 2_881)..<minutes.upperBound {
            offsets[minute] = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(minute * 60)))
        }
        var random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(index))
        var (count, sampleCount) = (0, 0)
        while sampleCount < 40 {
            let sample = Sample(&random)
            guard let expression = try? CronExpression(sample.text) else { continue }  // no month has the day
            sampleCount += 1
            var (found, date): ([Int], Date) = ([], Date(timeIntervalSince1970: Double(minutes.lowerBound * 60) - 1))
            while let next = expression.next(after: date, in: zone),
                next.timeIntervalSince1970 < Double(minutes.upperBound * 60)
            {
                found.append(Int(next.timeIntervalSince1970))
                date = next
            }
            let expected = Self.walk(sample, minutes, offsets)
            #expect(found == expected, "\(sample.text) in \(place.zone), seed \(seed)")
            count += expected.count
        }
        #expect(count > 100, "the walks had only \(count) ticks")
    }
}
