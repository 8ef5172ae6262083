// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

// Typed operations that are made from the results of others. Each is added to `operationQueue` immediately.
//
// One source has functions without parameter packs: for a closure with a wrong number of parameters, the compiler's
// diagnostics are exact there, and it crashes with a pack.
extension RequestOperationManager {
    /// Runs a request that is made from the results of other operations, after these have ended.
    ///
    /// When a result is missing, the operation is skipped with the reason, unless the source has another policy.
    ///
    /// - Parameters:
    ///   - first: the request needs its result; `handles.all` makes one source of an array.
    ///   - timeout: the longest time for the whole request, as `Timeouts.total`. Default nil: the manager's.
    ///   - priority: the operation's `queuePriority`.
    ///   - acceptableStatusCodes: the statuses that are a success, such as `[200, 404]` or `.anyStatus`. Default nil:
    ///     the statuses of the serializer.
    ///   - serializer: makes the value from the response.
    ///   - configure: called at once with the operation, before it can be started.
    ///   - makeRequest: called once with the values, off the network thread. What it throws is the operation's error,
    ///     and nothing is sent.
    @discardableResult
    public func send<First: ResultSource, Serializer: ResponseSerializer>(
        after first: First, timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        acceptableStatusCodes: IndexSet? = nil, returning serializer: Serializer,
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        makeRequest: @escaping @Sendable (First.Value) throws -> URLRequest
    ) -> RequestHandle<Serializer.Value> {
        let recipe = RequestPlan.Recipe { $0.setRequest(try makeRequest(first.finalValue())) }
        let details = CallDetails(nil, [:], nil, timeout, priority, acceptableStatusCodes, configure)
        return start(recipe, details, serializer, after: first.dependencies)
    }

    /// Runs a request that is made from the results of two or more sources. See `send` with one source.
    @discardableResult
    public func send<
        First: ResultSource, Second: ResultSource, each Source: ResultSource, Serializer: ResponseSerializer
    >(
        after first: First, _ second: Second, _ others: repeat each Source, timeout: Duration? = nil,
        priority: Operation.QueuePriority = .normal,
        acceptableStatusCodes: IndexSet? = nil, returning serializer: Serializer,
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        makeRequest: @escaping @Sendable (First.Value, Second.Value, repeat (each Source).Value) throws -> URLRequest
    ) -> RequestHandle<Serializer.Value> {
        let recipe = RequestPlan.Recipe {
            $0.setRequest(
                try makeRequest(first.finalValue(), second.finalValue(), repeat try (each others).finalValue()))
        }
        let details = CallDetails(nil, [:], nil, timeout, priority, acceptableStatusCodes, configure)
        return start(recipe, details, serializer, after: dependencies(of: first, second, repeat each others))
    }

