// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite struct RetryCourseTests {
    private let now = Observed<UInt64>(1_000)
    private let origin: Origin
    private let course: RetryCourse

    init() throws {
        let now = now
        let clock = TimeSource(
            now: { now.value }, date: { Date(timeIntervalSince1970: Double(now.value) / 1e9) }, random: { 1 })
        course = RetryCourse(.standard, clock: clock)
        origin = try #require(Origin(plain: "http://a/"))
    }

    private func pass(_ nanoseconds: UInt64) { now.update { $0 += nanoseconds } }

    @Test func timeBeforeTheFirstAttemptIsNotCountedPausedOrNot() {
        course.pause()
        pass(3_600_000_000_000)
        course.resume()
        pass(5)
        _ = course.noteTransfer(to: origin)
        #expect(course.elapsed == 0)
        pass(10)
        course.pause()
        pass(100)
        #expect(course.elapsed == 10)
        course.resume()
        #expect(course.elapsed == 10)
    }

    @Test func waitIsMeasuredWithoutPausesForTheLimitAndWithThemForTheRecord() {
        _ = course.noteTransfer(to: origin)
        pass(7)
        let end = FailedAttempt.End.error(.connectionLost, nil)
        #expect(course.beginWait(50, .backoff, after: end) == 1_057)
        pass(20)
        course.pause()
        pass(1_000)
        course.resume()
        pass(5)
        #expect(course.endWait() == 25)
        #expect(course.retries.isEmpty && course.number == 1)
        _ = course.noteTransfer(to: origin)
        #expect(course.number == 2)
        #expect(course.retries.map(\.wait) == [.nanoseconds(1_025)])
        #expect(course.retries.map(\.duration) == [.nanoseconds(7)])
    }

    @Test func eachOriginOfTheFirstAttemptIsToldOnceInARow() throws {
        let other = try #require(Origin(plain: "http://b/"))
        #expect([origin, origin, other, other].map(course.noteTransfer) == [true, false, true, false])
        _ = course.beginWait(0, .backoff, after: .error(.connectionLost, nil))
        #expect([origin, other].map(course.noteTransfer) == [false, false])
    }
}
