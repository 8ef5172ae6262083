// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

// The verbs: each makes a request, an operation for it, adds it to `operationQueue`, and gives it back. A request that
// cannot be made is an operation that fails with the reason, without touching the network.
extension RequestOperationManager {
    /// Called with the operation and its serialized response.
    public typealias Success = @Sendable (_ operation: HTTPRequestOperation, _ responseObject: any Sendable) -> Void
    /// Called with the operation and why it failed.
    public typealias Failure = @Sendable (_ operation: HTTPRequestOperation, _ error: NetworkingError) -> Void

    /// Runs a GET; parameters go into the query.
    @discardableResult
    public func get(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("GET", url, parameters, success, failure)
    }

    /// Runs a HEAD; parameters go into the query. The response object is the serializer's value for an empty body.
    @discardableResult
    public func head(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("HEAD", url, parameters, success, failure)
    }

    /// Runs a POST; parameters go into the body.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("POST", url, parameters, success, failure)
    }

    /// Runs a PUT; parameters go into the body.
    @discardableResult
    public func put(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("PUT", url, parameters, success, failure)
    }

    /// Runs a PATCH; parameters go into the body.
    @discardableResult
    public func patch(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("PATCH", url, parameters, success, failure)
    }

    /// Runs a DELETE; parameters go into the query.
    @discardableResult
    public func delete(
        _ url: String, parameters: Parameters? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        run("DELETE", url, parameters, success, failure)
    }

    private func run(
        _ method: String, _ url: String, _ parameters: Parameters?, _ success: Success?, _ failure: Failure?
    ) -> HTTPRequestOperation {
        let operation = operation(source(method, url, parameters), serializer: nil)
        if success != nil || failure != nil { operation.setCompletionBlock(success: success, failure: failure) }
        operationQueue.addOperation(operation)
        return operation
    }

    /// The request, or what fails with the reason when it cannot be made.
    func source(_ method: String, _ url: String, _ parameters: Parameters?) -> RequestPlan.Source {
        do throws(NetworkingError) {
            if let described = try described(method, url, parameters: parameters, headers: [:], body: nil) {
                return .request(described)
            }
            return .request(GivenRequest(try request(method, url, parameters: parameters)))
        } catch {
            return .recipe(RequestPlan.Recipe { _ in throw error })
        }
    }
}

// MARK: - Calls

// Operations out of all that a call can say: parameters, headers, a body, a serializer of its own.
extension RequestOperationManager {
    /// Makes an operation from a method and a URL, and does not start it: add it to `operationQueue`.
    ///
    /// A request that cannot be made is an operation that fails with the reason, without touching the network.
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded by `requestSerializer`; with a body they go into the query, whatever the method.
    ///   - headers: for this request only; each wins over the serializer's field of that name.
    ///   - body: encoded when the operation starts.
    ///   - responseSerializer: nil is the manager's.
    public func operation(
        _ method: String, _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:],
        body: RequestBody? = nil, responseSerializer: (any ResponseSerializer)? = nil
    ) -> HTTPRequestOperation {
        operation(
            source(method, url, parameters: parameters, headers: headers, body: body),
            serializer: responseSerializer.map { ResolvedSerializer($0) })
    }

    /// The request, or what makes it when the operation starts. Without a body there is little to do, and the request
    /// can be looked at before.
    func source(
        _ method: String, _ url: String, parameters: Parameters?, headers: HeaderFields, body: RequestBody?
    ) -> RequestPlan.Source {
        do throws(NetworkingError) {
            let described = try described(method, url, parameters: parameters, headers: headers, body: body)
            if let described { return .request(described) }
        } catch {
            return .recipe(RequestPlan.Recipe { _ in throw error })
        }
        let (baseURL, serializer) = (baseURL, requestSerializer)
        let make: @Sendable () throws -> URLRequest = {
            try RequestCheck.method(method)
            var request = URLRequest(url: try RequestCheck.url(url, relativeTo: baseURL), method: method)
            serializer.properties.apply(to: &request)
            for field in headers.combined {
                try RequestCheck.field(name: field.name, value: field.value)
                request.setValue(field.value, forHTTPHeaderField: field.name)
            }
            if body != nil, let parameters { try serializer.forQueries.addQuery(parameters, to: &request) }
            try body?.encode(&request)
            // A body that is there stays; the serializer adds its headers.
            try serializer.complete(&request, with: body == nil ? parameters : nil)
            return request
        }
        if body == nil, let request = try? make() { return .request(GivenRequest(request)) }
        return .recipe(
            RequestPlan.Recipe { plan in
                plan.setRequest(try make())
                if let file = body?.file { plan.uploadFile = file }
            })
    }
}

