// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// Runs work with a connection on a new thread, which may block.
enum StoreThread {
    static func run<Value: Sendable>(
        _ store: String, _ work: @escaping @Sendable (PostgreSQLConnection) throws(FleetError) -> Value
    ) async throws(FleetError) -> Value {
        let outcome: Result<Value, FleetError> = await withCheckedContinuation { done in
            Thread.detachNewThread {
                done.resume(
                    returning: Result { () throws(FleetError) in
                        try work(PostgreSQLConnection(store, name: "bluebonnet"))
                    })
            }
        }
        return try outcome.get()
    }

    /// Runs work that throws errors of several types.
    static func run<Value: Sendable>(
        _ store: String, _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { done in
            Thread.detachNewThread {
                done.resume(with: Result { try work(PostgreSQLConnection(store, name: "bluebonnet")) })
            }
        }
    }
}

/// A connection that is reused for consecutive work. May be used from any thread, for one piece of work at a time.
final class KeptConnection: Sendable {
    /// A connection that moves between threads.
    private struct IdleConnection: Sendable {
        nonisolated(unsafe) let connection: PostgreSQLConnection  // safe: used only by the thread that has taken it out

        init(_ store: String) throws(FleetError) {
            connection = try PostgreSQLConnection(store, name: "bluebonnet")
        }
    }

    private let store: String
    private let kept = Mutex<IdleConnection?>(nil)

    init(_ store: String) { self.store = store }

    /// Runs work with the connection on a thread that may block. After an error the next call opens a new connection.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (PostgreSQLConnection) throws(FleetError) -> Value
    ) async throws(FleetError) -> Value {
        let outcome: Result<Value, FleetError> = await withCheckedContinuation { done in
            Thread.detachNewThread { [self] in done.resume(returning: result(of: work)) }
        }
        return try outcome.get()
    }

    private func result<Value: Sendable>(
        of work: @Sendable (PostgreSQLConnection) throws(FleetError) -> Value
    ) -> Result<Value, FleetError> {
        do throws(FleetError) {
            // The mutex is unlocked during calls to the store.
            let idle = kept.withLock { kept in
                defer { kept = nil }
                return kept
            }
            let taken = if let idle { idle } else { try IdleConnection(store) }
            let value = try work(taken.connection)
            kept.withLock { $0 = taken }
            return .success(value)
        } catch {
            return .failure(error)
        }
    }
}

/// Passes the result of a task to the thread that waits for the task.
final class ResultBox<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func set(_ new: Result<Value, any Error>) { result.withLock { $0 = new } }

    /// The result. Must be read after the task has set it.
    var value: Result<Value, any Error> {
        guard let value = result.withLock({ $0 }) else { preconditionFailure("the task has no result") }
        return value
    }
}
