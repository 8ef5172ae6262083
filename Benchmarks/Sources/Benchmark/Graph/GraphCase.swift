// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
@_spi(Benchmarks) import BluebonnetTesting
import Figures
import Foundation
import FoundationNetworking
import HeapFigures
import LoadClients

/// The dependencies in a graph of operations.
enum GraphShape: String, CaseIterable {
    /// No dependencies: the cost of the operations alone.
    case independent
    /// Each operation depends on the previous one.
    case chain
    /// The last operation depends on all others.
    case fanIn

    /// Adds the dependencies.
    func connect(_ operations: [some Operation]) {
        guard let last = operations.last else { return }
        switch self {
        case .independent: break
        case .chain:
            for (earlier, later) in zip(operations, operations.dropFirst()) { later.addDependency(earlier) }
        case .fanIn:
            for operation in operations.dropLast() { last.addDependency(operation) }
        }
    }
}

/// One measurement of a graph of operations.
enum GraphCase {
    /// Returns the time per operation in microseconds for making, adding, running and releasing. Checking the outcomes
    /// is not included.
    static func runBluebonnet(_ shape: GraphShape, size: Int) throws -> Cost {
        let manager = RequestOperationManager.inMemory()
        manager.responseSerializer = HTTPResponseSerializer()
        let request = try request(0)
        var operations: [HTTPRequestOperation] = []
        let running = cost {
            operations = (0..<size).map { _ in manager.operation(with: request) }
            shape.connect(operations)
            manager.operationQueue.addOperations(operations)
            manager.operationQueue.waitUntilAllOperationsAreFinished()
        }
        guard operations.allSatisfy({ $0.statusCode == 200 && $0.error == nil }) else {
            throw BenchmarkError("an operation did not succeed")
        }
        let releasing = cost { operations = [] }
        return (running + releasing) * (1e6 / Double(size))
    }

    /// Measures the graph with blocks in Foundation's queue.
    static func runFoundation(_ shape: GraphShape, size: Int) throws -> Cost {
        let queue = OperationQueue()
        let cost = cost {
            let operations = (0..<size).map { _ in BlockOperation {} }
            shape.connect(operations)
            queue.addOperations(operations, waitUntilFinished: false)
            queue.waitUntilAllOperationsAreFinished()
        }
        return cost * (1e6 / Double(size))
    }

    /// Returns the bytes allocated with malloc per operation that waits in a chain, without and with its request.
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

    /// Returns the time in milliseconds from cancelling a chain until every operation has its outcome.
    static func cancelAll(size: Int) throws -> Cost {
        let manager = RequestOperationManager.inMemory()
        manager.responseSerializer = HTTPResponseSerializer()
        manager.operationQueue.isSuspended = true
        let request = try request(0)
        let operations = (0..<size).map { _ in manager.operation(with: request) }
        GraphShape.chain.connect(operations)
        manager.operationQueue.addOperations(operations)
        let cost = cost {
            manager.operationQueue.cancelAllOperations()
            manager.operationQueue.waitUntilAllOperationsAreFinished()
        }
        guard operations.allSatisfy({ $0.error?.code == .cancelled }) else {
            throw BenchmarkError("an operation was not cancelled")
        }
        return cost * 1e3
    }

    private static func request(_ number: Int) throws -> URLRequest {
        guard let url = URL(string: "http://127.0.0.1/\(number)") else { throw BenchmarkError("no URL") }
        return URLRequest(url: url)
    }

    private static var allocatedByteCount: Int { Int(heap_allocated_byte_count()) }

    private static func cost(_ body: () throws -> Void) rethrows -> Cost {
        let (start, cpu) = (ContinuousClock.now, ProcessFigures.cpuSeconds)
        try body()
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Cost(wall: Double(seconds) + Double(attoseconds) / 1e18, cpu: ProcessFigures.cpuSeconds - cpu)
    }
}

/// A measured cost: elapsed time, and processor time, which other programs affect less.
struct Cost {
    let wall: Double
    let cpu: Double

    static func + (a: Cost, b: Cost) -> Cost { Cost(wall: a.wall + b.wall, cpu: a.cpu + b.cpu) }

    static func * (cost: Cost, factor: Double) -> Cost { Cost(wall: cost.wall * factor, cpu: cost.cpu * factor) }
}

/// The costs of several rounds.
struct CostSpread {
    let wall: Spread
    let cpu: Spread

    /// - Parameter costs: at least one cost.
    init(_ costs: [Cost]) {
        wall = Spread(costs.map(\.wall))
        cpu = Spread(costs.map(\.cpu))
    }

    /// The text, for example `9.4 (8.6–12.0), CPU 9.3`.
    var text: String { "\(wall.text(fractionDigits: 1)), CPU \(Spread.text(cpu.median, 1))" }
}
