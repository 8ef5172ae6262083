// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Synchronization

/// A value that any thread may change and a test may wait on. A wait ends when the value is as wanted, or when the
/// test's time is up.
final class Witness<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waits: [Int: Wait] = [:]
        var lastNumber = 0
    }

    private struct Wait {
        let isWanted: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value and wakes whoever waits for what it is now.
    @discardableResult
    func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
        let (result, woken) = state.withLock { state in
            let result = change(&state.value)
            let numbers = state.waits.filter { $0.value.isWanted(state.value) }.keys
            return (result, numbers.compactMap { state.waits.removeValue(forKey: $0)?.continuation })
        }
        for continuation in woken { continuation.resume() }
        return result
    }

    /// Waits until the value is as wanted.
    func becomes(_ isWanted: @escaping @Sendable (Value) -> Bool) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { add(Wait(isWanted: isWanted, continuation: $0), number) }
        } onCancel: {
            giveUp(number)
        }
    }

    private func add(_ wait: Wait, _ number: Int) {
        let isOver = state.withLock { state in
            if wait.isWanted(state.value) || Task.isCancelled { return true }
            state.waits[number] = wait
            return false
        }
        if isOver { wait.continuation.resume() }
        if Task.isCancelled { giveUp(number) }
    }

    private func giveUp(_ number: Int) {
        state.withLock { $0.waits.removeValue(forKey: number) }?.continuation.resume()
    }
}

extension Witness where Value == Int {
    convenience init() { self.init(0) }

    func increment() { update { $0 += 1 } }
}

extension Witness {
    /// Appends to a list.
    func append<Element: Sendable>(_ element: Element) where Value == [Element] {
        update { $0.append(element) }
    }
}
