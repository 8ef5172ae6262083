// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Synchronization

/// A value behind a lock that tests can wait on: the wait ends at the change that satisfies it, or when the waiting
/// task is cancelled.
final class Observed<Value: Sendable>: Sendable {
    private struct Waiter {
        let isSatisfied: @Sendable (Value) -> Bool
        let resume: @Sendable () -> Void
    }

    private struct State {
        var value: Value
        var waiters: [UInt64: Waiter] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// The value now.
    var value: Value { state.withLock { $0.value } }

    /// Changes the value, then resumes whoever waited for what it has become.
    func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
        let (result, satisfied) = state.withLock { state in
            let result = change(&state.value)
            let numbers = state.waiters.filter { $0.value.isSatisfied(state.value) }.keys.sorted()
            return (result, numbers.compactMap { state.waiters.removeValue(forKey: $0) })
        }
        for waiter in satisfied { waiter.resume() }
        return result
    }

    /// Calls `action` once, as soon as the value satisfies the predicate: at once, or on the thread that changes it.
    func whenSatisfied(_ isSatisfied: @escaping @Sendable (Value) -> Bool, _ action: @escaping @Sendable () -> Void) {
        add(Waiter(isSatisfied: isSatisfied, resume: action), number: nextNumber())
    }

    /// Waits until the value satisfies the predicate. The predicate runs under the lock and must be pure.
    func wait(until isSatisfied: @escaping @Sendable (Value) -> Bool) async {
        let number = nextNumber()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(Waiter(isSatisfied: isSatisfied) { continuation.resume() }, number: number)
                // The cancellation may have come before there was a waiter to remove.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    private func add(_ waiter: Waiter, number: UInt64) {
        let isSatisfied = state.withLock { state in
            if waiter.isSatisfied(state.value) { return true }
            state.waiters[number] = waiter
            return false
        }
        if isSatisfied { waiter.resume() }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.resume()
    }
}
