// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Figures
import Synchronization

/// The end of something that runs elsewhere, to wait for.
final class Completion: Sendable {
    private let state = Mutex<(isOver: Bool, failure: String?, byteCount: Int64)>((false, nil, 0))
    private let semaphore = DispatchSemaphore(value: 0)

    /// Whether it has ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The bytes that were noted.
    var byteCount: Int64 { state.withLock { $0.byteCount } }

    func note(count: Int64) { state.withLock { $0.byteCount = count } }

    func note(failure: String?) {
        state.withLock { state in
            state.isOver = true
            state.failure = failure
        }
        semaphore.signal()
    }

    /// Waits for the end; throws when it is a failure.
    func wait() throws {
        semaphore.wait()
        if let failure = state.withLock({ $0.failure }) { throw BenchmarkError(failure) }
    }
}
