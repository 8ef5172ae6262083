// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// Asks a block for the destination of a downloaded file, within a time limit. Only the first event counts: the block's
/// answer or the end of the time limit.
final class PlacementQuestion: Sendable {
    /// The first event: the block's answer or the end of the time limit.
    enum Answer: Sendable {
        /// Nil leaves the file where it is.
        case target(URL?)
        case limitPassed
    }

    /// Nil after the end.
    private let whenAnswered: Mutex<(@Sendable (Answer) -> Void)?>
    private let limit = NetworkBound(Limit())

    /// The timer of the time limit. Network thread only.
    private final class Limit {
        var ticket: NetworkTimers.Ticket?
    }

    /// - Parameter whenAnswered: called once, on `Queues.moving`.
    init(whenAnswered: @escaping @Sendable (Answer) -> Void) { self.whenAnswered = Mutex(whenAnswered) }

    /// Calls the block.
    ///
    /// - Parameters:
    ///   - timeLeft: the rest of the operation's time limit, in nanoseconds; nil without a limit.
    ///   - services: the services of the operation, for their timers.
    func ask(
        _ block: @escaping @Sendable () async -> URL?, within timeLeft: UInt64?, of services: NetworkServices
    ) {
        if let timeLeft { limitTime(to: timeLeft, services) }
        Task {
            let target = await block()
            Queues.moving.async { [self] in
                end(.target(target))
                if timeLeft != nil { withdrawLimit(services) }
            }
        }
    }

    private func limitTime(to timeLeft: UInt64, _ services: NetworkServices) {
        NetworkThread.shared.submit { [self] in
            let timers = services.timers
            let now = timers.clock.now()
            limit.value.ticket = timers.wait(until: now + min(timeLeft, .max - now)) { [self] in
                Queues.moving.async { [self] in end(.limitPassed) }
            }
        }
    }

    private func withdrawLimit(_ services: NetworkServices) {
        NetworkThread.shared.submit { [self] in
            if let ticket = limit.value.ticket.take() { services.timers.withdraw(ticket) }
        }
    }

    /// Not on the network thread: the action may release objects of the program.
    private func end(_ answer: Answer) {
        let action = whenAnswered.withLock { $0.take() }
        action?(answer)
    }
}
