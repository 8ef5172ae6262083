// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Figures
import Synchronization

/// Waits for the end of work that runs on another thread.
final class Completion: Sendable {
    private let state = Mutex<(isOver: Bool, failure: String?, byteCount: Int64)>((false, nil, 0))
    private let semaphore = DispatchSemaphore(value: 0)

    /// Whether the work has ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The recorded number of bytes.
    var byteCount: Int64 { state.withLock { $0.byteCount } }

    func setByteCount(_ count: Int64) { state.withLock { $0.byteCount = count } }

    func end(failure: String?) {
        state.withLock { state in
            state.isOver = true
            state.failure = failure
        }
        semaphore.signal()
    }

    /// Waits for the end of the work. Throws its failure.
    func wait() throws {
        semaphore.wait()
        if let failure = state.withLock({ $0.failure }) { throw BenchmarkError(failure) }
    }
}