extension RequestOperationManager {
    /// The request of a call to which the library's serializer adds header fields only, and whose body is there, if it
    /// has one; nil for any other call, whose request is Foundation's from the start.
    private func described(
        _ method: String, _ url: String, parameters: Parameters?, headers: HeaderFields, body: RequestBody?
    ) throws(NetworkingError) -> GivenRequest? {
        guard parameters == nil, let serializer = requestSerializer.ofFieldsOnly(method, hasBody: body != nil),
            body == nil || body?.bytes != nil
        else { return nil }
        try RequestCheck.method(method)
        var request = URLRequest(url: try RequestCheck.url(url, relativeTo: baseURL), method: method)
        serializer.properties.apply(to: &request)
        var fields = headers
        for field in headers.fields { try RequestCheck.field(name: field.name, value: field.value) }
        if let bytes = body?.bytes {
            request.httpBody = bytes.data
            if fields["Content-Type"] == nil {
                try RequestCheck.field(name: "Content-Type", value: bytes.contentType)
                fields["Content-Type"] = bytes.contentType
            }
        }
        try serializer.addHeaders(to: &fields)
        return GivenRequest(request, fields: fields)
    }
}

extension RequestSerializer {
    /// The library's serializer, where it adds nothing but header fields to a request without parameters.
    fileprivate func ofFieldsOnly(_ method: String, hasBody: Bool) -> HTTPRequestSerializer? {
        switch self {
        case let serializer as HTTPRequestSerializer:
            hasBody || serializer.encodesParametersInURL(method) ? serializer : nil
        case let serializer as JSONRequestSerializer: serializer.http
        default: nil
        }
    }

    /// What encodes queries for this serializer.
    fileprivate var forQueries: HTTPRequestSerializer {
        switch self {
        case let serializer as HTTPRequestSerializer: serializer
        case let serializer as JSONRequestSerializer: serializer.http
        case let serializer as PropertyListRequestSerializer: serializer.http
        default: HTTPRequestSerializer()
        }
    }
}

// MARK: - Results

// Typed operations that are made from the results of others. Each is added to `operationQueue` immediately.
extension RequestOperationManager {
    /// Runs a request and gives its result a type.
    @discardableResult
    public func send<Serializer: ResponseSerializer>(
        _ method: String, _ url: String, parameters: Parameters? = nil, returning serializer: Serializer
    ) -> RequestHandle<Serializer.Value> {
        let operation = operation(
            source(method, url, parameters), serializer: ResolvedSerializer(serializer))
        operationQueue.addOperation(operation)
        return RequestHandle(operation)
    }

    /// Runs a request that is made from the results of other operations, after these have ended.
    ///
    /// When a result is missing, the operation is skipped with the reason, unless the source has another policy.
    ///
    /// - Parameters:
    ///   - sources: one or several; `handles.all` makes one of an array.
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
    ///   - sources: one or several; `handles.all` makes one of an array.
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
    /// Runs a GET and gives its result a type.
    @discardableResult
    public func get<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, returning serializer: Serializer
    ) -> RequestHandle<Serializer.Value> {
        send("GET", url, parameters: parameters, returning: serializer)
    }

    /// Runs a POST and gives its result a type.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, returning serializer: Serializer
    ) -> RequestHandle<Serializer.Value> {
        send("POST", url, parameters: parameters, returning: serializer)
    }

    /// Runs a GET that is prepared from the results of other operations.
    @discardableResult
    public func get<each Source: ResultSource, Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, after sources: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        prepare: @escaping @Sendable (_ request: inout URLRequest, repeat (each Source).Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "GET", url, parameters: parameters, after: repeat each sources, returning: serializer, prepare: prepare)
    }

    /// Runs a POST that is prepared from the results of other operations.
    @discardableResult
    public func post<each Source: ResultSource, Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, after sources: repeat each Source,
        returning serializer: Serializer = JSONResponseSerializer(),
        prepare: @escaping @Sendable (_ request: inout URLRequest, repeat (each Source).Value) throws -> Void
    ) -> RequestHandle<Serializer.Value> {
        send(
            "POST", url, parameters: parameters, after: repeat each sources, returning: serializer, prepare: prepare)
    }
}
