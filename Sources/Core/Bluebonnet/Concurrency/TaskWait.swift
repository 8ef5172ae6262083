// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

/// The wait of one task for an event. The wait ends once: when the event has come, or when the wait is given up. Any
/// thread.
final class TaskWait: Sendable {
    private enum State {
        case notBegun
        case waiting(CheckedContinuation<Bool, Never>)
        case over(hasCome: Bool)
    }

    private let state = Mutex(State.notBegun)

    /// Suspends the calling task.
    ///
    /// - Parameters:
    ///   - begin: keeps the wait, to end it when the event comes; false when the event has come already.
    ///   - onCancel: called when the task is cancelled; it may end the wait, and forget it.
    /// - Returns: whether the event has come.
    static func forEvent(
        keptBy begin: (TaskWait) -> Bool, onCancel: @escaping @Sendable (TaskWait) -> Void
    ) async -> Bool {
        let wait = TaskWait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.begin(continuation)
                if !begin(wait) { wait.end(hasCome: true) }
                // Cancelled before the wait was kept: it is to be forgotten once more.
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

    /// Ends the wait; a second end has no effect.
    func end(hasCome: Bool) {
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
