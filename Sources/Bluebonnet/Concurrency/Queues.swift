// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// The library's dispatch queues. None of them is the network thread.
enum Queues {
    /// Where handlers run when an operation has no queue of its own: serial, so that they arrive in order.
    static let callbacks = DispatchQueue(label: "org.bluebonnet.callbacks")
    /// Where notifications are posted: serial.
    static let notifications = DispatchQueue(label: "org.bluebonnet.notifications")
    /// Where small files and streams are finished, and what holds closures of a user's, a round at a time.
    static let processing = DispatchQueue(label: "org.bluebonnet.processing")
    /// Where small responses are validated and serialized, a part of a round at a time: serial queues in turn.
    static let serialization = (0..<width).map { DispatchQueue(label: "org.bluebonnet.serialization.\($0)") }
    /// Where requests are made from the results of others, and files are opened: what may wait.
    static let preparation = DispatchQueue(label: "org.bluebonnet.preparation", attributes: .concurrent)
    /// Where large bodies are written to their files while they arrive: concurrent, because one file may be slow.
    static let writing = DispatchQueue(label: "org.bluebonnet.writing", attributes: .concurrent)

    /// Where large responses are serialized, large files, or those that have to be on the disk, are finished, and the
    /// digests of downloads follow: serial queues in turn, one for each processor but at most four. The network thread
    /// sleeps often, so that the system prefers it to them; a processor kept free for it would be idle most of the
    /// time.
    static let largeProcessing = (0..<width).map { DispatchQueue(label: "org.bluebonnet.processing.large.\($0)") }
    private static let width = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 4)

    /// What the next digest follows on. Ends of files have turns of their own: with one count for both, all digests
    /// could come to the same queues.
    static let digests = RoundRobinQueues(largeProcessing)
}

/// Queues of which each has its turn. Any thread.
final class RoundRobinQueues: Sendable {
    private let queues: [DispatchQueue]
    private let position = Atomic<UInt>(0)

    /// - Parameter queues: at least one.
    init(_ queues: [DispatchQueue]) { self.queues = queues }

    var count: Int { queues.count }

    func next() -> DispatchQueue {
        let position = position.wrappingAdd(1, ordering: .relaxed).oldValue
        return queues[Int(position % UInt(queues.count))]
    }
}
