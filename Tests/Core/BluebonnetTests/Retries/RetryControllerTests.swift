// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite struct RetryControllerTests {
    private let now = Observed<UInt64>(1_000)
    private let origin: Origin
    private let controller: RetryController

    init() throws {
        let now = now
        let clock = TimeSource(
            now: { now.value }, date: { Date(timeIntervalSince1970: Double(now.value) / 1e9) }, random: { 1 })
        controller = RetryController(.standard, RetryWaits(NetworkTimers(movedBy: clock)))
        origin = try #require(Origin(plain: "http://a/"))
    }

    private func pass(_ nanoseconds: UInt64) { now.update { $0 += nanoseconds } }

    @Test func timeBeforeFirstAttemptIsNotCounted() {
        controller.pause()
        pass(3_600_000_000_000)
        controller.resume()
        pass(5)
        controller.recordTransfer(to: origin)
        #expect(controller.elapsed == 0)
        pass(10)
        controller.pause()
        pass(100)
        #expect(controller.elapsed == 10)
        controller.resume()
        #expect(controller.elapsed == 10)
    }

    @Test func pausesCountForRecordedWaitButNotForLimit() {
        controller.recordTransfer(to: origin)
        pass(7)
        let end = FailedAttempt.End.error(.connectionLost, nil)
        #expect(controller.beginWait(50, .backoff, after: end) == 1_057)
        pass(20)
        controller.pause()
        pass(1_000)
        controller.resume()
        pass(5)
        #expect(controller.endWait() == 25)
        #expect(controller.retries.isEmpty && controller.number == 1)
        controller.recordTransfer(to: origin)
        #expect(controller.number == 2)
        #expect(controller.retries.map(\.wait) == [.nanoseconds(1_025)])
        #expect(controller.retries.map(\.duration) == [.nanoseconds(7)])
    }

    @Test func firstAttemptAddsToBudgetOncePerOrigin() throws {
        let other = try #require(Origin(plain: "http://b/"))
        #expect([origin, origin, other, other].map(controller.recordTransfer) == [true, false, true, false])
        _ = controller.beginWait(0, .backoff, after: .error(.connectionLost, nil))
        #expect([origin, other].map(controller.recordTransfer) == [false, false])
    }
}
