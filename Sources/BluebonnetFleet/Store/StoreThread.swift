// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// Works with a connection on a thread of its own, which may wait.
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

    /// As above, for work with errors of several kinds.
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

/// What a task leaves for a thread that waits for it.
final class ResultBox<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func set(_ new: Result<Value, any Error>) { result.withLock { $0 = new } }

    /// To be asked after the task has set it.
    var value: Result<Value, any Error> {
        guard let value = result.withLock({ $0 }) else { preconditionFailure("the task has left nothing") }
        return value
    }
}
