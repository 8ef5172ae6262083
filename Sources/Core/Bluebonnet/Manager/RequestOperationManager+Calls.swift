// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking

// Operations out of all that a call can say: parameters, headers, a body, a serializer of its own.
extension RequestOperationManager {
    /// Makes an operation from a method and a URL, and does not start it: give it to `run(_:)` or `enqueue(_:)`, or add
    /// it to a queue.
    ///
    /// ```swift
    /// let operation = manager.operation("GET", "big.bin") { $0.outputFile = file }
    /// try await manager.run(operation)
    /// ```
    ///
    /// A request that cannot be made is an operation that fails with the reason, without touching the network.
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded by `requestSerializer`: for GET, HEAD and DELETE into the query, for other methods into
    ///     the body. With a body they go into the query, whatever the method: a serializer of yours is asked for a GET
    ///     then, whose URL counts, and once more, without parameters, for the fields of the request with the body.
    ///   - headers: for this request only; each wins over the manager's and the serializer's field of that name.
    ///   - body: encoded when the operation starts.
    ///   - timeout: the longest time for the whole request, as `Timeouts.total`. Default nil: the manager's.
    ///   - priority: the operation's `queuePriority`.
    ///   - acceptableStatusCodes: the statuses that are a success, such as `[200, 404]` or `.anyStatus`. Default nil:
    ///     the statuses of the serializer.
    ///   - responseSerializer: nil is the manager's.
    ///   - configure: called at once with the operation, before it can be started: sets a file for the body, blocks,
    ///     progress handlers, options.
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

    /// The request, or what makes it when the operation starts. Without a body there is little to do, and the request
    /// can be looked at before.
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
            // A body that is there stays; the serializer adds its headers.
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
    /// The request of a call to which the library's serializer adds header fields only, and whose body is there, if it
    /// has one; nil for any other call. Its header fields are checked.
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
    /// The library's serializer, where it adds nothing but header fields to a request without parameters.
    fileprivate func ofFieldsOnly(_ method: String, hasBody: Bool) -> HTTPRequestSerializer? {
        switch self {
        case let serializer as HTTPRequestSerializer:
            hasBody || serializer.encodesParametersInURL(method) ? serializer : nil
        case let serializer as JSONRequestSerializer: serializer.http
        default: nil
        }
    }

    /// Adds parameters to the query of a request that has a body. A serializer of the user's is asked for a GET, which
    /// has its parameters there.
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
                    "parameters beside a body go into the query, and \(type(of: self)) puts those of a GET into its body"
                )
            }
            request.url = asked.url
        }
    }
}

extension HeaderFields {
    /// These fields, without those whose name `others` has, and then the others.
    func replaced(by others: HeaderFields) -> HeaderFields {
        if isEmpty { return others }
        if others.isEmpty { return self }
        var merged = self
        merged.removeAll { others.contains(name: $0.name) }
        for field in others { merged.add(field) }
        return merged
    }
}
