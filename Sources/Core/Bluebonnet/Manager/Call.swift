// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking

/// One call of a manager, built step by step: the request, its limits, and finally how it runs.
///
/// ```swift
/// let user = try await manager.call("users/1")
///     .header("X-Trace", "7")
///     .timeout(.seconds(5))
///     .value(as: User.self)
/// ```
///
/// The verbs, such as `manager.get("users/1")`, are short forms of calls. A call is a value: each step returns another
/// call, and nothing is sent before the last step. A call can be run any number of times; each run is a separate
/// operation.
public struct Call: Sendable {
    /// The manager that runs the call.
    public let manager: RequestOperationManager
    /// The HTTP method.
    public let method: String
    private let url: String
    private var parameters: Parameters?
    private var headers: HeaderFields
    private var body: RequestBody?
    private var timeout: Duration?
    private var acceptableStatusCodes: IndexSet?
    private var priority: Operation.QueuePriority?
    private var cachePolicy: CachePolicy?
    private var configure: (@Sendable (HTTPRequestOperation) -> Void)?
    private var preparation: Preparation?
    private var change: (@Sendable (inout HTTPRequest) throws -> Void)?

    /// The operations on whose results a request depends, and the closure that prepares the request.
    private struct Preparation {
        var dependencies: [ResultDependency]
        var prepare: @Sendable (DependentRequest) throws -> Void
    }

    init(
        _ manager: RequestOperationManager, _ method: String, _ url: some URLReference, _ parameters: Parameters? = nil,
        _ headers: HeaderFields = [:], _ body: RequestBody? = nil, _ timeout: Duration? = nil,
        _ acceptableStatusCodes: IndexSet? = nil
    ) {
        (self.manager, self.method, self.url) = (manager, method, url.urlReference)
        (self.parameters, self.headers, self.body) = (parameters, headers, body)
        (self.timeout, self.acceptableStatusCodes) = (timeout, acceptableStatusCodes)
    }

    private func with(_ change: (inout Call) -> Void) -> Call {
        var call = self
        change(&call)
        return call
    }
}

extension RequestOperationManager {
    /// Begins a GET. Nothing is sent before the call's last step, such as `value(as:decoder:)`.
    ///
    /// - Parameter url: resolved against `baseURL`.
    public func call(_ url: some URLReference) -> Call { Call(self, "GET", url) }

    /// Begins a call with any method: `manager.call("POST", "users")`.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - url: resolved against `baseURL`.
    public func call(_ method: String, _ url: some URLReference) -> Call { Call(self, method, url) }
}

// MARK: - The request

extension Call {
    /// Sets the parameters, which the manager's `requestSerializer` encodes: for GET, HEAD and DELETE into the query,
    /// for other methods into the body. With a body, the parameters of any method go into the query. A custom
    /// serializer is then called for a GET with the parameters, of which the URL is used, and again without parameters
    /// for the header fields of the request with the body.
    public func parameters(_ parameters: Parameters) -> Call { with { $0.parameters = parameters } }

    /// Sets a header field of this call. It replaces the manager's and the serializer's field of the same name.
    public func header(_ name: String, _ value: String) -> Call { with { $0.headers[name] = value } }

    /// Sets header fields of this call, each as `header(_:_:)` does; repeated names are kept.
    public func headers(_ headers: HeaderFields) -> Call { with { $0.headers = $0.headers.replaced(by: headers) } }

    /// Sets the body, which is encoded when the operation starts.
    public func body(_ body: RequestBody) -> Call { with { $0.body = body } }

    /// Changes the complete request, with the body as it is sent, before it is checked.
    ///
    /// ```swift
    /// let signed = manager.call("orders").request { request in
    ///     request.headers["X-Signature"] = signature(of: request)
    /// }
    /// ```
    ///
    /// - Parameter change: called when the operation starts, off the network thread. Several closures are called in the
    ///   order of the steps, after the closures of `after`. If one throws, the operation fails with that error, and
    ///   nothing is sent.
    public func request(_ change: @escaping @Sendable (_ request: inout HTTPRequest) throws -> Void) -> Call {
        with { call in
            let earlier = call.change
            call.change = { request in
                try earlier?(&request)
                try change(&request)
            }
        }
    }

