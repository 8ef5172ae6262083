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
    private func run(_ state: inout OriginState, _ kind: TransferOutcome.Kind, backOff: UInt64? = nil, now: UInt64) {
        let number = state.recordBegin(now)
        state.record(TransferOutcome(kind: kind, backOff: backOff), of: number, now)
        state.recordEnd(of: number)
    }

    @Test func transfersBeginUpToTheLimit() {
        var state = OriginState(Self.limits(2))
        #expect(state.permission(at: 0) == .now)
        let first = state.recordBegin(0)
        _ = state.recordBegin(0)
        #expect(state.permission(at: 0) == .whenOneEnds(.window(2)))
        state.recordEnd(of: first)
        #expect(state.permission(at: 0) == .now)
    }

    @Test(arguments: [
        (TransferOutcome.Kind.response(status: 429), 4), (.response(status: 503), 4), (.connectTimeout, 4),
        (.response(status: 500), 8), (.response(status: 404), 8), (.failure, 8), (.response(status: 200), 8),
    ])
    func limitIsHalvedOnceForAllRunningTransfers(kind: TransferOutcome.Kind, window: Int) {
        var state = OriginState(Self.limits(8))
        let numbers = (0..<8).map { _ in state.recordBegin(Self.now) }
        for number in numbers { state.record(TransferOutcome(kind: kind), of: number, Self.now) }
        #expect(Int(state.window) == window)
        for number in numbers { state.recordEnd(of: number) }
        let next = state.recordBegin(Self.now)
        state.record(TransferOutcome(kind: kind), of: next, Self.now)
        #expect(Int(state.window) == (window == 8 ? 8 : 1), "half of the one that runs, and never less than one")
    }

    @Test func limitGrowsByOneAfterAsManySuccesses() {
        var state = OriginState(Self.limits(8))
        let numbers = (0..<8).map { _ in state.recordBegin(Self.now) }
        state.record(TransferOutcome(kind: .connectTimeout), of: numbers[0], Self.now)
        for number in numbers { state.record(TransferOutcome(kind: .response(status: 200)), of: number, Self.now) }
        #expect(state.window == 4, "those that began before do not count")
        for number in numbers { state.recordEnd(of: number) }
        for _ in 0..<5 { run(&state, .response(status: 200), now: Self.now) }
        #expect(Int(state.window) == 5)
        for _ in 0..<100 { run(&state, .response(status: 200), now: Self.now) }
        #expect(state.window == 8)
    }

    @Test(arguments: [429, 503]) func retryAfterStartsBackoffAndThenAdmitsOneProbe(status: Int) {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: status), backOff: 30 * Self.second, now: Self.now)
        let end = Self.now + 30 * Self.second
        #expect(state.permission(at: Self.now) == .notBefore(end, .backOff))
        #expect(state.permission(at: end - 1) == .notBefore(end, .backOff))
        #expect(state.permission(at: end) == .now)
        let probe = state.recordBegin(end)
        #expect(state.permission(at: end) == .whenOneEnds(.probe))
        state.record(TransferOutcome(kind: .response(status: 200)), of: probe, end)
        state.recordEnd(of: probe)
        #expect(state.window == 2)
        #expect(state.permission(at: end + 1) == .now)
    }

    @Test func refusedProbeRestartsTheBackoff() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 429), backOff: 3 * Self.second, now: Self.now)
        let first = Self.now + 3 * Self.second
        run(&state, .response(status: 429), now: first)
        #expect(state.permission(at: first) == .notBefore(first + 3 * Self.second, .backOff))
        run(&state, .response(status: 429), backOff: 1, now: first + 3 * Self.second)
        run(&state, .response(status: 429), now: first + 4 * Self.second)
        #expect(state.permission(at: first + 4 * Self.second) == .notBefore(first + 5 * Self.second, .backOff))
    }

    @Test func probeWithoutOutcomeIsFollowedByAnother() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 429), backOff: Self.second, now: Self.now)
        let end = Self.now + Self.second
        let probe = state.recordBegin(end)
        state.recordEnd(of: probe)
        #expect(state.permission(at: end) == .now)
        _ = state.recordBegin(end)
        #expect(state.permission(at: end) == .whenOneEnds(.probe))
    }

    @Test func longBackoffRefusesUntilRemainingTimeIsAcceptable() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 429), backOff: 400 * Self.second, now: Self.now)
        let end = Self.now + 400 * Self.second
        #expect(state.permission(at: Self.now) == .refused(until: end, .backOff))
        #expect(state.permission(at: end - 301 * Self.second) == .refused(until: end, .backOff))
        #expect(state.permission(at: end - 300 * Self.second) == .notBefore(end, .backOff))
    }

    @Test func longBackoffAdmitsOneProbe() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 429), backOff: 1000 * Self.second, now: Self.now)
        let (end, trial) = (Self.now + 1000 * Self.second, Self.now + 300 * Self.second)
        #expect(state.permission(at: trial - 1) == .refused(until: end, .backOff))
        #expect(state.permission(at: trial) == .now)
        let number = state.recordBegin(trial)
        #expect(state.permission(at: trial) == .refused(until: end, .backOff))
        state.record(TransferOutcome(kind: .failure), of: number, trial)
        state.recordEnd(of: number)
        #expect(state.permission(at: trial) == .now, "a failure says nothing of the back-off")
        run(&state, .response(status: 200), now: trial)
        #expect(state.permission(at: trial) == .now && state.window == 2)
    }

    @Test func repeatedRefusalsMakeOriginRefuseUntilBackoffEnds() {
        var state = OriginState(Self.limits(8))
        var now = Self.now
        for _ in 0..<30 {
            run(&state, .response(status: 429), backOff: 10 * Self.second, now: now)
            #expect(state.permission(at: now) == .notBefore(now + 10 * Self.second, .backOff))
            now += 10 * Self.second
        }
        run(&state, .response(status: 429), backOff: 10 * Self.second, now: now)
        let end = now + 10 * Self.second
        #expect(state.permission(at: now) == .refused(until: end, .backOff))
        #expect(state.permission(at: end) == .now)
        run(&state, .response(status: 200), now: end)
        run(&state, .response(status: 429), backOff: Self.second, now: end)
        #expect(state.permission(at: end) == .notBefore(end + Self.second, .backOff), "it counts from the success")
    }

    @Test func successForgetsTheBackoffLength() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 429), backOff: 60 * Self.second, now: Self.now)
        let end = Self.now + 60 * Self.second
        run(&state, .response(status: 200), now: end)
        run(&state, .response(status: 429), backOff: Self.second, now: end)
        run(&state, .response(status: 429), now: end + Self.second)
        #expect(state.permission(at: end + Self.second) == .notBefore(end + 2 * Self.second, .backOff))
    }

    @Test func continuedTransferOnlyCountsAsRunning() {
        var state = OriginState(OriginLimits(rateLimit: RateLimit(1)))
        run(&state, .response(status: 429), backOff: 10 * Self.second, now: Self.now)
        let number = state.recordContinuation()
        let end = Self.now + 10 * Self.second
        #expect(state.runningCount == 1)
        #expect(state.permission(at: Self.now) == .notBefore(end, .backOff) && state.permission(at: end) == .now)
        state.recordEnd(of: number)
        #expect(state.permission(at: end) == .now && state.runningCount == 0)
    }

    @Test(arguments: [(1, 1), (64, 64), (1 << 30, 1 << 30), (1 << 31, 1 << 30), (.max, 1 << 30)])
    func limitIsClamped(count: Int, window: Int) {
        var state = OriginState(Self.limits(count))
        #expect(Int(state.window) == window)
        state.limits = Self.limits(1)
        state.limits = Self.limits(count)
        #expect(Int(state.window) == window && state.permission(at: 0) == .now)
    }

    // MARK: Forgetting

    @Test(arguments: [
        TransferOutcome(kind: .response(status: 429)), TransferOutcome(kind: .response(status: 503), backOff: second),
        TransferOutcome(kind: .connectTimeout), TransferOutcome(kind: .failure),
        TransferOutcome(kind: .response(status: 500)),
    ])
    func failureStateIsForgotten(outcome: TransferOutcome) {
        var state = OriginState(Self.limits(8, CircuitBreaker(failureCount: 1, openTime: .seconds(1))))
        run(&state, outcome.kind, backOff: outcome.backOff, now: Self.now)
        #expect(!state.isIdle(now: Self.now) && !state.isIdle(now: Self.now + 300 * Self.second))
        let later = Self.now + 301 * Self.second + 1  // the back-off and the open breaker end after a second
        #expect(state.isIdle(now: later))
        _ = state.recordBegin(later)
        #expect(state.window == 8 && state.permission(at: later) == .now, "all may run")
    }

    @Test func unrefilledRateIsNotForgotten() {
        var state = OriginState(OriginLimits(rateLimit: RateLimit(2, per: .seconds(60), burst: 2)))
        #expect(state.isIdle(now: Self.now))
        run(&state, .response(status: 200), now: Self.now)
        #expect(!state.isIdle(now: Self.now + 29 * Self.second) && state.isIdle(now: Self.now + 30 * Self.second))
    }

    @Test func resetForgetsRefusalsAndFailures() {
        var state = OriginState(Self.limits(8, CircuitBreaker(failureCount: 1)))
        let late = state.recordBegin(Self.now)
        run(&state, .response(status: 503), backOff: 500 * Self.second, now: Self.now)
        state.reset()
        #expect(state.permission(at: Self.now) == .now && state.window == 8 && state.learned == nil)
        state.record(TransferOutcome(kind: .connectTimeout), of: late, Self.now)
        #expect(state.window == 8, "the transfer began before")
    }

    @Test func exhaustedLimitStartsBackoffButKeepsTheWindow() {
        var state = OriginState(Self.limits(8))
        run(&state, .response(status: 200), backOff: Self.second, now: Self.now)
        let end = Self.now + Self.second
        #expect(state.permission(at: Self.now) == .notBefore(end, .backOff))
        _ = state.recordBegin(end)
        #expect(state.permission(at: end) == .now && state.window == 8)
    }

    @Test func rateSpacesTransfersAndAcceptsReturnedTokens() {
        var state = OriginState(OriginLimits(rateLimit: RateLimit(10)))
        _ = state.recordBegin(Self.now)
        guard case .notBefore(let instant, .rate(10)) = state.permission(at: Self.now) else {
            Issue.record("the rate has no effect: \(state.permission(at: Self.now))")
            return
        }
        #expect(instant > Self.now && instant <= Self.now + Self.second / 10)
        state.giveBack()
        #expect(state.permission(at: Self.now) == .now)
    }

    @Test func newLimitsApplyAtOnce() {
        var state = OriginState(Self.limits(8))
        _ = state.recordBegin(Self.now)
        state.limits = Self.limits(1)
        #expect(state.permission(at: Self.now) == .whenOneEnds(.window(1)))
        state.limits = Self.limits(4)
        #expect(state.window == 4)
        state.limits.rateLimit = RateLimit(1)
        for _ in 0..<2 { _ = state.recordBegin(Self.now) }
        #expect(state.permission(at: Self.now) != .now)
    }

    // MARK: The circuit breaker

    @Test(arguments: [TransferOutcome.Kind.response(status: 500), .connectTimeout, .failure])
    func breakerOpensAfterFailuresInARow(kind: TransferOutcome.Kind) {
        var state = OriginState(Self.limits(8, CircuitBreaker(failureCount: 3)))
        for _ in 0..<2 { run(&state, kind, now: Self.now) }
        run(&state, .response(status: 404), now: Self.now)
        for _ in 0..<2 { run(&state, kind, now: Self.now) }
        run(&state, .response(status: 429), now: Self.now)
        #expect(state.permission(at: Self.now + Self.second) == .now, "a success is between them, and 429 is neither")
        run(&state, kind, now: Self.now)
        #expect(state.permission(at: Self.now) == .refused(until: Self.now + 30 * Self.second, .breaker))
    }

    @Test func breakerAdmitsOneProbeAndClosesOrStaysOpen() {
        var state = OriginState(Self.limits(8, CircuitBreaker(failureCount: 1, openTime: .seconds(10))))
        let late = state.recordBegin(Self.now)
        run(&state, .failure, now: Self.now)
        state.record(TransferOutcome(kind: .response(status: 200)), of: late, Self.now)
        let first = Self.now + 10 * Self.second
        #expect(
            state.permission(at: first - 1) == .refused(until: first, .breaker), "only the one that is tried counts")
        let probe = state.recordBegin(first)
        #expect(state.permission(at: first) == .whenOneEnds(.probe))
        state.record(TransferOutcome(kind: .failure), of: probe, first)
        state.recordEnd(of: probe)
        let second = first + 10 * Self.second
        #expect(state.permission(at: first) == .refused(until: second, .breaker))
        run(&state, .response(status: 200), now: second)
        #expect(state.permission(at: second) == .now && state.window == 2)
    }

    @Test func breakerIsOffByDefault() {
        var state = OriginState(OriginLimits())
        for _ in 0..<100 { run(&state, .failure, now: Self.now) }
        #expect(state.permission(at: Self.now) == .now)
    }
}
