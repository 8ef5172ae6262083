// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct OriginStateTests {
    private static let second: UInt64 = 1_000_000_000
    private static let now: UInt64 = 100 * second

    private static func limits(_ count: Int, _ breaker: CircuitBreaker? = nil) -> OriginLimits {
        var limits = OriginLimits(rateLimit: nil, circuitBreaker: breaker)
        limits.maximumConcurrentTransferCount = count
        return limits
    }

    /// Runs a single transfer.
    private func run(_ state: inout OriginState, _ kind: TransferOutcome.Kind, hold: UInt64? = nil, now: UInt64) {
        let number = state.noteBegin(now)
        state.note(TransferOutcome(kind: kind, hold: hold), of: number, now)
        state.noteEnd(of: number)
    }

    @Test func transfersBeginUpToTheLimit() {
        var state = OriginState(Self.limits(2))
        #expect(state.mayBegin(0) == .now)
        let first = state.noteBegin(0)
        _ = state.noteBegin(0)
        #expect(state.mayBegin(0) == .whenOneEnds(.window(2)))
        state.noteEnd(of: first)
        #expect(state.mayBegin(0) == .now)
    }

    @Test(arguments: [
        (TransferOutcome.Kind.response(status: 429), 4), (.response(status: 503), 4), (.connectTimeout, 4),
        (.response(status: 500), 8), (.response(status: 404), 8), (.failure, 8), (.response(status: 200), 8),
    ])
    func limitIsHalvedOnceForAllRunningTransfers(kind: TransferOutcome.Kind, window: Int) {
        var state = OriginState(Self.limits(8))
        let numbers = (0..<8).map { _ in state.noteBegin(Self.now) }
        for number in numbers { state.note(TransferOutcome(kind: kind), of: number, Self.now) }
        #expect(Int(state.window) == window)
        for number in numbers { state.noteEnd(of: number) }
        let next = state.noteBegin(Self.now)
        state.note(TransferOutcome(kind: kind), of: next, Self.now)
        #expect(Int(state.window) == (window == 8 ? 8 : 1), "half of the one that runs, and never less than one")
    }

    @Test func limitGrowsByOneAfterAsManySuccesses() {
        var state = OriginState(Self.limits(8))
        let numbers = (0..<8).map { _ in state.noteBegin(Self.now) }
        state.note(TransferOutcome(kind: .connectTimeout), of: numbers[0], Self.now)
        for number in numbers { state.note(TransferOutcome(kind: .response(status: 200)), of: number, Self.now) }
        #expect(state.window == 4, "those that began before do not count")
        for number in numbers { state.noteEnd(of: number) }
        for _ in 0..<5 { run(&state, .response(status: 200), now: Self.now) }
        #expect(Int(state.window) == 5)
        for _ in 0..<100 { run(&state, .response(status: 200), now: Self.now) }
        #expect(state.window == 8)
    }

    @Test(arguments: [429, 503]) func retryAfterStartsBackoffAndThenAdmitsOneProbe(status: Int) {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: status), hold: 30 * Self.second, now: Self.now)
        let end = Self.now + 30 * Self.second
        #expect(state.mayBegin(Self.now) == .notBefore(end, .hold))
        #expect(state.mayBegin(end - 1) == .notBefore(end, .hold))
        #expect(state.mayBegin(end) == .now)
        let probe = state.noteBegin(end)
        #expect(state.mayBegin(end) == .whenOneEnds(.probe))
        state.note(TransferOutcome(kind: .response(status: 200)), of: probe, end)
        state.noteEnd(of: probe)
        #expect(state.window == 2)
        #expect(state.mayBegin(end + 1) == .now)
    }

    @Test func refusedProbeRestartsTheBackoff() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 429), hold: 3 * Self.second, now: Self.now)
        let first = Self.now + 3 * Self.second
        run(&state, .response(status: 429), now: first)
        #expect(state.mayBegin(first) == .notBefore(first + 3 * Self.second, .hold))
        run(&state, .response(status: 429), hold: 1, now: first + 3 * Self.second)
        run(&state, .response(status: 429), now: first + 4 * Self.second)
        #expect(state.mayBegin(first + 4 * Self.second) == .notBefore(first + 5 * Self.second, .hold))
    }

    @Test func probeWithoutOutcomeIsFollowedByAnother() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 429), hold: Self.second, now: Self.now)
        let end = Self.now + Self.second
        let probe = state.noteBegin(end)
        state.noteEnd(of: probe)
        #expect(state.mayBegin(end) == .now)
        _ = state.noteBegin(end)
        #expect(state.mayBegin(end) == .whenOneEnds(.probe))
    }

    @Test func longBackoffRefusesUntilRemainingTimeIsAcceptable() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 429), hold: 400 * Self.second, now: Self.now)
        let end = Self.now + 400 * Self.second
        #expect(state.mayBegin(Self.now) == .refused(until: end, .hold))
        #expect(state.mayBegin(end - 301 * Self.second) == .refused(until: end, .hold))
        #expect(state.mayBegin(end - 300 * Self.second) == .notBefore(end, .hold))
    }

    @Test func longBackoffAdmitsOneProbe() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 429), hold: 1000 * Self.second, now: Self.now)
        let (end, trial) = (Self.now + 1000 * Self.second, Self.now + 300 * Self.second)
        #expect(state.mayBegin(trial - 1) == .refused(until: end, .hold))
        #expect(state.mayBegin(trial) == .now)
        let number = state.noteBegin(trial)
        #expect(state.mayBegin(trial) == .refused(until: end, .hold))
        state.note(TransferOutcome(kind: .failure), of: number, trial)
        state.noteEnd(of: number)
        #expect(state.mayBegin(trial) == .now, "a failure says nothing of the hold")
        run(&state, .response(status: 200), now: trial)
        #expect(state.mayBegin(trial) == .now && state.window == 2)
    }

    @Test func repeatedRefusalsMakeOriginRefuseUntilBackoffEnds() {
        var state = OriginState(Self.limits(8))
        var now = Self.now
        for _ in 0..<30 {
            run(&state, .response(status: 429), hold: 10 * Self.second, now: now)
            #expect(state.mayBegin(now) == .notBefore(now + 10 * Self.second, .hold))
            now += 10 * Self.second
        }
        run(&state, .response(status: 429), hold: 10 * Self.second, now: now)
        let end = now + 10 * Self.second
        #expect(state.mayBegin(now) == .refused(until: end, .hold))
        #expect(state.mayBegin(end) == .now)
        run(&state, .response(status: 200), now: end)
        run(&state, .response(status: 429), hold: Self.second, now: end)
        #expect(state.mayBegin(end) == .notBefore(end + Self.second, .hold), "it counts from the success")
    }

    @Test func successForgetsTheBackoffLength() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 429), hold: 60 * Self.second, now: Self.now)
        let end = Self.now + 60 * Self.second
        run(&state, .response(status: 200), now: end)
        run(&state, .response(status: 429), hold: Self.second, now: end)
        run(&state, .response(status: 429), now: end + Self.second)
        #expect(state.mayBegin(end + Self.second) == .notBefore(end + 2 * Self.second, .hold))
    }

    @Test func continuedTransferOnlyCountsAsRunning() {
        var state = OriginState(OriginLimits(rateLimit: RateLimit(1)))
        run(&state, .response(status: 429), hold: 10 * Self.second, now: Self.now)
        let number = state.noteContinuation()
        let end = Self.now + 10 * Self.second
        #expect(state.runningCount == 1)
        #expect(state.mayBegin(Self.now) == .notBefore(end, .hold) && state.mayBegin(end) == .now)
        state.noteEnd(of: number)
        #expect(state.mayBegin(end) == .now && state.runningCount == 0)
    }

    @Test(arguments: [(1, 1), (64, 64), (1 << 30, 1 << 30), (1 << 31, 1 << 30), (.max, 1 << 30)])
    func limitIsClamped(count: Int, window: Int) {
        var state = OriginState(Self.limits(count))
        #expect(Int(state.window) == window)
        state.limits = Self.limits(1)
        state.limits = Self.limits(count)
        #expect(Int(state.window) == window && state.mayBegin(0) == .now)
    }

    // MARK: Forgetting

    @Test(arguments: [
        TransferOutcome(kind: .response(status: 429)), TransferOutcome(kind: .response(status: 503), hold: second),
        TransferOutcome(kind: .connectTimeout), TransferOutcome(kind: .failure),
        TransferOutcome(kind: .response(status: 500)),
    ])
    func failureStateIsForgotten(outcome: TransferOutcome) {
        var state = OriginState(Self.limits(8, CircuitBreaker(failureCount: 1, openTime: .seconds(1))))
        run(&state, outcome.kind, hold: outcome.hold, now: Self.now)
        #expect(!state.isIdle(now: Self.now) && !state.isIdle(now: Self.now + 300 * Self.second))
        let later = Self.now + 301 * Self.second + 1  // the back-off and the open breaker end after a second
        #expect(state.isIdle(now: later))
        _ = state.noteBegin(later)
        #expect(state.window == 8 && state.mayBegin(later) == .now, "all may run")
    }

    @Test func unrefilledRateIsNotForgotten() {
        var state = OriginState(OriginLimits(rateLimit: RateLimit(2, per: .seconds(60), burst: 2)))
        #expect(state.isIdle(now: Self.now))
        run(&state, .response(status: 200), now: Self.now)
        #expect(!state.isIdle(now: Self.now + 29 * Self.second) && state.isIdle(now: Self.now + 30 * Self.second))
    }

    @Test func resetForgetsRefusalsAndFailures() {
        var state = OriginState(Self.limits(8, CircuitBreaker(failureCount: 1)))
        let late = state.noteBegin(Self.now)
        run(&state, .response(status: 503), hold: 500 * Self.second, now: Self.now)
        state.reset()
        #expect(state.mayBegin(Self.now) == .now && state.window == 8 && state.learned == nil)
        state.note(TransferOutcome(kind: .connectTimeout), of: late, Self.now)
        #expect(state.window == 8, "the transfer began before")
    }

    @Test func exhaustedLimitStartsBackoffButKeepsTheWindow() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 200), hold: Self.second, now: Self.now)
        let end = Self.now + Self.second
        #expect(state.mayBegin(Self.now) == .notBefore(end, .hold))
        _ = state.noteBegin(end)
        #expect(state.mayBegin(end) == .now && state.window == 8)
    }

    @Test func rateSpacesTransfersAndAcceptsReturnedTokens() {
        var state = OriginState(OriginLimits(rateLimit: RateLimit(10)))
        _ = state.noteBegin(Self.now)
        guard case .notBefore(let instant, .rate(10)) = state.mayBegin(Self.now) else {
            Issue.record("the rate has no effect: \(state.mayBegin(Self.now))")
            return
        }
        #expect(instant > Self.now && instant <= Self.now + Self.second / 10)
        state.giveBack()
        #expect(state.mayBegin(Self.now) == .now)
    }

    @Test func newLimitsApplyAtOnce() {
        var state = OriginState(Self.limits(8))
        _ = state.noteBegin(Self.now)
        state.limits = Self.limits(1)
        #expect(state.mayBegin(Self.now) == .whenOneEnds(.window(1)))
        state.limits = Self.limits(4)
        #expect(state.window == 4)
        state.limits.rateLimit = RateLimit(1)
        for _ in 0..<2 { _ = state.noteBegin(Self.now) }
        #expect(state.mayBegin(Self.now) != .now)
    }

    // MARK: The circuit breaker

    @Test(arguments: [TransferOutcome.Kind.response(status: 500), .connectTimeout, .failure])
    func breakerOpensAfterFailuresInARow(kind: TransferOutcome.Kind) {
        var state = OriginState(Self.limits(8, CircuitBreaker(failureCount: 3)))
        for _ in 0..<2 { run(&state, kind, now: Self.now) }
        run(&state, .response(status: 404), now: Self.now)
        for _ in 0..<2 { run(&state, kind, now: Self.now) }
        run(&state, .response(status: 429), now: Self.now)
        #expect(state.mayBegin(Self.now + Self.second) == .now, "a success is between them, and 429 is neither")
        run(&state, kind, now: Self.now)
        #expect(state.mayBegin(Self.now) == .refused(until: Self.now + 30 * Self.second, .breaker))
    }

    @Test func breakerAdmitsOneProbeAndClosesOrStaysOpen() {
        var state = OriginState(Self.limits(8, CircuitBreaker(failureCount: 1, openTime: .seconds(10))))
        let late = state.noteBegin(Self.now)
        run(&state, .failure, now: Self.now)
        state.note(TransferOutcome(kind: .response(status: 200)), of: late, Self.now)
        let first = Self.now + 10 * Self.second
        #expect(state.mayBegin(first - 1) == .refused(until: first, .breaker), "only the one that is tried counts")
        let probe = state.noteBegin(first)
        #expect(state.mayBegin(first) == .whenOneEnds(.probe))
        state.note(TransferOutcome(kind: .failure), of: probe, first)
        state.noteEnd(of: probe)
        let second = first + 10 * Self.second
        #expect(state.mayBegin(first) == .refused(until: second, .breaker))
        run(&state, .response(status: 200), now: second)
        #expect(state.mayBegin(second) == .now && state.window == 2)
    }

    @Test func breakerIsOffByDefault() {
        var state = OriginState(OriginLimits())
        for _ in 0..<100 { run(&state, .failure, now: Self.now) }
        #expect(state.mayBegin(Self.now) == .now)
    }
}
