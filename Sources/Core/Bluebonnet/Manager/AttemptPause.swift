// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One wait of a task, on the clock of the waits between attempts. Network thread only.
private final class AttemptPause {
    private var waiter: CheckedContinuation<Void, Never>?
    private var ticket: NetworkTimers.Ticket?
    private var isCancelled = false

    func begin(_ duration: Duration, _ waits: RetryWaits, _ waiter: CheckedContinuation<Void, Never>) {
        guard !isCancelled else { return waiter.resume() }
        self.waiter = waiter
        ticket = waits.wait(until: waits.clock.now() + duration.nanoseconds) { [self] in end() }
    }

    func cancel(_ waits: RetryWaits) {
        isCancelled = true
        if let ticket { waits.withdraw(ticket) }
        end()
    }

    private func end() {
        ticket = nil
        waiter.take()?.resume()
    }
}

extension RequestOperationManager {
    /// Waits like an operation between two attempts. A test's clock counts.
    ///
    /// - Parameter duration: makes the duration from a random number from 0 to 1. Called on the network thread.
    /// - Throws: if the task is cancelled.
    package func pauseBetweenAttempts(
        _ duration: @escaping @Sendable (_ random: Double) -> Duration
    ) async throws(CancellationError) {
        let pause = NetworkBound(AttemptPause())
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                NetworkThread.shared.submit { [services] in
                    let waits = services.retryWaits
                    pause.value.begin(duration(waits.clock.random()), waits, waiter)
                }
            }
        } onCancel: {
            NetworkThread.shared.submit { [services] in pause.value.cancel(services.retryWaits) }
        }
        if Task.isCancelled { throw CancellationError() }
    }
}
