// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
import BluebonnetLocks
import Foundation

/// Counts the outcomes of operations, and checks that operations are released.
public final class OutcomeLedger: Sendable {
    private struct Entry {
        weak var operation: HTTPRequestOperation?
        let name: String
        var outcomeCount = 0
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var lastNumber = 0
        var endedCount = 0
        var faults: [String] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Tracks an operation that was not started yet, and returns it.
    @discardableResult
    public func track(_ operation: HTTPRequestOperation, _ name: String) -> HTTPRequestOperation {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.entries[state.lastNumber] = Entry(operation: operation, name: name)
            return state.lastNumber
        }
        operation.addCompletion { [self] _, _ in recordOutcome(number) }
        return operation
    }

    private func recordOutcome(_ number: Int) {
        state.withLock { state in
            guard var entry = state.entries[number] else {
                return state.faults.append("an outcome of a settled operation")
            }
            entry.outcomeCount += 1
            if entry.outcomeCount == 1 { state.endedCount += 1 }
            state.entries[number] = entry
        }
    }

    /// The numbers of tracked operations and of operations with an outcome.
    public var counts: (tracked: Int, ended: Int) { state.withLock { ($0.lastNumber, $0.endedCount) } }

    /// Forgets operations that had one outcome and were released, so that memory does not grow in a long run. Returns
    /// the faults so far.
    @discardableResult
    public func settle() -> [String] {
        state.withLock { state in
            let settled = state.entries.filter { $0.value.outcomeCount == 1 && $0.value.operation == nil }
            for number in settled.keys { state.entries[number] = nil }
            for entry in state.entries.values where entry.outcomeCount > 1 {
                state.faults.append("\(entry.name) had \(entry.outcomeCount) outcomes")
            }
            return state.faults
        }
    }

    /// The faults when everything has ended: operations without an outcome, with several outcomes, or not released.
    public var faultsAtEnd: [String] {
        settle()
        return state.withLock { state in
            state.faults
                + state.entries.values.map { entry in
                    entry.outcomeCount == 0
                        ? "\(entry.name) had no outcome" : "\(entry.name) ended and was not released"
                }
        }
    }
}
