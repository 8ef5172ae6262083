// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

// Typed operations that are made from the results of others. Each is added to `operationQueue` immediately.
extension RequestOperationManager {
    /// Runs a request and gives its result a type.
    ///
    /// For the other arguments see
    /// `operation(_:_:parameters:headers:body:timeout:priority:responseSerializer:configure:)`.
    @discardableResult
    public func send<Serializer: ResponseSerializer>(
        _ method: String, _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:],
        body: RequestBody? = nil, timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        let details = CallDetails(parameters, headers, body, timeout, priority, configure)
        return RequestHandle(enqueue(operation(method, url, details, serializer: ResolvedSerializer(serializer))))
    }

    /// Runs a request that is made from the results of other operations, after these have ended.
    ///
    /// When a result is missing, the operation is skipped with the reason, unless the source has another policy.
    ///
    /// - Parameters:
    ///   - sources: one or several; `handles.all` makes one of an array.
    ///   - serializer: makes the value from the response.
    ///   - makeRequest: called once with the values, off the network thread. What it throws is the operation's error,
    ///     and nothing is sent.
    @discardableResult
    public func send<each Source: ResultSource, Serializer: ResponseSerializer>(
        after sources: repeat each Source, returning serializer: Serializer,
        makeRequest: @escaping @Sendable (repeat (each Source).Value) throws -> URLRequest
    ) -> RequestHandle<Serializer.Value> {
        let operation = operation(
            recipe: RequestPlan.Recipe { $0.setRequest(try makeRequest(repeat try (each sources).finalValue())) },
            serializer)
        for source in repeat each sources {
            for dependency in source.dependencies {
                operation.addDependency(dependency.operation, ifItFails: dependency.policy)
            }
        }
        operationQueue.addOperation(operation)
        return RequestHandle(operation)
    }

    /// Runs a request whose headers, body or URL need the results of other operations, after these have ended.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded by `requestSerializer`.
    ///   - sources: one or several; `handles.all` makes one of an array.
    ///   - serializer: makes the value from the response.
    ///   - prepare: called once with the request that method, URL and parameters make, and with the values; off the
    ///     network thread. What it throws is the operation's error, and nothing is sent.
    @discardableResult
    public func send<each Source: ResultSource, Serializer: ResponseSerializer>(
        _ method: String, _ url: String, parameters: Parameters? = nil, after sources: repeat each Source,
        returning serializer: Serializer,
        prepare: @escaping @Sendable (_ request: inout URLRequest, repeat (each Source).Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(after: repeat each sources, returning: serializer) { [self] (values: repeat (each Source).Value) in
            var request = try request(method, url, parameters: parameters)
            try prepare(&request, repeat each values)
            return request
        }
    }
}

// MARK: - Verbs

extension RequestOperationManager {
    /// Runs a GET and gives its result a type. See `send`.
    @discardableResult
    public func get<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "GET", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            returning: serializer, configure: configure)
    }

    /// Runs a HEAD and gives its result a type. See `send`.
    @discardableResult
    public func head<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "HEAD", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            returning: serializer, configure: configure)
    }

    /// Runs a POST and gives its result a type. See `send`.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "POST", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            returning: serializer, configure: configure)
    }

    /// Runs a PUT and gives its result a type. See `send`.
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "PUT", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            returning: serializer, configure: configure)
    }

    /// Runs a PATCH and gives its result a type. See `send`.
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "PATCH", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            returning: serializer, configure: configure)
    }

    /// Runs a DELETE and gives its result a type. See `send`.
    @discardableResult
    public func delete<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "DELETE", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            returning: serializer, configure: configure)
    }

    /// Runs a GET that is prepared from the results of other operations. See `send`.
    @discardableResult
    public func get<each Source: ResultSource, Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, after sources: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        prepare: @escaping @Sendable (_ request: inout URLRequest, repeat (each Source).Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "GET", url, parameters: parameters, after: repeat each sources, returning: serializer, prepare: prepare)
    }

    /// Runs a HEAD that is prepared from the results of other operations. See `send`.
    @discardableResult
    public func head<each Source: ResultSource, Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, after sources: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        prepare: @escaping @Sendable (_ request: inout URLRequest, repeat (each Source).Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "HEAD", url, parameters: parameters, after: repeat each sources, returning: serializer, prepare: prepare)
    }

    /// Runs a POST that is prepared from the results of other operations. See `send`.
    @discardableResult
    public func post<each Source: ResultSource, Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, after sources: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        prepare: @escaping @Sendable (_ request: inout URLRequest, repeat (each Source).Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "POST", url, parameters: parameters, after: repeat each sources, returning: serializer, prepare: prepare)
    }

    /// Runs a PUT that is prepared from the results of other operations. See `send`.
    @discardableResult
    public func put<each Source: ResultSource, Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, after sources: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        prepare: @escaping @Sendable (_ request: inout URLRequest, repeat (each Source).Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "PUT", url, parameters: parameters, after: repeat each sources, returning: serializer, prepare: prepare)
    }

    /// Runs a PATCH that is prepared from the results of other operations. See `send`.
    @discardableResult
    public func patch<each Source: ResultSource, Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, after sources: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        prepare: @escaping @Sendable (_ request: inout URLRequest, repeat (each Source).Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "PATCH", url, parameters: parameters, after: repeat each sources, returning: serializer, prepare: prepare)
    }

    /// Runs a DELETE that is prepared from the results of other operations. See `send`.
    @discardableResult
    public func delete<each Source: ResultSource, Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, after sources: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        prepare: @escaping @Sendable (_ request: inout URLRequest, repeat (each Source).Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "DELETE", url, parameters: parameters, after: repeat each sources, returning: serializer, prepare: prepare)
    }
}
