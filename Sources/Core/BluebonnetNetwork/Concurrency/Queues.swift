// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Dispatch
internal import Foundation
internal import Synchronization

/// The library's dispatch queues. None of them is the network thread.
package enum Queues {
    /// Runs handlers of operations without a `completionQueue`. Serial, so that handlers run in order.
    package static let callbacks = DispatchQueue(label: "org.bluebonnet.callbacks")
    /// Posts notifications. Serial.
    package static let notifications = DispatchQueue(label: "org.bluebonnet.notifications")
    /// Calls event monitors. Serial, so that a monitor never receives two batches at once.
    package static let events = DispatchQueue(label: "org.bluebonnet.events")
    /// Finishes small files, streams and operations that retain closures of the user, one batch for each round of the
    /// event loop. Serial.
    package static let processing = DispatchQueue(label: "org.bluebonnet.processing")
    /// Validates and serializes small responses. Serial queues, used in rotation.
    package static let serialization = (0..<width).map { DispatchQueue(label: "org.bluebonnet.serialization.\($0)") }
    /// Makes requests from the results of other operations, and opens files: work that may block.
    package static let blocking = BlockingQueues(label: "org.bluebonnet.blocking", count: 32)
    /// Moves downloads to their destinations. Between file systems, a move is a copy.
    package static let moving = BlockingQueues(label: "org.bluebonnet.moving", count: 16)
    /// Prepares transfers that access no file system and run no user code. Serial queues, used in rotation.
    package static let preparation = RoundRobinQueues(
        (0..<width).map { DispatchQueue(label: "org.bluebonnet.preparation.\($0)") })

    /// Serializes large responses, finishes large or synced files, and computes the digests of downloads. Serial
    /// queues, used in rotation: one for each processor, at most four. No processor is reserved for the network thread:
    /// the thread sleeps often, so the operating system's scheduler favours it.
    package static let largeProcessing = (0..<width).map {
        DispatchQueue(label: "org.bluebonnet.processing.large.\($0)")
    }
    private static let width = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 4)

    /// The rotation of digests over `largeProcessing`. Finishing files uses a separate rotation: with a shared
    /// rotation, all digests could run on the same queue.
    static let digests = RoundRobinQueues(largeProcessing)
}

/// Dispatch queues that are used in rotation. Any thread.
package final class RoundRobinQueues: Sendable {
    private let queues: [DispatchQueue]
    private let position = Atomic<UInt>(0)

    /// - Parameter queues: at least one.
    package init(_ queues: [DispatchQueue]) { self.queues = queues }

    package var count: Int { queues.count }

    package func next() -> DispatchQueue {
        let position = position.wrappingAdd(1, ordering: .relaxed).oldValue
        return queues[Int(position % UInt(queues.count))]
    }
}