    /// Runs a request whose headers, body or URL need the results of other operations, after these have ended.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded by `requestSerializer`.
    ///   - headers: further header fields of this call.
    ///   - body: the body; with one, the parameters are the URL's query.
    ///   - timeout: the longest time for the whole request, as `Timeouts.total`. Default nil: the manager's.
    ///   - priority: the operation's `queuePriority`.
    ///   - acceptableStatusCodes: the statuses that are a success, such as `[200, 404]` or `.anyStatus`. Default nil:
    ///     the statuses of the serializer.
    ///   - first: the request needs its result; `handles.all` makes one source of an array.
    ///   - serializer: makes the value from the response.
    ///   - configure: called at once with the operation, before it can be started.
    ///   - prepare: called once with the request that the other arguments make, body included, and with the values; off
    ///     the network thread. What it throws is the operation's error, and nothing is sent. A file that is the body
    ///     stays the body.
    @discardableResult
    public func send<First: ResultSource, Serializer: ResponseSerializer>(
        _ method: String, _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        body: RequestBody? = nil, timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        acceptableStatusCodes: IndexSet? = nil, after first: First,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare: @escaping @Sendable (_ request: DependentRequest, First.Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        let source = source(method, url.urlReference, parameters: parameters, headers: headers, body: body)
        let recipe = RequestPlan.Recipe { plan in
            let request = DependentRequest(try plan.takeRequest(from: source))
            try prepare(request, first.finalValue())
            plan.setRequest(request.urlRequest)
        }
        let details = CallDetails(nil, [:], nil, timeout, priority, acceptableStatusCodes, configure)
        return start(recipe, details, serializer, after: first.dependencies)
    }

    /// Runs a request that is prepared from the results of two or more sources. See `send` with one source.
    @discardableResult
    public func send<
        First: ResultSource, Second: ResultSource, each Source: ResultSource, Serializer: ResponseSerializer
    >(
        _ method: String, _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        body: RequestBody? = nil, timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        acceptableStatusCodes: IndexSet? = nil, after first: First, _ second: Second, _ others: repeat each Source,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare:
            @escaping @Sendable (_ request: DependentRequest, First.Value, Second.Value, repeat (each Source).Value)
            throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        let source = source(method, url.urlReference, parameters: parameters, headers: headers, body: body)
        let recipe = RequestPlan.Recipe { plan in
            let request = DependentRequest(try plan.takeRequest(from: source))
            try prepare(request, first.finalValue(), second.finalValue(), repeat try (each others).finalValue())
            plan.setRequest(request.urlRequest)
        }
        let details = CallDetails(nil, [:], nil, timeout, priority, acceptableStatusCodes, configure)
        return start(recipe, details, serializer, after: dependencies(of: first, second, repeat each others))
    }

    private func start<Serializer: ResponseSerializer>(
        _ recipe: RequestPlan.Recipe, _ details: CallDetails, _ serializer: Serializer,
        after dependencies: [ResultDependency]
    ) -> RequestHandle<Serializer.Value> {
        let operation = operation(recipe: recipe, serializer)
        for dependency in dependencies {
            operation.addDependency(dependency.operation, ifItFails: dependency.policy)
        }
        details.apply(to: operation)
        return RequestHandle(enqueue(operation))
    }

    private func dependencies<each Source: ResultSource>(of sources: repeat each Source) -> [ResultDependency] {
        var dependencies: [ResultDependency] = []
        for source in repeat each sources { dependencies += source.dependencies }
        return dependencies
    }
}

extension RequestPlan {
    /// The request of a source, which may be made first; the plan gets what else belongs to it.
    fileprivate mutating func takeRequest(from source: Source) throws -> URLRequest {
        switch source {
        case .request(let request, _): return request.urlRequest
        case .recipe(let recipe): try recipe.complete(&self)
        case .none: break
        }
        guard let request else { preconditionFailure("a recipe makes a request") }
        return request
    }
}

// MARK: - Verbs

extension RequestOperationManager {
    /// Runs a GET that is prepared from the result of another operation. See `send`.
    @discardableResult
    public func get<First: ResultSource, Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare: @escaping @Sendable (_ request: DependentRequest, First.Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "GET", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a GET that is prepared from the results of two or more sources. See `send`.
    @discardableResult
    public func get<
        First: ResultSource, Second: ResultSource, each Source: ResultSource, Serializer: ResponseSerializer
    >(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, _ second: Second, _ others: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare:
            @escaping @Sendable (_ request: DependentRequest, First.Value, Second.Value, repeat (each Source).Value)
            throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "GET", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, second, repeat each others,
            returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a HEAD that is prepared from the result of another operation. See `send`.
    @discardableResult
    public func head<First: ResultSource, Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare: @escaping @Sendable (_ request: DependentRequest, First.Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "HEAD", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a HEAD that is prepared from the results of two or more sources. See `send`.
    @discardableResult
    public func head<
        First: ResultSource, Second: ResultSource, each Source: ResultSource, Serializer: ResponseSerializer
    >(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, _ second: Second, _ others: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare:
            @escaping @Sendable (_ request: DependentRequest, First.Value, Second.Value, repeat (each Source).Value)
            throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "HEAD", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, second, repeat each others,
            returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a POST that is prepared from the result of another operation. See `send`.
    @discardableResult
    public func post<First: ResultSource, Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare: @escaping @Sendable (_ request: DependentRequest, First.Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "POST", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a POST that is prepared from the results of two or more sources. See `send`.
    @discardableResult
    public func post<
        First: ResultSource, Second: ResultSource, each Source: ResultSource, Serializer: ResponseSerializer
    >(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, _ second: Second, _ others: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare:
            @escaping @Sendable (_ request: DependentRequest, First.Value, Second.Value, repeat (each Source).Value)
            throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "POST", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, second, repeat each others,
            returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a PUT that is prepared from the result of another operation. See `send`.
    @discardableResult
    public func put<First: ResultSource, Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare: @escaping @Sendable (_ request: DependentRequest, First.Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "PUT", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a PUT that is prepared from the results of two or more sources. See `send`.
    @discardableResult
    public func put<
        First: ResultSource, Second: ResultSource, each Source: ResultSource, Serializer: ResponseSerializer
    >(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, _ second: Second, _ others: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare:
            @escaping @Sendable (_ request: DependentRequest, First.Value, Second.Value, repeat (each Source).Value)
            throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "PUT", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, second, repeat each others,
            returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a PATCH that is prepared from the result of another operation. See `send`.
    @discardableResult
    public func patch<First: ResultSource, Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare: @escaping @Sendable (_ request: DependentRequest, First.Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "PATCH", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a PATCH that is prepared from the results of two or more sources. See `send`.
    @discardableResult
    public func patch<
        First: ResultSource, Second: ResultSource, each Source: ResultSource, Serializer: ResponseSerializer
    >(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, _ second: Second, _ others: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare:
            @escaping @Sendable (_ request: DependentRequest, First.Value, Second.Value, repeat (each Source).Value)
            throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "PATCH", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, second, repeat each others,
            returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a DELETE that is prepared from the result of another operation. See `send`.
    @discardableResult
    public func delete<First: ResultSource, Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare: @escaping @Sendable (_ request: DependentRequest, First.Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "DELETE", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, returning: serializer, configure: configure,
            prepare: prepare)
    }

    /// Runs a DELETE that is prepared from the results of two or more sources. See `send`.
    @discardableResult
    public func delete<
        First: ResultSource, Second: ResultSource, each Source: ResultSource, Serializer: ResponseSerializer
    >(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        after first: First, _ second: Second, _ others: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        configure: ((HTTPRequestOperation) -> Void)? = nil,
        prepare:
            @escaping @Sendable (_ request: DependentRequest, First.Value, Second.Value, repeat (each Source).Value)
            throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "DELETE", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes, after: first, second, repeat each others,
            returning: serializer, configure: configure,
            prepare: prepare)
    }
}
