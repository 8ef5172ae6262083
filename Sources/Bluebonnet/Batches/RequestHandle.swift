// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// An operation and the type of what it returns: to wait for it, to be called with it, or to make other operations from
/// it.
///
/// ```swift
/// let login = manager.post("login", parameters: account, returning: JSONResponseSerializer())
/// let profile = manager.get("me", after: login, returning: JSONResponseSerializer()) { request, login in
///     request.setValue("Bearer \(login["token"]?.string ?? "")", forHTTPHeaderField: "Authorization")
/// }
/// let name = try await profile.value["name"]
/// ```
///
/// A handle is a value; copies stand for the same operation.
public struct RequestHandle<Value: Sendable>: ResultSource {
    /// The operation.
    public let operation: HTTPRequestOperation

    /// Stands for an operation whose response serializer makes such values.
    ///
    /// - Parameter type: checked when there is a result: another one is the error `cannotParseResponse`.
    public init(_ operation: HTTPRequestOperation, as type: Value.Type = Value.self) {
        self.operation = operation
    }

    /// The outcome; nil before the operation is finished.
    public var result: Result<Value, NetworkingError>? {
        operation.result.map { result in
            Result { () throws(NetworkingError) in try Self.typed(try result.get()) }
        }
    }

    /// Waits for the value. Cancelling the waiting task cancels the operation.
    ///
    /// - Throws: the operation's error.
    public var value: Value {
        get async throws(NetworkingError) { try await operation.value(as: Value.self) }
    }

    /// Calls a handler once, on the operation's `completionQueue`, when it is finished; at once when it is.
    @discardableResult
    public func whenFinished(_ handler: @escaping @Sendable (Result<Value, NetworkingError>) -> Void) -> Self {
        operation.addCompletionHandler { operation in
            guard let operation = operation as? HTTPRequestOperation else { return }
            guard let result = RequestHandle(operation).result else { return }
            handler(result)
        }
        return self
    }

    /// Cancels the operation.
    public func cancel() { operation.cancel() }

    /// Pauses the operation.
    public func pause() { operation.pause() }

    /// Resumes the operation.
    public func resume() { operation.resume() }

    private static func typed(_ value: any Sendable) throws(NetworkingError) -> Value {
        guard let value = value as? Value else {
            throw NetworkingError(
                .cannotParseResponse, "the response serializer makes \(type(of: value)), not \(Value.self)")
        }
        return value
    }
}

// MARK: - As a source

extension RequestHandle {
    public var dependencies: [ResultDependency] { [ResultDependency(operation)] }

    /// The value, once the operation has ended.
    ///
    /// - Throws: `dependencyFailed` when it did not succeed or has not ended.
    public func finalValue() throws(NetworkingError) -> Value {
        switch operation.result {
        case .success(let value)?: return try Self.typed(value)
        case .failure?: throw SkipReason(operation).error
        case nil:
            throw NetworkingError(
                .dependencyFailed, "\"\(operation.graphName)\" has not ended: is it no dependency any more?")
        }
    }
}

extension HTTPRequestOperation {
    /// The operation with the type that its response serializer makes.
    public func handle<Value: Sendable>(returning type: Value.Type) -> RequestHandle<Value> {
        RequestHandle(self, as: type)
    }
}
