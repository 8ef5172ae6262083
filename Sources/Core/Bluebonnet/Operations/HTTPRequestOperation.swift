// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// A request operation that validates its response and serializes the body before it is finished, so that a dependent
/// operation can use the value.
public final class HTTPRequestOperation: RequestOperation, @unchecked Sendable {  // safe: adds immutable state only
    /// Validates the response and makes the response object. Set it before the start: a serializer that is set later
    /// has no effect and is not returned by the property, because the response object is made once, before the
    /// operation is finished. Default `HTTPResponseSerializer`, which accepts any content with a status from 200 to
    /// 299.
    ///
    /// A `RequestHandle` expects values of the serializer it was made with. A value of another type causes the error
    /// `cannotParseResponse`.
    public var responseSerializer: any ResponseSerializer {
        get { state.plan.serializer?.serializer ?? HTTPResponseSerializer() }
        set {
            setSerializer(ResolvedSerializer(newValue))
        }
    }

    func setSerializer(_ serializer: ResolvedSerializer) { state.changePlan { $0.serializer = serializer } }

    /// Whether a response with this status is a success.
    package func accepts(status: Int) -> Bool {
        state.plan.effectiveSerializer?.validation.accepts(status: status) ?? true
    }

    /// Makes the operation accept these statuses instead of the serializer's.
    func accept(_ statusCodes: IndexSet) {
        state.changePlan { $0.serializer = $0.serializer?.accepting(statusCodes) }
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
    /// - Parameters:
    ///   - responseSerializer: makes the value from the response.
    ///   - options: limits, trust and proxy; copied.
    ///   - makeRequest: called once, off the network thread. If it throws, nothing is sent and the operation fails:
    ///     with a thrown `NetworkingError` unchanged, with any other error as `invalidRequest`.
    public convenience init(
        responseSerializer: any ResponseSerializer = HTTPResponseSerializer(),
        options: TransferOptions = TransferOptions(), makeRequest: @escaping @Sendable () throws -> URLRequest
    ) {
        let recipe = RequestPlan.Recipe { try $0.setRequest(makeRequest()) }
        self.init(
            plan: RequestPlan(recipe: recipe, options: ResolvedOptions(options)),
            serializer: ResolvedSerializer(responseSerializer))
    }

    init(
        plan: consuming RequestPlan, serializer: ResolvedSerializer, services: NetworkServices = .default,
        completion: CompletionTarget = CompletionTarget()
    ) {
        plan.serializer = serializer
        super.init(plan: plan, services: services, completion: completion)
    }

    /// Makes an operation from an archive.
    ///
    /// - Parameters:
    ///   - archive: an archive of this process or another.
    ///   - responseSerializer: replaces the archived serializer; required if the archive was made without its
    ///     serializer, see ``RequestOperation/archive(includingSerializer:)``. Default nil.
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` or `invalidRequest` if the contents of the archive
    ///   contradict each other, or if the archive has no serializer and none is given.
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
            let text = "the archive has no response serializer\(name) so pass one"
            throw NetworkingError(.invalidRequest, text)
        }
        self.init(plan: try RequestPlan(archive), serializer: ResolvedSerializer(serializer), services: services)
        if let statusCodes = archive.acceptableStatusCodes { accept(statusCodes) }
        copyDetails(of: archive)
    }

    override public func copied() -> HTTPRequestOperation {
        let plan = planOfCopy
        guard let serializer = plan.serializer else { preconditionFailure("this kind of operation has a serializer") }
        let copy = HTTPRequestOperation(
            plan: plan, serializer: serializer, services: services, completion: state.completion)
        copy.copyDetails(of: self)
        return copy
    }
}

// MARK: - The outcome

extension HTTPRequestOperation {
    /// The serialized response: `Data` from `HTTPResponseSerializer`, `JSONValue` from `JSONResponseSerializer`. Nil
    /// unless the operation succeeded.
    public var responseObject: (any Sendable)? { state.outcome?.value.value }

    /// The SHA-256 digest that the body must have, in hexadecimal. A body with another digest fails with
    /// `digestMismatch`, and a file with that body is not kept. Set it before the start. Default nil: any body.
    public var expectedDigest: String? {
        get { state.plan.expectedDigest }
        set { state.changePlan { $0.expectedDigest = newValue?.lowercased() } }
    }

    /// Whether `digest` is computed if no digest is expected. Set it before the start. Default false.
    public var computesDigest: Bool {
        get { state.plan.wantsDigest }
        set { state.changePlan { $0.wantsDigest = newValue } }
    }

    /// SHA-256 of the decoded body in hexadecimal, once the operation has ended, if `expectedDigest` or
    /// `computesDigest` requested the digest.
    public var digest: String? { state.outcome?.value.digest }

    /// The result, once the operation is finished; nil before.
    public var result: Result<any Sendable, NetworkingError>? {
        guard let outcome = state.outcome?.value else { return nil }
        if let error = outcome.error { return .failure(error) }
        return .success(outcome.value ?? Data())
    }

    /// Sets the success handler and the failure handler. One of them runs once on `completionQueue` when the operation
    /// is finished, after `completionBlock` and before the handlers of `addCompletion(_:)`; then both are released.
    ///
    /// A second call replaces the handlers of the first, as in AFNetworking. On a finished operation the handler is
    /// called immediately on `completionQueue`.
    public func setCompletionBlock(
        success: (@Sendable (_ operation: HTTPRequestOperation, _ responseObject: any Sendable) -> Void)? = nil,
        failure: (@Sendable (_ operation: HTTPRequestOperation, _ error: NetworkingError) -> Void)? = nil
    ) {
        setResultHandler { operation in
            guard let operation = operation as? HTTPRequestOperation, let result = operation.result else { return }
            switch result {
            case .success(let object): success?(operation, object)
            case .failure(let error): failure?(operation, error)
            }
        }
    }

    /// Adds a handler that runs once on `completionQueue` when the operation is finished, and is then released. Each
    /// call adds a handler; the handlers run in the order in which they were added. On a finished operation the handler
    /// is called immediately on `completionQueue`.
    public func addCompletion(
        _ handler:
            @escaping @Sendable (
                _ operation: HTTPRequestOperation, _ result: Result<any Sendable, NetworkingError>
            ) -> Void
    ) {
        addCompletionHandler { operation in
            guard let operation = operation as? HTTPRequestOperation, let result = operation.result else { return }
            handler(operation, result)
        }
    }

    /// The response object, once the operation is finished; the calling task is suspended until then.
    ///
    /// The task only observes the operation: cancelling the task ends the suspension, and the operation continues. To
    /// cancel the operation with the task, call `RequestOperationManager.run(_:)` instead.
    ///
    /// - Throws: the operation's `NetworkingError`; `notStarted` if the operation is in no queue and was not started;
    ///   `cancelled`, with a `CancellationError` as `underlying`, if the task is cancelled first.
    public var value: any Sendable {
        get async throws(NetworkingError) {
            try await waitUntilEnded()
            return try finalValue()
        }
    }

    /// Returns the response object, like `value`, as the type that the serializer makes: `value(as: JSONValue.self)`.
    ///
    /// - Throws: like `value`; `cannotParseResponse` if the serializer makes another type.
    public func value<Value>(as type: Value.Type) async throws(NetworkingError) -> Value {
        try await waitUntilEnded()
        return try finalValue(as: type)
    }

    /// Returns the response object of a finished operation.
    func finalValue() throws(NetworkingError) -> any Sendable {
        guard let result else { preconditionFailure("a finished operation has an outcome") }
        return try result.get()
    }

    func finalValue<Value>(as type: Value.Type) throws(NetworkingError) -> Value {
        let value = try finalValue()
        guard let typed = value as? Value else {
            var error = NetworkingError(
                .cannotParseResponse, "the response serializer makes \(Swift.type(of: value)), not \(type)",
                request: request, response: response)
            error.transferCount = summary.transferCount
            throw error
        }
        return typed
    }
}
