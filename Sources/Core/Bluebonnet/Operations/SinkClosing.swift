// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Closes the sink of a body, and stops waiting for the sink after a time limit. Network thread only.
final class SinkClosing {
    /// How waiting for the sink ended.
    enum End {
        /// The sink was closed, with the error of writing if it failed, after a number of nanoseconds.
        case closed(NetworkingError?, after: UInt64)
        case timePassed
    }

    /// How long the end of a failed operation waits for the file system, before the file is left to its queue. In
    /// nanoseconds.
    static let patience: UInt64 = 1_000_000_000

    private let timers: NetworkTimers
    private var ticket: NetworkTimers.Ticket?
    private var action: ((End) -> Void)?

    init(_ timers: NetworkTimers) { self.timers = timers }

    /// Begins to close the sink. Calls the action once, possibly before this method returns.
    ///
    /// - Parameter limit: in nanoseconds; nil without a limit.
    func close(_ sink: any BodySink, within limit: UInt64?, then action: @escaping (End) -> Void) {
        self.action = action
        let began = timers.clock.now()
        ticket = limit.map { limit in
            timers.wait(until: began + min(limit, .max - began)) { [weak self] in self?.end(.timePassed) }
        }
        sink.close { [weak self] error in
            guard let self else { return }
            end(.closed(error, after: timers.clock.now() - began))
        }
    }

    /// Stops waiting. The action is no longer called.
    func giveUp() {
        action = nil
        if let ticket = ticket.take() { timers.withdraw(ticket) }
    }

    private func end(_ end: End) {
        let action = action.take()
        giveUp()
        action?(end)
    }
}

@available(*, unavailable)
extension SinkClosing: Sendable {}
