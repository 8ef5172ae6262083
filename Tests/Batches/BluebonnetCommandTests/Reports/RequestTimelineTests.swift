// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct RequestTimelineTests {
    @Test func requestsCountInTheirIntervals() {
        var timeline = RequestTimeline()
        for (seconds, isFailure) in [(0.0, false), (0.05, true), (0.25, false), (-1, false)] {
            timeline.record(at: seconds, isFailure: isFailure)
        }
        let intervals = [(3, 1), (0, 0), (1, 0)].map { RequestTimeline.Interval(count: $0.0, failureCount: $0.1) }
        #expect(timeline.intervals == intervals)
        #expect(timeline.length == 0.1)
        #expect(timeline.highestRate == 30)
    }

    /// 12 seconds fill 120 intervals of 0.1 s.
    @Test func intervalsBecomeLongerWithTheRun() {
        var timeline = RequestTimeline()
        for tenth in 0..<120 { timeline.record(at: Double(tenth) / 10 + 0.01, isFailure: tenth == 119) }
        #expect(timeline.length == 0.1 && timeline.intervals.count == 120)
        timeline.record(at: 12.1, isFailure: false)
        #expect(timeline.length == 0.2 && timeline.intervals.count == 61)
        #expect(timeline.intervals[..<60].allSatisfy { $0.count == 2 })
        #expect(timeline.intervals[59].failureCount == 1)
        #expect(timeline.intervals[60].count == 1)
    }

    @Test(arguments: [3_600.0, 1e6, 1e12, .infinity])
    func numberOfIntervalsIsLimited(_ seconds: Double) {
        var timeline = RequestTimeline()
        timeline.record(at: 0, isFailure: true)
        timeline.record(at: seconds, isFailure: false)
        #expect(timeline.intervals.count <= RequestTimeline.intervalLimit)
        #expect(timeline.intervals.map(\.count).reduce(0, +) == 2)
        #expect(timeline.intervals.map(\.failureCount).reduce(0, +) == 1)
    }

    @Test func chartHasABarForEachIntervalWithRequests() throws {
        var timeline = RequestTimeline()
        for _ in 0..<3 { timeline.record(at: 0, isFailure: false) }
        timeline.record(at: 0, isFailure: true)
        timeline.record(at: 0.35, isFailure: true)
        let text = TimelineChart(timeline: timeline).text
        // Four intervals on 1200 units, and 240 units for the four requests of the first one.
        #expect(text.contains(#"<rect class="failure" x="15" y="180" width="270" height="60"/>"#))
        #expect(text.contains(#"<rect class="success" x="15" y="0" width="270" height="180"/>"#))
        #expect(text.contains(#"<rect class="failure" x="915" y="180" width="270" height="60"/>"#))
        #expect(text.components(separatedBy: "<rect").count == 4)
        #expect(text.contains("from 0.0 s: 4 requests, 1 failed") && text.contains("from 0.3 s: 1 request, 1 failed"))
        #expect(text.contains("up to 40 req/s"))
    }
}
