// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

/// Suspends one task until an event. The waiting ends exactly once: when the event occurs, or when the waiter gives up.
/// Any thread.
package final class TaskWait: Sendable {
    private enum State {
        case notBegun
        case waiting(CheckedContinuation<Bool, Never>)
        case over(hasCome: Bool)
    }

    private let state = Mutex(State.notBegun)

    /// Suspends the calling task until its `TaskWait` ends.
    ///
    /// - Parameters:
    ///   - begin: stores the `TaskWait`, to end it when the event occurs; returns false if the event has already
    ///     occurred.
    ///   - onCancel: called when the task is cancelled; may end the `TaskWait` and discard it.
    /// - Returns: whether the event has occurred.
    package static func forEvent(
        keptBy begin: (TaskWait) -> Bool, onCancel: @escaping @Sendable (TaskWait) -> Void
    ) async -> Bool {
        let wait = TaskWait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.begin(continuation)
                if !begin(wait) { wait.end(hasCome: true) }
                // If the task was cancelled before `begin` stored the wait, the earlier `onCancel` found nothing to
                // discard.
                if Task.isCancelled { onCancel(wait) }
            }
        } onCancel: {
            onCancel(wait)
        }
    }

    private func begin(_ continuation: CheckedContinuation<Bool, Never>) {
        let known = state.withLock { state -> Bool? in
            if case .over(let hasCome) = state { return hasCome }
            state = .waiting(continuation)
            return nil
        }
        if let known { continuation.resume(returning: known) }
    }

    /// Ends the waiting. Later calls have no effect.
    package func end(hasCome: Bool) {
        let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            switch state {
            case .notBegun:
                state = .over(hasCome: hasCome)
                return nil
            case .waiting(let continuation):
                state = .over(hasCome: hasCome)
                return continuation
            case .over: return nil
            }
        }
        continuation?.resume(returning: hasCome)
    }
}
