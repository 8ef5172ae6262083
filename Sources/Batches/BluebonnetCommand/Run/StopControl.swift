// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks

/// Notifies handlers when a run must end before its input does.
///
/// A more urgent reason replaces an earlier one, and is reported again.
final class StopControl: Sendable {
    /// The reasons to end a run early, in order of urgency.
    enum Reason: Int, Comparable {
        /// An operation failed, and the first failure ends the run. Lines that have already arrived still get results.
        case operationFailed
        /// The process must end soon. Running transfers may continue until the drain timeout.
        case terminated
        /// The results cannot be written.
        case resultsLost
        /// The journal cannot be read or written.
        case journalLost
        /// The user interrupted the run.
        case interrupted
        /// A second signal arrived. The process ends at once.
        case interruptedAgain

        static func < (first: Reason, second: Reason) -> Bool { first.rawValue < second.rawValue }
    }

    private struct State {
        var isPreparing: Bool
        var reason: Reason?
        var handlers: [@Sendable (Reason) -> Void] = []
    }

    private let state: Mutex<State>

    /// - Parameter isPreparing: whether the run begins later, with `begin()`.
    init(isPreparing: Bool = false) { state = Mutex(State(isPreparing: isPreparing)) }

    /// Whether nothing has been sent and no result has been written, so that the first signal may end the process. A
    /// thread that opens a file may not react otherwise: opening a named pipe blocks until its other end is opened.
    var isPreparing: Bool { state.withLock { $0.isPreparing } }

    /// Marks the begin of the run.
    func begin() { state.withLock { $0.isPreparing = false } }

    /// The reason to end the run; nil while it continues.
    var reason: Reason? { state.withLock { $0.reason } }

    /// Whether to stop sending, and even reading.
    var stopsReading: Bool { reason.map { $0 > .operationFailed } ?? false }

    /// Ends the run, unless it already ends for a reason that is at least as urgent.
    func stop(_ reason: Reason) {
        let handlers: [@Sendable (Reason) -> Void] = state.withLock { state in
            if let earlier = state.reason, earlier >= reason { return [] }
            state.reason = reason
            return state.handlers
        }
        for handler in handlers { handler(reason) }
    }

    /// Calls `handler` for each further reason, and at once if there is already a reason.
    func onStop(_ handler: @escaping @Sendable (Reason) -> Void) {
        let reason = state.withLock { state in
            state.handlers.append(handler)
            return state.reason
        }
        if let reason { handler(reason) }
    }
}