    /// Makes the call wait for another operation, and prepares the request with its result.
    ///
    /// ```swift
    /// let login = manager.call("POST", "login").start().map { $0["token"]?.string ?? "" }
    /// let orders = try await manager.call("orders").after(login) { request, token in
    ///     request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    /// }.value(as: JSONValue.self)
    /// ```
    ///
    /// Without a result, the operation is skipped with the reason, unless the source has another policy.
    ///
    /// - Parameters:
    ///   - first: the operation; `handles.all` combines an array into one source.
    ///   - prepare: called once, off the network thread, with the request that the other steps describe, body included,
    ///     and with the value. If the closure throws, the operation fails with that error, and nothing is sent. A file
    ///     body stays the body.
    public func after<First: ResultSource>(
        _ first: First, prepare: @escaping @Sendable (_ request: DependentRequest, First.Value) throws -> Void
    ) -> Call {
        after(first.dependencies) { request in try prepare(request, first.finalValue()) }
    }

    /// Makes the call wait for two or more operations, and prepares the request with their results.
    public func after<First: ResultSource, Second: ResultSource, each Source: ResultSource>(
        _ first: First, _ second: Second, _ others: repeat each Source,
        prepare:
            @escaping @Sendable (_ request: DependentRequest, First.Value, Second.Value, repeat (each Source).Value)
            throws -> Void
    ) -> Call {
        var dependencies = first.dependencies + second.dependencies
        for source in repeat each others { dependencies += source.dependencies }
        return after(dependencies) { request in
            try prepare(request, first.finalValue(), second.finalValue(), repeat try (each others).finalValue())
        }
    }

    private func after(
        _ dependencies: [ResultDependency], _ prepare: @escaping @Sendable (DependentRequest) throws -> Void
    ) -> Call {
        with { call in
            let earlier = call.preparation
            call.preparation = Preparation(dependencies: (earlier?.dependencies ?? []) + dependencies) { request in
                try earlier?.prepare(request)
                try prepare(request)
            }
        }
    }
}

// MARK: - The operation

extension Call {
    /// Sets the longest time for the whole request, as `Timeouts.total`. Default: the manager's.
    public func timeout(_ timeout: Duration) -> Call { with { $0.timeout = timeout } }

    /// Sets the operation's `queuePriority`. Default: `.normal`, or the priority set by the manager's `configure`.
    public func priority(_ priority: Operation.QueuePriority) -> Call { with { $0.priority = priority } }

    /// Sets how the call uses the manager's `responseCache`. Default: the manager's `transferOptions.cachePolicy`.
    public func cachePolicy(_ policy: CachePolicy) -> Call { with { $0.cachePolicy = policy } }

    /// Sets the statuses that count as success, such as `[200, 404]` or `.anyStatus`. Default: the serializer's
    /// statuses.
    public func acceptableStatusCodes(_ statusCodes: IndexSet) -> Call {
        with { $0.acceptableStatusCodes = statusCodes }
    }

    /// Sets other properties of the operation, such as a file, a block or an option.
    ///
    /// ```swift
    /// let moved = manager.call("users/1").configure { $0.options.maximumRedirectCount = 0 }
    /// ```
    ///
    /// The closure is `@Sendable`, because a call is. If a closure uses the state of an actor, create the operation
    /// with `RequestOperationManager.operation(_:_:…configure:)` and run it with `run(_:)`.
    ///
    /// - Parameter configure: called when the operation is created and before it can be started, on the thread that
    ///   creates the operation. Several closures are called in the order of the steps.
    public func configure(_ configure: @escaping @Sendable (_ operation: HTTPRequestOperation) -> Void) -> Call {
        with { call in
            guard let earlier = call.configure else {
                call.configure = configure
                return
            }
            call.configure = { operation in
                earlier(operation)
                configure(operation)
            }
        }
    }

    /// Creates the operation without starting it: pass it to `RequestOperationManager.run(_:)` or `enqueue(_:)`, or add
    /// it to a queue.
    ///
    /// If the request cannot be made, the operation fails with the reason, without touching the network.
    ///
    /// - Parameter responseSerializer: nil for the manager's serializer.
    public func operation(responseSerializer: (any ResponseSerializer)? = nil) -> HTTPRequestOperation {
        operation(responseSerializer.map { ResolvedSerializer($0) })
    }

