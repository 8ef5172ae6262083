// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch

/// Runs work that may block, on a bounded number of threads. Any thread.
///
/// On Linux, concurrent queues share the threads of libdispatch's default pool with Swift concurrency. A few blocked
/// file operations would stop the program's tasks, and busy tasks would stop downloads. A serial queue gets its own
/// thread whenever it has work.
package final class BlockingQueues: Sendable {
    package typealias Work = @Sendable () -> Void

    private struct State {
        /// The queues without work, the most recently used queue last.
        var idle: [DispatchQueue]
        /// Work that waits for an idle queue. Work is not assigned to a busy queue, where it could wait for work that
        /// blocks.
        var pending = Deque<Work>()
    }

    let queues: [DispatchQueue]
    private let state: Mutex<State>

    /// - Parameter count: the maximum number of pieces of work that run at the same time; at least one.
    init(label: String, count: Int) {
        let queues = (0..<count).map { DispatchQueue(label: "\(label).\($0)") }
        self.queues = queues
        state = Mutex(State(idle: queues.reversed()))
    }

    package func async(_ work: @escaping Work) {
        let idle = state.withLock { state in
            let idle = state.idle.popLast()
            if idle == nil { state.pending.append(work) }
            return idle
        }
        if let idle { run(work, on: idle) }
    }

    /// Runs work, and suspends the calling task until the work has finished.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { waiter in
            async { waiter.resume(returning: Result { () throws(Failure) in try work() }) }
        }
        return try result.get()
    }

    private func run(_ work: @escaping Work, on queue: DispatchQueue) {
        queue.async { [self] in
            work()
            let next = state.withLock { state in
                let next = state.pending.isEmpty ? nil : state.pending.removeFirst()
                if next == nil { state.idle.append(queue) }
                return next
            }
            if let next { run(next, on: queue) }
        }
    }
}
