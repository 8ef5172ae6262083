// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking

// Operations from complete calls: parameters, headers, a body, a custom serializer.
extension RequestOperationManager {
    /// Creates an operation from a method and a URL, without starting it: pass it to `run(_:)` or `enqueue(_:)`, or add
    /// it to a queue.
    ///
    /// ```swift
    /// let operation = manager.operation("GET", "big.bin") { $0.outputFile = file }
    /// try await manager.run(operation)
    /// ```
    ///
    /// If the request cannot be made, the operation fails with the reason, without touching the network.
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded by `requestSerializer`: for GET, HEAD and DELETE into the query, for other methods into
    ///     the body. With a body, the parameters of any method go into the query. A custom serializer is then called
    ///     for a GET with the parameters, of which the URL is used, and again without parameters for the header fields
    ///     of the request with the body.
    ///   - headers: fields of this request only; each replaces the manager's and the serializer's field of the same
    ///     name.
    ///   - body: encoded when the operation starts.
    ///   - timeout: the longest time for the whole request, as `Timeouts.total`. Default nil: the manager's.
    ///   - priority: the operation's `queuePriority`.
    ///   - acceptableStatusCodes: the statuses that count as success, such as `[200, 404]` or `.anyStatus`. Default
    ///     nil: the statuses of the serializer.
    ///   - responseSerializer: nil for the manager's serializer.
    ///   - configure: called immediately with the operation, before it can be started: sets a file for the body,
    ///     blocks, progress handlers, options.
    public func operation(
        _ method: String, _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        body: RequestBody? = nil, timeout: Duration? = nil, priority: Operation.QueuePriority = .normal,
        acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil, configure: ((HTTPRequestOperation) -> Void)? = nil
    ) -> HTTPRequestOperation {
        var call = Call(self, method, url, parameters, headers, body, timeout, acceptableStatusCodes)
        if priority != .normal { call = call.priority(priority) }
        return call.operation(responseSerializer.map { ResolvedSerializer($0) }, configuredBy: configure)
    }

    /// Adds an operation to `operationQueue`, which starts it when it is ready. Returns the operation.
    @discardableResult
    public func enqueue(_ operation: HTTPRequestOperation) -> HTTPRequestOperation {
        operationQueue.addOperation(operation)
        return operation
    }

    /// Returns the request, or a recipe that makes the request when the operation starts. A request without a body is
    /// made now: it costs little, and the program can inspect the request before the start.
    func source(
        _ method: String, _ url: String, parameters: Parameters?, headers: HeaderFields, body: RequestBody?
    ) -> RequestPlan.Source {
        let headers = self.headers.replaced(by: headers)
        do throws(NetworkingError) {
            let described = try described(method, url, parameters: parameters, headers: headers, body: body)
            if let described { return .request(described, .checked) }
        } catch {
            return .recipe(RequestPlan.Recipe { _ in throw error })
        }
        let (baseURL, serializer, encoder) = (base(of: url), requestSerializer, encoder)
        let make: @Sendable () throws -> URLRequest = {
            try RequestCheck.method(method)
            var request = URLRequest(url: try RequestCheck.url(url, relativeTo: baseURL), method: method)
            serializer.properties.apply(to: &request)
            for field in headers.combined {
                try RequestCheck.field(name: field.name, value: field.value)
                request.setValue(field.value, forHTTPHeaderField: field.name)
            }
            if body != nil, let parameters { try serializer.addQuery(of: parameters, to: &request) }
            try body?.encode(&request, encoder)
            // An existing body stays; the serializer adds its headers.
            try serializer.complete(&request, with: body == nil ? parameters : nil)
            return request
        }
        if body == nil, let request = try? make() { return RequestPlan.Source(request) }
        return .recipe(
            RequestPlan.Recipe { plan in
                try plan.setRequest(make())
                if let file = body?.file { plan.uploadFile = file }
            })
    }
}

extension RequestOperationManager {
    /// Returns the request of a call for which the library's serializer only adds header fields, and whose body, if
    /// any, exists already; nil for any other call. The header fields are checked.
    private func described(
        _ method: String, _ url: String, parameters: Parameters?, headers: HeaderFields, body: RequestBody?
    ) throws(NetworkingError) -> HTTPRequest? {
        guard parameters == nil, let serializer = requestSerializer.ofFieldsOnly(method, hasBody: body != nil),
            body == nil || body?.bytes != nil
        else { return nil }
        try RequestCheck.method(method)
        let url = try RequestCheck.url(url, relativeTo: base(of: url))
        var fields = headers
        for field in headers.fields { try RequestCheck.field(name: field.name, value: field.value) }
        if let bytes = body?.bytes {
            if fields["Content-Type"] == nil {
                try RequestCheck.field(name: "Content-Type", value: bytes.contentType)
                fields["Content-Type"] = bytes.contentType
            }
        }
        try serializer.addHeaders(to: &fields)
        var request = HTTPRequest(method, url: url, headers: fields, body: body?.bytes?.data)
        if serializer.properties != RequestProperties() {
            request.changeFoundation { serializer.properties.apply(to: &$0) }
        }
        return request
    }
}

extension RequestSerializer {
    /// The library's serializer, if it only adds header fields to a request without parameters.
    fileprivate func ofFieldsOnly(_ method: String, hasBody: Bool) -> HTTPRequestSerializer? {
        switch self {
        case let serializer as HTTPRequestSerializer:
            hasBody || serializer.encodesParametersInURL(method) ? serializer : nil
        case let serializer as JSONRequestSerializer: serializer.http
        default: nil
        }
    }

    /// Adds parameters to the query of a request that has a body. A custom serializer is called for a GET, whose
    /// parameters go into the query.
    fileprivate func addQuery(of parameters: Parameters, to request: inout URLRequest) throws {
        switch self {
        case let serializer as HTTPRequestSerializer: try serializer.addQuery(parameters, to: &request)
        case let serializer as JSONRequestSerializer: try serializer.http.addQuery(parameters, to: &request)
        case let serializer as PropertyListRequestSerializer: try serializer.http.addQuery(parameters, to: &request)
        default:
            guard let url = request.url else { return }
            let asked = try self.request(URLRequest(url: url), with: parameters)
            guard asked.httpBody == nil, asked.httpBodyStream == nil else {
                throw NetworkingError(
                    .invalidRequest,
                    "parameters next to a body go into the query, but \(type(of: self)) puts those of a GET into the body"
                )
            }
            request.url = asked.url
        }
    }
}

extension HeaderFields {
    /// Returns these fields, without fields whose name occurs in `others`, followed by the fields of `others`.
    func replaced(by others: HeaderFields) -> HeaderFields {
        if isEmpty { return others }
        if others.isEmpty { return self }
        var merged = self
        merged.removeAll { others.contains(name: $0.name) }
        for field in others { merged.add(field) }
        return merged
    }
}
