// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Dispatch
public import Testing

/// A value, guarded by a lock, that any thread can change and a test can await.
///
/// ```swift
/// let order = Observed([String]())
/// operation.addCompletionHandler { _ in order.append("ended") }
/// operation.start()
/// await order.becomes(["ended"])
/// await order.becomes { $0.count == 1 }
/// ```
/// For a value without notifications of changes, use `becomes(_:within:at:value:)` and
/// `eventually(_:within:at:satisfies:)`.
public final class Observed<Value: Sendable>: Sendable {
    private enum End: Sendable {
        case wanted
        case late(lastSeen: Value)
        case cancelled
    }

    private struct Waiter {
        let isWanted: @Sendable (Value) -> Bool
        let resume: @Sendable (End) -> Void
    }

    private struct State {
        var value: Value
        var waiters: [UInt64: Waiter] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state: Mutex<State>

    public init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// The current value.
    public var value: Value { state.withLock { $0.value } }

    /// Changes the value, then resumes the waiters whose condition it satisfies.
    @discardableResult
    public func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
        let (result, satisfied) = state.withLock { state in
            let result = change(&state.value)
            let numbers = state.waiters.filter { $0.value.isWanted(state.value) }.keys.sorted()
            return (result, numbers.compactMap { state.waiters.removeValue(forKey: $0) })
        }
        for waiter in satisfied { waiter.resume(.wanted) }
        return result
    }

    /// Waits until the value satisfies a condition. Fails the test with the last value on timeout.
    ///
    /// Waiting also ends when the task is cancelled, for example by the test's time limit. `isWanted` is called at
    /// every change under the lock and must be pure.
    ///
    /// - Returns: whether the value satisfied the condition.
    @discardableResult
    public func becomes(
        within limit: Duration = patience, at location: SourceLocation = #_sourceLocation,
        _ isWanted: @escaping @Sendable (Value) -> Bool
    ) async -> Bool {
        await becomes(isWanted, named: nil, within: limit, at: location)
    }

    /// Waits until the value equals another one. Fails the test with the last value on timeout.
    @discardableResult
    public func becomes(
        _ wanted: Value, within limit: Duration = patience, at location: SourceLocation = #_sourceLocation
    ) async -> Bool where Value: Equatable {
        await becomes({ $0 == wanted }, named: "\(wanted)", within: limit, at: location)
    }

    /// Calls `action` once when the value satisfies the predicate: at once, or on the thread that changes the value.
    func whenSatisfied(_ isSatisfied: @escaping @Sendable (Value) -> Bool, _ action: @escaping @Sendable () -> Void) {
        add(Waiter(isWanted: isSatisfied) { _ in action() }, number: nextNumber())
    }

    private func becomes(
        _ isWanted: @escaping @Sendable (Value) -> Bool, named name: String?, within limit: Duration,
        at location: SourceLocation
    ) async -> Bool {
        if isWanted(value) { return true }
        switch await end(ofWaitingFor: isWanted, within: limit) {
        case .wanted: return true
        case .cancelled: return false
        case .late(let lastSeen):
            recordLateness(of: name, lastSeen: lastSeen, after: limit, at: location)
            return false
        }
    }

    private func end(
        ofWaitingFor isWanted: @escaping @Sendable (Value) -> Bool, within limit: Duration
    ) async -> End {
        let number = nextNumber()
        let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler { [weak self] in self?.giveUp(number) { .late(lastSeen: $0) } }
        timer.schedule(deadline: .now() + limit / .seconds(1))
        timer.activate()
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(Waiter(isWanted: isWanted) { continuation.resume(returning: $0) }, number: number)
                // The cancellation may have come before the waiter was added.
                if Task.isCancelled { giveUp(number) { _ in .cancelled } }
            }
        } onCancel: {
            giveUp(number) { _ in .cancelled }
        }
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    private func add(_ waiter: Waiter, number: UInt64) {
        let isWanted = state.withLock { state in
            if waiter.isWanted(state.value) { return true }
            state.waiters[number] = waiter
            return false
        }
        if isWanted { waiter.resume(.wanted) }
    }

    private func giveUp(_ number: UInt64, _ end: @Sendable (Value) -> End) {
        let (waiter, value) = state.withLock { ($0.waiters.removeValue(forKey: number), $0.value) }
        waiter?.resume(end(value))
    }
}

extension Observed where Value == Int {
    public func increment() { update { $0 += 1 } }
}

extension Observed {
    /// Appends an element to a list.
    public func append<Element: Sendable>(_ element: Element) where Value == [Element] {
        update { $0.append(element) }
    }
}