    /// - Parameters:
    ///   - serializer: nil for the manager's serializer.
    ///   - source: nil for the call's source, which is made.
    ///   - setUp: called before the closures of `configure`.
    func operation(
        _ serializer: ResolvedSerializer?, _ source: RequestPlan.Source? = nil,
        configuredBy setUp: ((HTTPRequestOperation) -> Void)? = nil
    ) -> HTTPRequestOperation {
        let operation = manager.operation(source ?? self.source, serializer: serializer)
        for dependency in preparation?.dependencies ?? [] {
            operation.addDependency(dependency.operation, ifItFails: dependency.policy)
        }
        if let timeout { operation.timeouts.total = timeout }
        if let priority { operation.queuePriority = priority }
        if let cachePolicy { operation.cachePolicy = cachePolicy }
        setUp?(operation)
        configure?(operation)
        if let acceptableStatusCodes { operation.accept(acceptableStatusCodes) }
        return operation
    }

    private var source: RequestPlan.Source {
        let source = manager.source(method, url, parameters: parameters, headers: headers, body: body)
        guard preparation != nil || change != nil else { return source }
        return .recipe(
            RequestPlan.Recipe { [prepare = preparation?.prepare, change] plan in
                var request = try plan.completedRequest(of: source)
                if let prepare { request = try Self.prepared(request, prepare) }
                try change?(&request)
                plan.setRequest(request)
            })
    }

    private static func prepared(
        _ request: HTTPRequest, _ prepare: @Sendable (DependentRequest) throws -> Void
    ) throws -> HTTPRequest {
        let given = DependentRequest(request.urlRequest)
        try prepare(given)
        guard let request = HTTPRequest(given.urlRequest) else {
            throw NetworkingError(.badURL, "the request has no URL")
        }
        return request
    }
}

extension RequestPlan {
    /// Returns the request of a source, and makes it first if needed; the other results of the source stay in the plan.
    fileprivate mutating func completedRequest(of source: Source) throws -> HTTPRequest {
        switch source {
        case .request(let request, _): return request
        case .recipe(let recipe): try recipe.complete(&self)
        case .none: break
        }
        guard let request else { preconditionFailure("a recipe creates a request") }
        return request
    }
}

// MARK: - The last step

