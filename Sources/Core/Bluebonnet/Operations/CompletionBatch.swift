// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// An operation, as the rounds see it at its end.
protocol EndingOperation: AnyObject, Sendable {
    func processingTarget(largeFrom byteCount: Int) -> ProcessingTarget
    /// Validates and serializes the response, finishes the operation, and adds its handlers. On a processing queue, or
    /// on the network thread if no code of the program is involved.
    func process(into callbacks: inout CallbackRound)
    /// Calls the handlers, on their queue.
    func runHandlers()
}

/// Where an operation's response is validated and serialized.
enum ProcessingTarget {
    /// On the network thread: no code of the program runs except handlers, which have their own queue; no closure is
    /// released and no file is accessed.
    case networkThread
    /// On one serial queue: small files, streams, responses that are cached or kept for later, and small bodies whose
    /// operations retain closures of the program.
    case queue
    /// On several queues at the same time, if there are several processors: small bodies whose serializer or digest may
    /// take long.
    case serializationQueue
    /// On queues for operations that would delay small ones: the body is large, or is synced to disk.
    case largeQueue
}

/// Collects the operations whose transfers have ended. Finishes the operations whose end runs no code of the program,
/// and submits the others to the processing queues, in one batch for each queue and round of the event loop. Network
/// thread only.
final class CompletionBatch: RoundEndTask {
    /// Larger bodies are processed on other queues, where they do not delay small ones.
    private static let largeByteCount = 64 * 1024
    /// The capacity that is kept between rounds.
    private static let keptCount = 256

    /// From this number of ends in a round, their handlers are submitted after the next requests have been sent. With
    /// fewer ends they are submitted before, because the program is more likely to wait for them.
    private static let manyCount = 8

    /// The operations that are finished on the network thread, which saves two thread hops per request.
    private var ownOperations: [any EndingOperation] = []
    /// The ends of the current round; empty between rounds, with its capacity kept.
    private var current: [any EndingOperation] = []
    private let loop: EventLoop
    private let handover: CompletionHandoff

    init(loop: EventLoop) {
        self.loop = loop
        handover = CompletionHandoff(loop: loop)
    }

    func add(_ operation: any EndingOperation) {
        switch operation.processingTarget(largeFrom: Self.largeByteCount) {
        case .networkThread:
            if ownOperations.isEmpty { loop.atEndOfRound(.processing, self) }
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
extension CompletionBatch: Sendable {}

/// Submits the operations of a round to queues, after all requests that the round starts have been sent. Network thread
/// only.
private final class CompletionHandoff: RoundEndTask {
    /// Fewer small bodies than this are not divided among queues.
    private static let leastCount = 4

    private var operations: [any EndingOperation] = []
    private var serializedOperations: [any EndingOperation] = []
    private var largeOperations: [HandedOver] = []
    var callbacks = CallbackRound(canBeOvertaken: false)
    private let largeQueues = RoundRobinQueues(Queues.largeProcessing)
    private let serializationQueues = RoundRobinQueues(Queues.serialization)
    private let loop: EventLoop
    private var isScheduled = false

    init(loop: EventLoop) { self.loop = loop }

    func add(_ operation: any EndingOperation) {
        operations.append(operation)
        schedule()
    }

    func addSerialized(_ operation: any EndingOperation) {
        serializedOperations.append(operation)
        schedule()
    }

    func addLarge(_ operation: any EndingOperation) {
        largeOperations.append(HandedOver([operation]))
        schedule()
    }

    func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.atEndOfRound(.handover, self)
    }

    func roundEnds() {
        isScheduled = false
        callbacks.flush()
        if !operations.isEmpty {
            let round = HandedOver(operations)
            operations = []
            Queues.processing.async { Self.process(round.removeAll()) }
        }
        handOverSerialized()
        for large in largeOperations {
            largeQueues.next().async { Self.process(large.removeAll()) }
        }
        largeOperations = []
    }

    /// Divides the round's small bodies equally among several queues: serialization takes longer than a request, so
    /// that one queue would leave processors idle.
    private func handOverSerialized() {
        guard !serializedOperations.isEmpty else { return }
        let parts = serializedOperations.divided(among: serializationQueues.count, least: Self.leastCount)
            .map(HandedOver.init)
        serializedOperations = []  // before a queue has the parts: the queue has to release the operations
        for part in parts {
            serializationQueues.next().async { Self.process(part.removeAll()) }
        }
    }

    private static func process(_ operations: [any EndingOperation]) {
        var callbacks = CallbackRound(canBeOvertaken: true)
        for operation in operations { operation.process(into: &callbacks) }
        callbacks.flush()
    }
}

@available(*, unavailable)
extension CompletionHandoff: Sendable {}

/// Operations that are moved to another thread, so that the network thread never releases the last reference, which may
/// release objects of the program.
private final class HandedOver: Sendable {
    private let operations: Mutex<[any EndingOperation]>

    init(_ operations: [any EndingOperation]) { self.operations = Mutex(operations) }

    func removeAll() -> [any EndingOperation] {
        operations.withLock { operations in
            defer { operations = [] }
            return operations
        }
    }
}

/// The end of an operation, as delivered on the queue of its handlers.
struct EndOfOperation: Sendable {
    let operation: any EndingOperation
    let group: DispatchGroup?

    func runHandlers() {
        operation.runHandlers()
        group?.leave()
    }
}

/// Collects the ends of operations and submits them to their handlers' queues: one submission for consecutive ends on
/// the same queue.
struct CallbackRound {
    /// Whether operations that begin now may end before these ends are submitted. This is impossible on the network
    /// thread, where an end takes another round.
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
            for end in ends { end.runHandlers() }
        }
        ends = []
        self.queue = nil
    }
}
