// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// A request operation that validates its response and serializes the body before it is finished, so that a dependent
/// operation can use the value.
public final class HTTPRequestOperation: RequestOperation, @unchecked Sendable {  // safe: adds immutable state only
    /// Validates the response and makes the response object. Default `HTTPResponseSerializer`, which accepts any
    /// content with a status from 200 to 299.
    public var responseSerializer: any ResponseSerializer {
        state.plan.serializer?.serializer ?? HTTPResponseSerializer()
    }

    /// Makes an operation for a request.
    public convenience init(
        request: URLRequest, responseSerializer: any ResponseSerializer = HTTPResponseSerializer(),
        options: TransferOptions = TransferOptions()
    ) {
        self.init(
            plan: RequestPlan(request, options: ResolvedOptions(options)),
            serializer: ResolvedSerializer(responseSerializer))
    }

    /// Makes an operation whose request is made when the operation starts, after its dependencies have ended.
    ///
    /// - Parameter makeRequest: called once, off the network thread. When it throws, nothing is sent and the operation
    ///   fails: with a `NetworkingError` as it is, with any other error as `invalidRequest`.
    public convenience init(
        responseSerializer: any ResponseSerializer = HTTPResponseSerializer(),
        options: TransferOptions = TransferOptions(), makeRequest: @escaping @Sendable () throws -> URLRequest
    ) {
        let recipe = RequestPlan.Recipe { $0.setRequest(try makeRequest()) }
        self.init(
            plan: RequestPlan(recipe: recipe, options: ResolvedOptions(options)),
            serializer: ResolvedSerializer(responseSerializer))
    }

    init(
        plan: RequestPlan, serializer: ResolvedSerializer, services: NetworkServices = .default,
        completion: CompletionPlace = CompletionPlace()
    ) {
        var plan = plan
        plan.serializer = serializer
        super.init(plan: plan, services: services, completion: completion)
    }

    /// Makes an operation from an archive.
    ///
    /// - Parameter responseSerializer: replaces the archived serializer; required when that was left out, see
    ///   ``RequestOperation/archive(includingSerializer:)``. Default nil.
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` or `invalidRequest` when the archive's contents
    ///   contradict each other, and when the archive has no serializer and none is given.
    public convenience init(
        archive: OperationArchive, responseSerializer: (any ResponseSerializer)? = nil
    ) throws(NetworkingError) {
        try self.init(archive: archive, responseSerializer: responseSerializer, services: .default)
    }

    convenience init(
        archive: OperationArchive, responseSerializer: (any ResponseSerializer)?, services: NetworkServices
    ) throws(NetworkingError) {
        guard let serializer = responseSerializer ?? archive.serializer?.serializer else {
            let name = archive.leftOutSerializer.map { ", \($0)," } ?? ","
            let text = "the archive was made without its response serializer\(name) so give one"
            throw NetworkingError(.invalidRequest, text)
        }
        self.init(plan: try RequestPlan(archive), serializer: ResolvedSerializer(serializer), services: services)
    }

    override public func copied() -> HTTPRequestOperation {
        let plan = planOfCopy
        guard let serializer = plan.serializer else { preconditionFailure("this kind of operation has a serializer") }
        let copy = HTTPRequestOperation(
            plan: plan, serializer: serializer, services: services, completion: state.completion)
        copy.takeProgressHandlers(of: self)
        return copy
    }
}

// MARK: - The outcome

extension HTTPRequestOperation {
    /// The serialized response: `Data` from `HTTPResponseSerializer`, `JSONValue` from `JSONResponseSerializer`. Nil
    /// unless the operation succeeded.
    public var responseObject: (any Sendable)? { state.outcome?.value.value }

    /// SHA-256 of the body in hexadecimal, when it was asked for.
    package var digest: String? { state.outcome?.value.digest }

    /// The result, once the operation is finished; nil before.
    public var result: Result<any Sendable, NetworkingError>? {
        guard let outcome = state.outcome?.value else { return nil }
        if let error = outcome.error { return .failure(error) }
        return .success(outcome.value ?? Data())
    }

    /// Adds a success handler and a failure handler. One of them runs once on `completionQueue` when the operation is
    /// finished; then both are released.
    ///
    /// On a finished operation the handler is called immediately on `completionQueue`. Each call adds handlers; they
    /// run in order.
    public func setCompletionBlock(
        success: (@Sendable (_ operation: HTTPRequestOperation, _ responseObject: any Sendable) -> Void)? = nil,
        failure: (@Sendable (_ operation: HTTPRequestOperation, _ error: NetworkingError) -> Void)? = nil
    ) {
        addCompletionHandler { operation in
            guard let operation = operation as? HTTPRequestOperation, let result = operation.result else { return }
            switch result {
            case .success(let object): success?(operation, object)
            case .failure(let error): failure?(operation, error)
            }
        }
    }

    /// Suspends the calling task until the operation is finished, and returns its response object. Cancelling the task
    /// cancels the operation.
    ///
    /// The operation has to be started, by a queue or by `start()`; otherwise the call never returns.
    ///
    /// - Throws: the operation's `NetworkingError`.
    public func value() async throws(NetworkingError) -> any Sendable {
        await waitUntilEnded()
        guard let result else { preconditionFailure("a finished operation has an outcome") }
        return try result.get()
    }

    /// Suspends the calling task until the operation is finished, and returns its response object as the type that the
    /// serializer makes, for instance `value(as: JSONValue.self)`.
    ///
    /// - Throws: the operation's `NetworkingError`; `cannotParseResponse` when the serializer makes another type.
    public func value<Value>(as type: Value.Type) async throws(NetworkingError) -> Value {
        let value = try await value()
        guard let typed = value as? Value else {
            throw NetworkingError(
                .cannotParseResponse, "the response serializer makes \(Swift.type(of: value)), not \(type)")
        }
        return typed
    }
}
