// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The governor of an origin and a simulated server whose limit the governor does not know.
@Suite(.timeLimit(.minutes(1))) struct LearnedRateTests {
    struct Row: Sendable {
        let name: String
        let limiter: SimulatedLimiter
        let count: Int
        var parallel = 6
        /// In milliseconds.
        var latency = 0.3
        /// The least share of the server's rate that must be used, and the largest share of refusals after the first
        /// second.
        var rateShare = 0.97
        var refusalShare = 0.01
    }

    static let rows = [
        Row(name: "burst of 20", limiter: .init(perSecond: 200, burst: 20), count: 5000),
        Row(name: "many in flight", limiter: .init(perSecond: 200, burst: 20), count: 5000, parallel: 64),
        Row(name: "burst of 5", limiter: .init(perSecond: 200, burst: 5), count: 5000),
        Row(name: "no burst", limiter: .init(perSecond: 200, burst: 0), count: 5000, rateShare: 0.85),
        Row(
            name: "far away", limiter: .init(perSecond: 200, burst: 20), count: 5000, parallel: 64, latency: 100,
            rateShare: 0.95, refusalShare: 0.02),
        Row(
            name: "slow", limiter: .init(perSecond: 2, burst: 1), count: 400, latency: 10, rateShare: 0.9,
            refusalShare: 0.03),
        // Most transfers are refused together. Transfers in flight at a refusal say nothing about the rate that
        // follows.
        Row(
            name: "many under way at a refusal", limiter: .init(perSecond: 10, burst: 5), count: 3000, parallel: 64,
            latency: 100),
        Row(name: "fast", limiter: .init(perSecond: 5000, burst: 50), count: 20_000, parallel: 64, rateShare: 0.9),
    ]

    @Test(arguments: rows.indices, [1, 2] as [UInt64]) func serverRateIsLearned(index: Int, seed: UInt64) {
        let row = Self.rows[index]
        var run = SimulatedRun(row.limiter, parallel: row.parallel, latency: row.latency, seed: seed)
        run.send(row.count)
        #expect(run.acceptedCount == row.count)
        #expect(run.rateShare >= row.rateShare, "\(row.name): \(run)")
        #expect(run.lateRefusalShare <= row.refusalShare, "\(row.name): \(run)")
    }

    @Test func raisedLimitIsLearned() {
        var run = SimulatedRun(.init(perSecond: 100, burst: 10), parallel: 6, latency: 0.3, seed: 3)
        run.send(1000)
        run.limiter.perSecond = 400
        let (count, began) = (run.acceptedCount, run.now)
        run.send(8000)
        let rate = Double(run.acceptedCount - count) / (Double(run.now - began) / 1e9)
        #expect(rate > 250, "\(run)")
    }

    @Test func loweredLimitIsLearnedWithFewRefusals() {
        var run = SimulatedRun(.init(perSecond: 400, burst: 10), parallel: 6, latency: 0.3, seed: 4)
        run.send(4000)
        run.limiter.perSecond = 100
        let count = run.refusalCount
        run.send(2000)
        #expect(run.refusalCount - count < 60, "\(run)")
    }

    @Test(arguments: [0.05, 0.5], [1, 2, 3] as [UInt64]) func randomRefusalsKeepTheRate(share: Double, seed: UInt64) {
        var run = SimulatedRun(.refusing(share: share), parallel: 6, latency: 10, seed: seed)
        run.send(10_000)
        // One transfer at a time would reach about 86 a second.
        #expect(run.acceptedPerSecond > 86 * (1 - share) / 2, "\(run)")
    }

    @Test func alternatingOverloadRefusalsKeepTheRate() {
        var run = SimulatedRun(.alternating(status: 503), parallel: 6, latency: 10, seed: 1)
        run.send(5000)
        #expect(run.acceptedPerSecond > 86 / 4, "\(run)")
    }

    @Test func idleTimeIsNotMeasuredAsSlowRate() {
        var rate = LearnedRate(refusedAt: 1_000_000_000)
        // Twenty transfers are accepted at once. The next refusal comes after ten idle seconds.
        for step in 1...20 as ClosedRange<UInt64> {
            rate.recordBegin(now: 1_000_000_000 + step * 1_000_000)
            rate.recordAccepted(now: 1_000_000_000 + step * 1_000_000)
        }
        rate.recordBegin(now: 11_000_000_000)
        rate.recordRefusal(now: 11_001_000_000, floor: 1)
        #expect(rate.perSecond == nil)
        for step in 1...20 as ClosedRange<UInt64> { rate.recordAccepted(now: 11_001_000_000 + step * 5_000_000) }
        rate.recordRefusal(now: 11_101_000_000, floor: 1)
        #expect(rate.perSecond.map { (200...210).contains($0) } == true)
    }

    @Test func rateIsForgottenWithoutRefusals() {
        var rate = LearnedRate(refusedAt: 1_000_000_000)
        rate.recordRefusal(now: 2_000_000_000, floor: 1)
        #expect(!rate.isForgotten(now: 300_000_000_000))
        #expect(rate.isForgotten(now: 303_000_000_000))
    }

    @Test func retryAfterSlowsTheLearnedRate() {
        let limiter = SimulatedLimiter(perSecond: 10, burst: 5, backOff: 1_000_000_000)
        var run = SimulatedRun(limiter, parallel: 6, latency: 10, seed: 5)
        run.send(1000)
        #expect(run.acceptedCount == 1000)
        #expect(run.rateShare > 0.6 && run.lateRefusalShare < 0.02, "\(run)")
    }
}

