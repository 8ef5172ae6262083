// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Takes the operations whose transfers have ended. Finishes the operations whose end runs no user code, and submits
/// the others to the processing queues, in one batch for each queue and round of the event loop. Network thread only.
final class ProcessingRound: RoundEndTask {
    static let shared = NetworkBound(ProcessingRound())

    /// Larger bodies are processed on other queues, where they do not delay small ones.
    private static let largeByteCount = 64 * 1024
    /// The capacity that is kept from round to round.
    private static let keptCount = 256

    /// With at least this many ends in a round, their handlers are submitted after the next requests have been sent;
    /// with fewer, before, because the program more likely waits for them.
    private static let manyCount = 8

    /// Operations finished on the network thread; saves two thread hops per request.
    @exclusivity(unchecked) private var ownOperations: [RequestOperation] = []
    /// The ends of the current round; empty between rounds, with capacity kept.
    @exclusivity(unchecked) private var current: [RequestOperation] = []
    private let handover = Handover()

    func add(_ operation: RequestOperation) {
        switch operation.processingTarget(largeFrom: Self.largeByteCount) {
        case .networkThread:
            if ownOperations.isEmpty { NetworkThread.shared.eventLoop.atEndOfRound(.processing, self) }
            ownOperations.append(operation)
        case .queue: handover.add(operation)
        case .serializationQueue: handover.addSerialized(operation)
        case .largeQueue: handover.addLarge(operation)
        }
    }

    func roundEnds() {
        swap(&ownOperations, &current)
        let count = current.count
        current.empty(keepingRoomFor: Self.keptCount) { $0.process(into: &handover.callbacks) }
        guard count < Self.manyCount else { return handover.schedule() }
        handover.callbacks.flush()
    }
}

@available(*, unavailable)
extension ProcessingRound: Sendable {}

/// Submits the operations of a round to queues, after everything that the round starts has been sent. Network thread
/// only.
private final class Handover: RoundEndTask {
    /// Fewer small bodies than this are not divided among queues.
    private static let leastCount = 4

    @exclusivity(unchecked) private var operations: [RequestOperation] = []
    @exclusivity(unchecked) private var serializedOperations: [RequestOperation] = []
    @exclusivity(unchecked) private var largeOperations: [HandedOver] = []
    @exclusivity(unchecked) var callbacks = CallbackRound(canBeOvertaken: false)
    private let largeQueues = RoundRobinQueues(Queues.largeProcessing)
    private let serializationQueues = RoundRobinQueues(Queues.serialization)
    private var isScheduled = false

    func add(_ operation: RequestOperation) {
        operations.append(operation)
        schedule()
    }

    func addSerialized(_ operation: RequestOperation) {
        serializedOperations.append(operation)
        schedule()
    }

    func addLarge(_ operation: RequestOperation) {
        largeOperations.append(HandedOver([operation]))
        schedule()
    }

    func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        NetworkThread.shared.eventLoop.atEndOfRound(.handover, self)
    }

    func roundEnds() {
        isScheduled = false
        callbacks.flush()
        if !operations.isEmpty {
            let round = HandedOver(operations)
            operations = []
            Queues.processing.async { Self.process(round.take()) }
        }
        handOverSerialized()
        for large in largeOperations {
            largeQueues.next().async { Self.process(large.take()) }
        }
        largeOperations = []
    }

    /// Divides the round's small bodies equally among several queues: serializing takes longer than a request, so that
    /// one queue would leave processors idle.
    private func handOverSerialized() {
        guard !serializedOperations.isEmpty else { return }
        let parts = serializedOperations.divided(among: serializationQueues.count, least: Self.leastCount)
            .map(HandedOver.init)
        serializedOperations = []  // before a queue has them, which is to let them go
        for part in parts {
            serializationQueues.next().async { Self.process(part.take()) }
        }
    }

    private static func process(_ operations: [RequestOperation]) {
        var callbacks = CallbackRound(canBeOvertaken: true)
        for operation in operations { operation.process(into: &callbacks) }
        callbacks.flush()
    }
}

@available(*, unavailable)
extension Handover: Sendable {}

/// Operations that are moved to another thread, so that the network thread never releases the last reference: that may
/// release objects of the user's.
private final class HandedOver: Sendable {
    private let operations: Mutex<[RequestOperation]>

    init(_ operations: [RequestOperation]) { self.operations = Mutex(operations) }

    func take() -> [RequestOperation] {
        operations.withLock { operations in
            defer { operations = [] }
            return operations
        }
    }
}

/// Collects the ends of operations and submits them to their handlers' queues: one submission for consecutive ends on
/// the same queue.
struct CallbackRound {
    /// Whether operations that begin now may end before these ends are submitted: not on the network thread, where an
    /// end takes another round.
    private let canBeOvertaken: Bool
    private var queue: DispatchQueue?
    private var ends: [EndOfOperation] = []

    init(canBeOvertaken: Bool) { self.canBeOvertaken = canBeOvertaken }

    mutating func add(on queue: DispatchQueue, _ end: EndOfOperation) {
        if self.queue !== queue { flush() }
        self.queue = queue
        ends.append(end)
    }

    mutating func flushBeforeOthersBegin() {
        if canBeOvertaken { flush() }
    }

    mutating func flush() {
        guard let queue, !ends.isEmpty else { return }
        queue.async { [ends] in
            for end in ends { end.tell() }
        }
        ends = []
        self.queue = nil
    }
}
