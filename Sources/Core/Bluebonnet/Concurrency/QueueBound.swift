// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation

/// Carries a non-Sendable value to a serial queue; only that queue may open it. For Foundation's streams, whose reads
/// and writes may block and therefore happen neither on the network thread nor on a user's.
struct QueueBound<Value>: @unchecked Sendable {  // safe: `value` traps on any other queue
    let queue: DispatchQueue
    private let stored: Value

    init(_ value: Value, on queue: DispatchQueue) {
        stored = value
        self.queue = queue
    }

    /// The value, for its original owner, who must not use it while the queue works on it.
    var handedBack: Value { stored }

    /// The value; on its queue only.
    var value: Value {
        dispatchPrecondition(condition: .onQueue(queue))
        return stored
    }
}

extension Stream {
    /// Why the stream failed; nil when it did not. Foundation's own `streamError` crashes on Linux then.
    var errorIfAny: (any Error)? { streamStatus == .error ? streamError : nil }
}