/// A server that accepts a rate, and a burst after a time without requests. Refused requests do not count.
struct SimulatedLimiter: Sendable {
    var perSecond: Double
    let burst: Double
    /// The time in `Retry-After`, in nanoseconds; nil without the field.
    var backOff: UInt64?
    /// The share of requests that is refused at any rate.
    private(set) var refusedShare = 0.0
    private(set) var status = 429
    private var refusesEverySecond = false
    private var count = 0
    private var excess = 0.0
    private var last: UInt64 = 0

    init(perSecond: Double, burst: Double, backOff: UInt64? = nil) {
        (self.perSecond, self.burst, self.backOff) = (perSecond, burst, backOff)
    }

    /// A server that refuses at random.
    static func refusing(share: Double) -> SimulatedLimiter {
        var limiter = SimulatedLimiter(perSecond: 1e9, burst: 1e9)
        limiter.refusedShare = share
        return limiter
    }

    /// A server that refuses every second request.
    static func alternating(status: Int) -> SimulatedLimiter {
        var limiter = SimulatedLimiter(perSecond: 1e9, burst: 1e9)
        (limiter.refusesEverySecond, limiter.status) = (true, status)
        return limiter
    }

    /// Uses a clock in milliseconds, like nginx.
    ///
    /// - Parameter chance: from 0 to 1.
    mutating func accepts(now: UInt64, chance: Double) -> Bool {
        count += 1
        if chance < refusedShare || (refusesEverySecond && count % 2 == 0) { return false }
        let now = now / 1_000_000
        let next = last == 0 ? 0 : max(0, excess - perSecond * Double(now - last) / 1000 + 1)
        guard next <= burst else { return false }
        (excess, last) = (next, now)
        return true
    }
}

/// A client that always has requests to send, and repeats refused requests.
struct SimulatedRun: CustomStringConvertible {
    private enum Kind {
        case arrival
        case answer(isAccepted: Bool)
        case retry, wake
    }

    private struct Event: Comparable {
        let instant: UInt64
        let order: Int
        let number: UInt64
        let kind: Kind

        static func < (left: Event, right: Event) -> Bool {
            (left.instant, left.order) < (right.instant, right.order)
        }
        static func == (left: Event, right: Event) -> Bool { left.order == right.order }
    }

    private static let start: UInt64 = 1_000_000_000

    var limiter: SimulatedLimiter
    private(set) var now = SimulatedRun.start
    private(set) var acceptedCount = 0
    private(set) var refusalCount = 0
    private var lateRefusalCount = 0
    private var lateAnswerCount = 0
    private var state: OriginState
    private let latency: UInt64
    private var random: SeededGenerator
    private var events = Heap<Event>()
    private var order = 0
    private var toSend = 0
    private var wakesAt: UInt64?

    init(_ limiter: SimulatedLimiter, parallel: Int, latency: Double, seed: UInt64) {
        var limits = OriginLimits()
        limits.maximumConcurrentTransferCount = parallel
        (self.limiter, self.latency) = (limiter, UInt64(latency * 1e6))
        state = OriginState(limits)
        random = SeededGenerator(seed: seed)
    }

    var rateShare: Double { Double(acceptedCount) / (Double(now - Self.start) / 1e9) / limiter.perSecond }
    var acceptedPerSecond: Double { Double(acceptedCount) / (Double(now - Self.start) / 1e9) }
    var lateRefusalShare: Double { Double(lateRefusalCount) / Double(max(1, lateAnswerCount)) }

    var description: String {
        "\(rateShare) of the rate in \(Double(now - Self.start) / 1e9) s, \(refusalCount) refused, "
            + "\(lateRefusalShare) after the first second, learned \(state.learned?.perSecond ?? 0)"
    }

    /// Sends requests until all of them are accepted.
    mutating func send(_ count: Int) {
        toSend += count
        let goal = acceptedCount + count
        serve()
        while acceptedCount < goal, let event = events.popFirst() {
            now = event.instant
            handle(event)
            serve()
        }
    }

    private mutating func handle(_ event: Event) {
        switch event.kind {
        case .arrival:
            let chance = limiter.refusedShare > 0 ? Double.random(in: 0..<1, using: &random) : 1
            let isAccepted = limiter.accepts(now: now, chance: chance)
            add(.answer(isAccepted: isAccepted), number: event.number, after: latency / 2)
        case .answer(let isAccepted):
            let now = now
            let isLate = now > Self.start + 1_000_000_000
            lateAnswerCount += isLate ? 1 : 0
            state.record(
                TransferOutcome(
                    kind: .response(status: isAccepted ? 200 : limiter.status),
                    backOff: isAccepted ? nil : limiter.backOff),
                of: event.number, now)
            state.recordEnd(of: event.number)
            if isAccepted {
                acceptedCount += 1
                return
            }
            refusalCount += 1
            lateRefusalCount += isLate ? 1 : 0
            add(.retry, after: limiter.backOff ?? UInt64.random(in: 0...500_000_000, using: &random))
        case .retry: toSend += 1
        case .wake: wakesAt = nil
        }
    }

    private mutating func serve() {
        let now = now
        while toSend > 0 {
            switch state.permission(at: now) {
            case .now:
                toSend -= 1
                let number = state.recordBegin(now)
                add(.arrival, number: number, after: latency / 2 + UInt64.random(in: 0...(latency / 3), using: &random))
            case .notBefore(let instant, _):
                if wakesAt.map({ $0 <= instant }) == true { return }
                wakesAt = instant
                // Timers fire late.
                return add(.wake, after: instant - now + UInt64.random(in: 0...200_000, using: &random))
            case .whenOneEnds: return
            case .refused:
                toSend = 0
                return
            }
        }
    }

    private mutating func add(_ kind: Kind, number: UInt64 = 0, after delay: UInt64) {
        order += 1
        events.insert(Event(instant: now + delay, order: order, number: number, kind: kind))
    }
}
