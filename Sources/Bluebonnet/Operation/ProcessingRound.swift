// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Collects the operations whose transfers ended in one round of the event loop, and hands them to the processing queue
/// in one hop. Network thread only.
final class ProcessingRound: RoundEndTask {
    static let shared = NetworkBound(ProcessingRound())

    /// A body over this size is processed on a queue of its own, where it holds up no small one.
    private static let largeByteCount = 64 * 1024

    private var operations: [RequestOperation] = []
    /// Those whose end runs nothing of a user's: they are finished here, which spares a chain of small requests two
    /// changes of thread for each.
    private var ownOperations: [RequestOperation] = []
    private var largeOperations: [HandedOver] = []
    private var nextLargeQueue = 0

    func add(_ operation: RequestOperation) {
        if operations.isEmpty && ownOperations.isEmpty && largeOperations.isEmpty {
            NetworkThread.shared.eventLoop.atEndOfRound(.processing, self)
        }
        switch operation.placeOfProcessing(largeFrom: Self.largeByteCount) {
        case .here: ownOperations.append(operation)
        case .queue: operations.append(operation)
        case .largeQueue: largeOperations.append(HandedOver([operation]))
        }
    }

    func roundEnds() {
        if !operations.isEmpty {
            let round = HandedOver(operations)
            operations = []
            Queues.processing.async { Self.process(round.take()) }
        }
        for large in largeOperations {
            nextLargeQueue = (nextLargeQueue + 1) % Queues.largeProcessing.count
            Queues.largeProcessing[nextLargeQueue].async { Self.process(large.take()) }
        }
        largeOperations = []
        let ownRound = ownOperations
        ownOperations = []
        Self.process(ownRound)
    }

    private static func process(_ operations: [RequestOperation]) {
        var callbacks = CallbackRound()
        for operation in operations { operation.process(into: &callbacks) }
        callbacks.flush()
    }
}

@available(*, unavailable)
extension ProcessingRound: Sendable {}

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

/// Collects handlers and hands them to their queues: one hop for neighbours on the same queue.
struct CallbackRound {
    typealias Callback = @Sendable () -> Void
    private var queue: DispatchQueue?
    private var callbacks: [Callback] = []

    mutating func add(on queue: DispatchQueue, _ callback: @escaping Callback) {
        if self.queue !== queue { flush() }
        self.queue = queue
        callbacks.append(callback)
    }

    mutating func flush() {
        guard let queue, !callbacks.isEmpty else { return }
        queue.async { [callbacks] in
            for callback in callbacks { callback() }
        }
        callbacks = []
    }
}
