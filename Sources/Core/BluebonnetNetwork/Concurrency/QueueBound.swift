// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Dispatch
package import Foundation

/// Carries a non-Sendable value to a serial queue; only that queue may use the value. For Foundation's streams: their
/// reads and writes may block, so they run neither on the network thread nor on a thread of the user.
package struct QueueBound<Value>: @unchecked Sendable {  // safe: `value` traps on any other queue
    let queue: DispatchQueue
    private let stored: Value

    package init(_ value: Value, on queue: DispatchQueue) {
        stored = value
        self.queue = queue
    }

    /// The value, for its original owner, who must not use it while the queue uses it.
    package var handedBack: Value { stored }

    /// The value. Only on the queue.
    var value: Value {
        dispatchPrecondition(condition: .onQueue(queue))
        return stored
    }
}

extension Stream {
    /// The error of the stream; nil unless the stream has failed. On Linux, Foundation's `streamError` crashes if the
    /// stream has not failed.
    package var errorIfAny: (any Error)? { streamStatus == .error ? streamError : nil }
}
