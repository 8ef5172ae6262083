// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

@_spi(Benchmarks) import Bluebonnet
import Foundation
import FoundationNetworking
import HeapFigures

/// Who waits for whom.
enum GraphShape: CaseIterable {
    /// Each waits for the one before.
    case chain
    /// The last waits for all others.
    case fanIn

    /// Adds the dependencies.
    func connect(_ operations: [Operation]) {
        guard let last = operations.last else { return }
        switch self {
        case .chain:
            for (earlier, later) in zip(operations, operations.dropFirst()) { later.addDependency(earlier) }
        case .fanIn:
            for operation in operations.dropLast() { last.addDependency(operation) }
        }
    }
}

/// One measurement of a graph of operations.
enum GraphCase {
    /// Microseconds an operation, from making to releasing.
    static func runBluebonnet(_ shape: GraphShape, size: Int) throws -> Double {
        let manager = RequestOperationManager.inMemory()
        manager.responseSerializer = HTTPResponseSerializer()
        let request = try request(0)
        let seconds = try time {
            let operations = (0..<size).map { _ in manager.operation(with: request) }
            shape.connect(operations)
            manager.operationQueue.addOperations(operations)
            manager.operationQueue.waitUntilAllOperationsAreFinished()
            guard operations.allSatisfy({ $0.statusCode == 200 && $0.error == nil }) else {
                throw BenchmarkError("an operation did not succeed")
            }
        }
        return seconds * 1e6 / Double(size)
    }

    /// The same with blocks in a queue of Foundation's.
    static func runFoundation(_ shape: GraphShape, size: Int) throws -> Double {
        let queue = OperationQueue()
        let seconds = time {
            let operations = (0..<size).map { _ in BlockOperation {} }
            shape.connect(operations)
            queue.addOperations(operations, waitUntilFinished: false)
            queue.waitUntilAllOperationsAreFinished()
        }
        return seconds * 1e6 / Double(size)
    }

    /// Bytes that malloc hands out for an operation that waits in a chain, without and with its request.
    static func memory(size: Int) throws -> (own: Int, withRequest: Int) {
        let manager = RequestOperationManager.inMemory()
        manager.responseSerializer = HTTPResponseSerializer()
        manager.operationQueue.isSuspended = true
        let before = allocatedByteCount
        let requests = try (0..<size).map(request)
        let between = allocatedByteCount
        let operations = requests.map { manager.operation(with: $0) }
        GraphShape.chain.connect(operations)
        manager.operationQueue.addOperations(operations)
        let after = allocatedByteCount
        manager.operationQueue.cancelAllOperations()
        manager.operationQueue.waitUntilAllOperationsAreFinished()
        return ((after - between) / size, (after - before) / size)
    }

    /// Milliseconds from cancelling a chain until every operation has its outcome.
    static func cancelAll(size: Int) throws -> Double {
        let manager = RequestOperationManager.inMemory()
        manager.responseSerializer = HTTPResponseSerializer()
        manager.operationQueue.isSuspended = true
        let request = try request(0)
        let operations = (0..<size).map { _ in manager.operation(with: request) }
        GraphShape.chain.connect(operations)
        manager.operationQueue.addOperations(operations)
        let seconds = time {
            manager.operationQueue.cancelAllOperations()
            manager.operationQueue.waitUntilAllOperationsAreFinished()
        }
        guard operations.allSatisfy({ $0.error?.code == .cancelled }) else {
            throw BenchmarkError("an operation was not cancelled")
        }
        return seconds * 1e3
    }

    private static func request(_ number: Int) throws -> URLRequest {
        guard let url = URL(string: "http://127.0.0.1/\(number)") else { throw BenchmarkError("no URL") }
        return URLRequest(url: url)
    }

    private static var allocatedByteCount: Int { Int(heap_allocated_byte_count()) }

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
