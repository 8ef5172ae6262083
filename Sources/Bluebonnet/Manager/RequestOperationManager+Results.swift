// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

// Typed operations, each of which is added to `operationQueue` immediately.
extension RequestOperationManager {
    /// Runs a request and gives its result a type.
    ///
    /// For the other arguments see
    /// `operation(_:_:parameters:headers:body:timeout:priority:acceptableStatusCodes:responseSerializer:configure:)`.
    @discardableResult
    public func send<Serializer: ResponseSerializer>(
        _ method: String, _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        body: RequestBody? = nil, timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        acceptableStatusCodes: IndexSet? = nil,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        let details = CallDetails(
            parameters, headers, body, timeout, priority, acceptableStatusCodes, configure)
        return RequestHandle(
            enqueue(operation(method, url.urlReference, details, serializer: ResolvedSerializer(serializer))))
    }
}

// MARK: - Verbs

extension RequestOperationManager {
    /// Runs a GET and gives its result a type. See `send`.
    @discardableResult
    public func get<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "GET", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes,
            returning: serializer, configure: configure)
    }

    /// Runs a HEAD and gives its result a type. See `send`.
    @discardableResult
    public func head<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "HEAD", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes,
            returning: serializer, configure: configure)
    }

    /// Runs a POST and gives its result a type. See `send`.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "POST", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes,
            returning: serializer, configure: configure)
    }

    /// Runs a PUT and gives its result a type. See `send`.
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "PUT", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes,
            returning: serializer, configure: configure)
    }

    /// Runs a PATCH and gives its result a type. See `send`.
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "PATCH", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes,
            returning: serializer, configure: configure)
    }

    /// Runs a DELETE and gives its result a type. See `send`.
    @discardableResult
    public func delete<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        returning serializer: Serializer, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> RequestHandle<Serializer.Value> {
        send(
            "DELETE", url, parameters: parameters, headers: headers, body: body, timeout: timeout, priority: priority,
            acceptableStatusCodes: acceptableStatusCodes,
            returning: serializer, configure: configure)
    }
}
