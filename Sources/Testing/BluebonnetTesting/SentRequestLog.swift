// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

/// The requests of one manager, in order, and the tasks that wait for requests. Any thread.
final class SentRequestLog: Sendable {
    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var requests: [SentRequest] = []
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        /// The waiters whose tasks were cancelled before they were added.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    var requests: [SentRequest] { state.withLock { $0.requests } }

    func add(_ request: SentRequest) {
        let due = state.withLock { state in
            state.requests.append(request)
            let due = state.waiters.filter { $0.value.count <= state.requests.count }
            for number in due.keys { state.waiters[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// Returns when there are at least `count` requests, or the task is cancelled.
    func wait(for count: Int) async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.requests.count >= count || state.cancelled.remove(number) != nil { return true }
                    state.waiters[number] = Waiter(count: count, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if let waiter = state.waiters.removeValue(forKey: number) { return waiter.continuation }
                state.cancelled.insert(number)
                return nil
            }
            waiter?.resume()
        }
    }
}
