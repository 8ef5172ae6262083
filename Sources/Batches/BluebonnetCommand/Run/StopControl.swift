// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks

/// Notifies all handlers once that a run ends before its input does.
///
/// The most urgent reason wins over those that came before it.
final class StopControl: Sendable {
    /// Why a run ends early, the least urgent reason first.
    enum Reason: Int, Comparable {
        /// An operation failed and the first failure is to end the run: lines that are there already still get results.
        case operationFailed
        /// The process is to end soon: what is under way may finish within the drain's time.
        case terminated
        /// The results cannot be written.
        case resultsLost
        /// The journal cannot be read or written.
        case journalLost
        /// The user interrupted it.
        case interrupted
        /// Another signal came: the process ends at once.
        case interruptedAgain

        static func < (first: Reason, second: Reason) -> Bool { first.rawValue < second.rawValue }
    }

    private struct State {
        var reason: Reason?
        var handlers: [@Sendable (Reason) -> Void] = []
    }

    private let state = Mutex(State())

    /// Why the run is to end; nil while it continues.
    var reason: Reason? { state.withLock { $0.reason } }

    /// Whether nothing more is to be sent, or even read.
    var isAtOnce: Bool { reason.map { $0 > .operationFailed } ?? false }

    /// Ends the run, unless it ends for a reason as urgent already.
    func stop(_ reason: Reason) {
        let handlers: [@Sendable (Reason) -> Void] = state.withLock { state in
            if let earlier = state.reason, earlier >= reason { return [] }
            state.reason = reason
            return state.handlers
        }
        for handler in handlers { handler(reason) }
    }

    /// Calls `handler` for each reason that comes from now on, and at once if there is a reason already.
    func onStop(_ handler: @escaping @Sendable (Reason) -> Void) {
        let reason = state.withLock { state in
            state.handlers.append(handler)
            return state.reason
        }
        if let reason { handler(reason) }
    }
}
