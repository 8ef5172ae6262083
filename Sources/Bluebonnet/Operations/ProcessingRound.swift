// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Takes the operations whose transfers have ended: finishes those whose end runs nothing of a user's, and hands the
/// others to the processing queues, in few hops for all of a round of the event loop. Network thread only.
final class ProcessingRound: RoundEndTask {
    static let shared = NetworkBound(ProcessingRound())

    /// A body over this size is processed on a queue of its own, where it holds up no small one.
    private static let largeByteCount = 64 * 1024
    /// Room for so many is kept from round to round.
    private static let keptCount = 256

    /// The handlers of so many can wait until what comes next has been sent; those of fewer are more likely waited for.
    private static let manyCount = 8

    /// Those that are finished here, which spares a chain of small requests two changes of thread for each.
    @exclusivity(unchecked) private var ownOperations: [RequestOperation] = []
    /// Those of the round at hand; empty with room for those of the next round in between.
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
        handover.freeDeferred()
    }
}

@available(*, unavailable)
extension ProcessingRound: Sendable {}

/// What a round hands to queues, when all that it starts is on its way. Network thread only.
private final class Handover: RoundEndTask {
    /// So few small bodies are not divided among queues.
    private static let leastCount = 4

    @exclusivity(unchecked) private var operations: [RequestOperation] = []
    @exclusivity(unchecked) private var serializedOperations: [RequestOperation] = []
    @exclusivity(unchecked) private var largeOperations: [HandedOver] = []
    @exclusivity(unchecked) var callbacks = CallbackRound(canBeOvertaken: false)
    /// Empty, with room for what comes.
    private var returned: [DeferredFree.Item] = []
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
        freeDeferred()
    }

    func freeDeferred() {
        DeferredFree.shared.takeAll(into: &returned)
        returned.removeAll(keepingCapacity: true)
    }

    /// Serializing takes longer than a request, so that one queue would hold up what several processors could do: the
    /// queues have equal parts of the round, in turn.
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

/// Operations on their way to another thread, which alone has them then: the last one that lets an operation go may
/// release what is a user's, and that must not be the network thread.
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

/// Collects the ends of operations and hands them to their handlers' queues: one hop for neighbours on the same queue.
struct CallbackRound {
    /// Whether operations that begin now may end before these ends are handed on: not on the network thread, where that
    /// takes another round.
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
