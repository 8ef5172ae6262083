// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// A clock that a test advances. The time limits of transfers, the waits between retries and the delays of answers
/// follow the clock in managers made with it. The waits and rates of a governor made with it follow it too.
///
/// ```swift
/// let clock = TestClock()
/// let manager = RequestOperationManager(clock: clock) { _ in .stall }
/// let operation = manager.operation("GET", "report", timeout: .seconds(30))
/// manager.operationQueue.addOperation(operation)
/// await clock.advance(untilFinished: operation)
/// ```
///
/// The following use the machine's clock: the time limit `connectivity`, the timeouts of batches and drains, limits in
/// bytes per second, the expiry of credentials and cached responses, and the times of a `TransferSummary`. Random
/// waits have their maximum length. All members can be used from any thread.
public final class TestClock: Sendable {
    let time: SimulatedTime

    /// Makes a clock.
    ///
    /// - Parameter start: the time of day at the start, against which dates in `Retry-After` are compared.
    public init(startingAt start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        time = SimulatedTime(start: start)
    }

    /// The time of day on this clock.
    public var date: Date { time.date }

    /// Advances the clock, and starts everything that is due. Returns without waiting for the work that was started.
    ///
    /// - Parameter duration: 0 or more.
    public func advance(by duration: Duration) async {
        precondition(duration >= .zero, "a clock cannot go back")
        await time.advance(by: duration)
    }

    /// Advances the clock repeatedly to the next instant at which something is due, whenever no request is being
    /// answered, until an operation has finished, or the task is cancelled. The operation must be in a queue, or
    /// started.
    public func advance(untilFinished operation: Operation) async {
        while !operation.isFinished, !Task.isCancelled {
            if await time.advanceToNextInstant() { continue }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Runs `body`, and meanwhile advances the clock repeatedly to the next instant at which something is due, whenever
    /// no request is being answered. For code that awaits several requests, or the elements of a stream.
    ///
    /// ```swift
    /// let lines = try await clock.advance {
    ///     try await manager.stream("feed").lines.reduce(into: []) { $0.append($1) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - actor: the actor of the work. Default: the caller's.
    ///   - body: called once, on that actor. Its work outside of requests takes no time on this clock.
    public func advance<Value>(
        isolation actor: isolated (any Actor)? = #isolation, during body: () async throws -> Value
    ) async rethrows -> Value {
        let mover = Task { [time] in
            while !Task.isCancelled {
                if await time.advanceToNextInstant() { continue }
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        /// Stops the clock when the work has ended.
        func stop() async {
            mover.cancel()
            await mover.value
        }
        do {
            let value = try await body()
            await stop()
            return value
        } catch {
            await stop()
            throw error
        }
    }

    /// The number of operations that wait for their next attempt, and of event streams that wait for a reconnection.
    public var waitingOperationCount: Int {
        get async { await time.waitingAttemptCount }
    }

    /// Returns when at least `count` operations wait for their next attempt, or the task is cancelled. Default 1.
    public func waitUntilOperationsWait(_ count: Int = 1) async {
        while await waitingOperationCount < count, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}

extension Governor {
    /// Makes a governor whose waits and rates follow a clock.
    ///
    /// - Parameters:
    ///   - limits: the limits of each origin without its own limits.
    ///   - rateLimit: the maximum rate at which transfers begin, to all origins together. Default nil: no limit.
    ///   - clock: the clock of the managers that use the governor.
    public convenience init(_ limits: OriginLimits = OriginLimits(), rateLimit: RateLimit? = nil, clock: TestClock) {
        self.init(limits, rateLimit: rateLimit, timers: clock.time.governors)
    }
}