extension Call {
    /// Runs the call and decodes its JSON body.
    ///
    /// `Data` is the unchanged body and `String` its text, both with any content type. `JSONValue` is any JSON. Other
    /// types are decoded. Cancelling the task cancels the operation.
    ///
    /// - Parameters:
    ///   - type: the type of the value; the compiler may infer it.
    ///   - decoder: nil for the manager's `decoder`.
    /// - Throws: the operation's `NetworkingError`; `cannotParseResponse` if the body cannot be decoded as `Value`. If
    ///   the task was cancelled, the error is `cancelled`, with a `CancellationError` as `underlying`.
    public func value<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) async throws(NetworkingError) -> Value {
        let (serializer, source) = (manager.serializer(for: type, decoder), source)
        if let reply: Response<Value> = quickReply(to: source, serializer) { return reply.value }
        return try await value(of: operation(serializer, source))
    }

    /// Runs the call, decodes its JSON body as `value(as:decoder:)` does, and returns the value with status, header
    /// fields and timings.
    public func response<Value: Decodable & Sendable>(
        as type: Value.Type, decoder: JSONDecoder? = nil
    ) async throws(NetworkingError) -> Response<Value> {
        try await response(serializer: manager.serializer(for: type, decoder))
    }

    /// Runs the call and returns the response with its bytes, whatever the content type.
    ///
    /// The accepted statuses are the statuses of the manager's response serializer. The value is empty if a `configure`
    /// step sets a file for the body.
    /// - Throws: the operation's `NetworkingError`.
    @discardableResult
    public func response() async throws(NetworkingError) -> Response<Data> {
        try await response(serializer: manager.bodySerializer)
    }

    /// Runs the call and writes the body to a file. The body is written next to the file first, and moved into place
    /// when it is complete. The download continues where an earlier attempt ended; see `RequestOperation.outputFile`.
    ///
    /// - Parameters:
    ///   - file: the file, or a folder with a slash at its end; in a folder, the response names the file.
    ///   - expectedDigest: the SHA-256 of the body in hexadecimal. A body with another digest causes the error
    ///     `digestMismatch`, and is not kept. Default nil: any body.
    /// - Returns: the response, with the file as its value.
    /// - Throws: the operation's `NetworkingError`.
    @discardableResult
    public func download(
        to file: URL, expectedDigest: String? = nil
    ) async throws(NetworkingError) -> Response<URL> {
        let operation = operation(manager.bodySerializer) { operation in
            operation.outputFile = file
            if let expectedDigest { operation.expectedDigest = expectedDigest }
        }
        try await manager.run(operation)
        return try operation.response(with: operation.downloadedFile ?? file)
    }

    /// Adds the operation to the manager's `operationQueue`, and returns a typed handle.
    ///
    /// - Parameter serializer: makes the value from the response. Default: any JSON, as a `JSONValue`.
    @discardableResult
    public func start<Serializer: ResponseSerializer>(
        returning serializer: Serializer = JSONResponseSerializer()
    ) -> RequestHandle<Serializer.Value> {
        RequestHandle(manager.enqueue(operation(ResolvedSerializer(serializer))))
    }

    /// Creates the operation without starting it, with the type of its value: for a `Batch`, or for `run(_:)`.
    ///
    /// - Parameters:
    ///   - type: decoded as `value(as:decoder:)` does.
    ///   - decoder: nil for the manager's `decoder`.
    public func handle<Value: Decodable & Sendable>(
        as type: Value.Type, decoder: JSONDecoder? = nil
    ) -> RequestHandle<Value> {
        RequestHandle(operation(manager.serializer(for: type, decoder)))
    }

    /// Adds the operation to the manager's `operationQueue`, and calls one of the handlers when it has ended.
    ///
    /// - Parameters:
    ///   - responseSerializer: nil for the manager's serializer.
    ///   - success: called on the manager's `completionQueue` with the operation and the serialized response.
    ///   - failure: called on the same queue with the operation and its error.
    @discardableResult
    public func start(
        responseSerializer: (any ResponseSerializer)? = nil, success: @escaping RequestOperationManager.Success,
        failure: RequestOperationManager.Failure? = nil
    ) -> HTTPRequestOperation {
        start(responseSerializer, success, failure)
    }

    private func value<Value: Sendable>(of operation: HTTPRequestOperation) async throws(NetworkingError) -> Value {
        try await manager.run(RequestHandle<Value>(operation))
    }

    /// Returns the response, if a fresh response in memory answers and nothing of the call concerns an operation.
    private func quickReply<Value: Sendable>(
        to source: RequestPlan.Source, _ serializer: ResolvedSerializer
    ) -> Response<Value>? {
        guard configure == nil, cachePolicy == nil, acceptableStatusCodes == nil, preparation == nil else { return nil }
        return manager.quickReply(to: source, serializer)
    }

    private func response<Value: Sendable>(
        serializer: ResolvedSerializer
    ) async throws(NetworkingError) -> Response<Value> {
        let source = source
        if let reply: Response<Value> = quickReply(to: source, serializer) { return reply }
        let operation = operation(serializer, source)
        guard Value.self != Data.self || operation.outputFile == nil && operation.outputDirectory == nil else {
            try await manager.run(operation)  // its value is the file
            return try operation.response(with: Data())
        }
        let value: Value = try await value(of: operation)
        return try operation.response(with: value)
    }
}

extension RequestOperationManager {
    fileprivate func serializer<Value: Decodable & Sendable>(
        for type: Value.Type, _ decoder: JSONDecoder?
    ) -> ResolvedSerializer {
        let bodySerializer = bodySerializer
        if type == Data.self || type == Data?.self { return bodySerializer }
        let statuses = bodySerializer.validation.acceptableStatusCodes
        if type == String.self || type == String?.self {
            return ResolvedSerializer(StringResponseSerializer(ResponseValidation(acceptableStatusCodes: statuses)))
        }
        var serializer = DecodableResponseSerializer(
            type, decoder: decoder ?? self.decoder, acceptsStructuredSuffix: true)
        serializer.validation.acceptableStatusCodes = statuses
        return ResolvedSerializer(serializer)
    }
}

extension HTTPRequestOperation {
    /// Returns the response of a finished operation that succeeded, with a value.
    package func response<Value, Given>(with value: Given) throws(NetworkingError) -> Response<Value> {
        guard let head = responseHead, let value = value as? Value else {
            throw NetworkingError(.badServerResponse, "the operation succeeded without a response")
        }
        return Response(value: value, head: head, summary: summary)
    }
}
