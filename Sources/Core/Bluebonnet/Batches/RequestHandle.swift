// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// An operation with the type of its result. The result can be awaited, handled in a closure, or used for other
/// operations.
///
/// ```swift
/// let login = manager.post("login", parameters: account, returning: JSONResponseSerializer())
/// let profile = manager.call("me").after(login) { request, login in
///     request.setValue("Bearer \(login["token"]?.string ?? "")", forHTTPHeaderField: "Authorization")
/// }.start()
/// let name = try await profile.value["name"]
/// ```
///
/// A handle is a value; its copies refer to the same operation.
public struct RequestHandle<Value: Sendable>: ResultSource {
    /// The operation.
    public let operation: HTTPRequestOperation

    /// Creates a handle for an operation whose response serializer makes values of this type.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - type: checked when the result exists; a result of another type causes the error `cannotParseResponse`.
    public init(_ operation: HTTPRequestOperation, as type: Value.Type = Value.self) {
        self.operation = operation
    }

    /// The operation's result; nil before the operation is finished.
    public var result: Result<Value, NetworkingError>? {
        guard operation.isFinished else { return nil }
        return Result { () throws(NetworkingError) in try operation.finalValue(as: Value.self) }
    }

    /// The value. The calling task is suspended until the operation is finished. Cancelling the task ends the
    /// suspension, and the operation continues; see `RequestOperationManager.run(_:)`.
    ///
    /// - Throws: as `HTTPRequestOperation.value` does.
    public var value: Value {
        get async throws(NetworkingError) { try await operation.value(as: Value.self) }
    }

    /// Calls a handler once, on the operation's `completionQueue`, when the operation is finished; immediately if it is
    /// already finished.
    @discardableResult
    public func whenFinished(_ handler: @escaping @Sendable (Result<Value, NetworkingError>) -> Void) -> Self {
        operation.addCompletion { operation, _ in
            if let result = RequestHandle(operation).result { handler(result) }
        }
        return self
    }

    /// Cancels the operation.
    public func cancel() { operation.cancel() }

    /// Pauses the operation.
    public func pause() { operation.pause() }

    /// Resumes the operation.
    public func resume() { operation.resume() }
}

extension RequestHandle: CustomStringConvertible {
    /// The operation's description with the type of the result, for logs.
    public var description: String { "<RequestHandle<\(Value.self)>: \(operation)>" }
}

// MARK: - Result source

extension RequestHandle {
    public var dependencies: [ResultDependency] { [ResultDependency(operation)] }

    /// Returns the value of an operation that has ended.
    ///
    /// - Throws: `dependencyFailed` if the operation did not succeed or has not ended.
    public func finalValue() throws(NetworkingError) -> Value {
        switch operation.result {
        case .success?: return try operation.finalValue(as: Value.self)
        case .failure?: throw SkipReason(operation).error
        case nil:
            throw NetworkingError(
                .dependencyFailed, "\"\(operation.graphName)\" has not ended: add it as a dependency")
        }
    }
}

extension HTTPRequestOperation {
    /// Returns a handle with the type that the operation's response serializer makes.
    public func handle<Value: Sendable>(returning type: Value.Type) -> RequestHandle<Value> {
        RequestHandle(self, as: type)
    }
}
