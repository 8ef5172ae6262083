// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// A clock that moves when a test says so. Time limits of transfers, the pauses of retries and the delays of answers
/// follow it, with managers that were made with it; holds and rates too, with a governor that was made with it.
///
/// ```swift
/// let clock = TestClock()
/// let manager = RequestOperationManager(clock: clock) { _ in .stall }
/// let operation = manager.operation("GET", "report", timeout: .seconds(30))
/// manager.operationQueue.addOperation(operation)
/// await clock.advance(untilFinished: operation)
/// ```
///
/// These go on with the machine's clock: the time limit `connectivity`, the timeouts of batches and drains, limits of
/// bytes a second, expiry of credentials and cached responses, and the times of a `TransferSummary`. Random waits are
/// as long as they can be. All members may be used from any thread.
public final class TestClock: Sendable {
    let time: SimulatedTime

    /// Makes a clock.
    ///
    /// - Parameter start: the time of day at the start, to which dates in `Retry-After` are compared.
    public init(startingAt start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        time = SimulatedTime(start: start)
    }

    /// The time of day on this clock.
    public var date: Date { time.date }

    /// Moves on, and lets whatever is due begin. Returns before what has begun is over.
    ///
    /// - Parameter duration: 0 or more.
    public func advance(by duration: Duration) async {
        precondition(duration >= .zero, "a clock does not go back")
        await time.advance(by: duration)
    }

    /// Moves on from one instant at which something is due to the next, whenever no request is being answered, until
    /// an operation has finished, or the task is cancelled. The operation has to be in a queue, or started.
    public func advance(untilFinished operation: Operation) async {
        while !operation.isFinished, !Task.isCancelled {
            if await time.advanceToNextInstant() { continue }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// The number of operations that wait for their next attempt.
    public var waitingOperationCount: Int {
        get async { await time.waitingAttemptCount }
    }

    /// Returns when so many operations wait for their next attempt, or the task is cancelled.
    public func waitUntilOperationsWait(_ count: Int = 1) async {
        while await waitingOperationCount < count, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}

extension Governor {
    /// Makes a governor whose holds and rates follow a clock.
    ///
    /// - Parameters:
    ///   - limits: those of each origin that has none of its own.
    ///   - rateLimit: how many transfers may begin in a time, to all origins together. Default nil: no limit.
    ///   - clock: the clock of the managers that have the governor.
    public convenience init(_ limits: OriginLimits = OriginLimits(), rateLimit: RateLimit? = nil, clock: TestClock) {
        self.init(limits, rateLimit: rateLimit, timers: clock.time.governors)
    }
}
