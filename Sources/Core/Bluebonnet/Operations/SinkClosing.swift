// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Closes the sink of a body, and stops waiting for it when a time has passed. Network thread only.
final class SinkClosing {
    enum End {
        /// With the error of writing, and after so many nanoseconds.
        case closed(NetworkingError?, after: UInt64)
        case timePassed
    }

    /// How long the end of a failed operation waits for the file system before it leaves the file to its queue.
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

    /// The action is not called any more.
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
