// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

// The verbs that wait. The type that is asked for decides what they give:
//
//     let user: User = try await manager.get("users/1")                        // a value
//     let page = try await manager.get("users", as: [User].self)               // the value with its response
//     try await manager.delete("users/1")                                      // the response with its bytes
//
// The task owns the operation: cancelling the task cancels the operation, whose error is then `cancelled` with a
// `CancellationError` as `underlying`.

// MARK: - A value

extension RequestOperationManager {
    /// Runs a GET and decodes its JSON body; parameters go into the query.
    ///
    /// `Data` gives the body unchanged and `String` its text, both with any content type. `JSONValue` gives any JSON.
    /// Other types are decoded. The accepted statuses are those of the manager's response serializer. Cancelling the
    /// task cancels the operation.
    ///
    /// More about the arguments stands at
    /// `operation(_:_:parameters:headers:body:timeout:priority:acceptableStatusCodes:responseSerializer:configure:)`.
    ///
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded into the query.
    ///   - headers: for this request only.
    ///   - body: encoded when the operation starts.
    ///   - timeout: the longest time for the whole request.
    ///   - priority: the operation's `queuePriority`.
    ///   - acceptableStatusCodes: the statuses that are a success, such as `[200, 404]` or `.anyStatus`. Default nil:
    ///     the statuses of the serializer.
    ///   - decoder: nil is the manager's `decoder`.
    ///   - configure: called at once with the operation, before it can be started.
    /// - Throws: the operation's `NetworkingError`; `cannotParseResponse` when the body is no `Value`.
    public func get<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        decoder: JSONDecoder? = nil, configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Value {
        try await value(
            of: operation(
                "GET", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: serializer(for: Value.self, decoder)))
    }

    /// Runs a POST and decodes its JSON body, as `get` does; parameters go into the body.
    public func post<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        decoder: JSONDecoder? = nil, configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Value {
        try await value(
            of: operation(
                "POST", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: serializer(for: Value.self, decoder)))
    }

    /// Runs a PUT and decodes its JSON body, as `get` does; parameters go into the body.
    public func put<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        decoder: JSONDecoder? = nil, configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Value {
        try await value(
            of: operation(
                "PUT", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: serializer(for: Value.self, decoder)))
    }

    /// Runs a PATCH and decodes its JSON body, as `get` does; parameters go into the body.
    public func patch<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        decoder: JSONDecoder? = nil, configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Value {
        try await value(
            of: operation(
                "PATCH", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: serializer(for: Value.self, decoder)))
    }

    /// Runs a DELETE and decodes its JSON body, as `get` does; parameters go into the query.
    public func delete<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        decoder: JSONDecoder? = nil, configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Value {
        try await value(
            of: operation(
                "DELETE", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: serializer(for: Value.self, decoder)))
    }
}

// MARK: - A value with its response

extension RequestOperationManager {
    /// Runs a GET, decodes its JSON body, and gives the value with status, header fields and timings; parameters go
    /// into the query.
    ///
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded into the query.
    ///   - headers: for this request only.
    ///   - body: encoded when the operation starts.
    ///   - timeout: the longest time for the whole request.
    ///   - priority: the operation's `queuePriority`.
    ///   - acceptableStatusCodes: the statuses that are a success, such as `[200, 404]` or `.anyStatus`. Default nil:
    ///     the statuses of the serializer.
    ///   - decoder: nil is the manager's `decoder`.
    ///   - type: what the body becomes; see the verb that gives the value alone.
    ///   - configure: called at once with the operation, before it can be started.
    /// - Throws: the operation's `NetworkingError`; `cannotParseResponse` when the body is no `Value`.
    public func get<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        decoder: JSONDecoder? = nil, as type: Value.Type, configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Value> {
        try await response(
            of: operation(
                "GET", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: serializer(for: type, decoder)))
    }

    /// Runs a POST and gives the decoded value with its response, as `get` does; parameters go into the body.
    public func post<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        decoder: JSONDecoder? = nil, as type: Value.Type, configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Value> {
        try await response(
            of: operation(
                "POST", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: serializer(for: type, decoder)))
    }

    /// Runs a PUT and gives the decoded value with its response, as `get` does; parameters go into the body.
    public func put<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        decoder: JSONDecoder? = nil, as type: Value.Type, configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Value> {
        try await response(
            of: operation(
                "PUT", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: serializer(for: type, decoder)))
    }

    /// Runs a PATCH and gives the decoded value with its response, as `get` does; parameters go into the body.
    public func patch<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        decoder: JSONDecoder? = nil, as type: Value.Type, configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Value> {
        try await response(
            of: operation(
                "PATCH", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: serializer(for: type, decoder)))
    }

    /// Runs a DELETE and gives the decoded value with its response, as `get` does; parameters go into the query.
    public func delete<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        decoder: JSONDecoder? = nil, as type: Value.Type, configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Value> {
        try await response(
            of: operation(
                "DELETE", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: serializer(for: type, decoder)))
    }
}

// MARK: - A response with its bytes

extension RequestOperationManager {
    /// Runs a GET and gives the response with its bytes, whatever the content type; parameters go into the query.
    ///
    /// The accepted statuses are those of the manager's response serializer. Where `configure` sets a file for the
    /// body, the value is empty.
    /// - Throws: the operation's `NetworkingError`.
    @discardableResult
    public func get(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await response(
            of: operation(
                "GET", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: bodySerializer))
    }

    /// Runs a HEAD and gives the response with its bytes, as `get` does; parameters go into the query.
    @discardableResult
    public func head(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await response(
            of: operation(
                "HEAD", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: bodySerializer))
    }

    /// Runs a POST and gives the response with its bytes, as `get` does; parameters go into the body.
    @discardableResult
    public func post(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await response(
            of: operation(
                "POST", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: bodySerializer))
    }

    /// Runs a PUT and gives the response with its bytes, as `get` does; parameters go into the body.
    @discardableResult
    public func put(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await response(
            of: operation(
                "PUT", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: bodySerializer))
    }

    /// Runs a PATCH and gives the response with its bytes, as `get` does; parameters go into the body.
    @discardableResult
    public func patch(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await response(
            of: operation(
                "PATCH", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: bodySerializer))
    }

    /// Runs a DELETE and gives the response with its bytes, as `get` does; parameters go into the query.
    @discardableResult
    public func delete(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await response(
            of: operation(
                "DELETE", url.urlReference,
                CallDetails(
                    parameters, headers, body, timeout, priority, acceptableStatusCodes, configure),
                serializer: bodySerializer))
    }

    /// Runs a GET and writes the body to a file: beside the file first, moved into place when it is complete, and
    /// continued where an earlier attempt left it; see `RequestOperation.outputFile`.
    ///
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - file: the file, or a folder with a slash at its end, in which the response names the file.
    ///   - parameters: encoded into the query.
    ///   - headers: for this request only.
    ///   - timeout: the longest time for the whole request.
    ///   - priority: the operation's `queuePriority`.
    ///   - acceptableStatusCodes: the statuses that are a success, such as `[200, 404]` or `.anyStatus`. Default nil:
    ///     the statuses of the serializer.
    ///   - expectedDigest: the SHA-256 of the body in hexadecimal; another body is the error `digestMismatch`, and is
    ///     not kept. Default nil: any body.
    ///   - configure: called at once with the operation, before it can be started.
    /// - Returns: the response, with the file as its value.
    /// - Throws: the operation's `NetworkingError`.
    @discardableResult
    public func download(
        _ url: some URLReference, to file: URL, parameters: Parameters? = nil, headers: HeaderFields = [:],
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        expectedDigest: String? = nil,
        configure: sending ((HTTPRequestOperation) -> Void)? = nil
    ) async throws(NetworkingError) -> Response<URL> {
        let details = CallDetails(
            parameters, headers, nil, timeout, priority, acceptableStatusCodes, configure
        ).preceded { operation in
            operation.outputFile = file
            if let expectedDigest { operation.expectedDigest = expectedDigest }
        }
        let operation = operation("GET", url.urlReference, details, serializer: bodySerializer)
        try await run(operation)
        return try operation.response(with: operation.downloadedFile ?? file)
    }
}

// MARK: - One call

extension RequestOperationManager {
    private func value<Value: Sendable>(of operation: HTTPRequestOperation) async throws(NetworkingError) -> Value {
        try await run(RequestHandle<Value>(operation))
    }

    private func response<Value: Sendable>(
        of operation: HTTPRequestOperation
    ) async throws(NetworkingError) -> Response<Value> {
        guard Value.self != Data.self || operation.outputFile == nil && operation.outputDirectory == nil else {
            try await run(operation)  // whose value is the file
            return try operation.response(with: Data())
        }
        let value: Value = try await value(of: operation)
        return try operation.response(with: value)
    }

    private func serializer<Value: Decodable & Sendable>(
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
    /// The response of a finished operation that succeeded, with a value.
    func response<Value, Given>(with value: Given) throws(NetworkingError) -> Response<Value> {
        guard let head = responseHead, let value = value as? Value else {
            throw NetworkingError(.badServerResponse, "the operation succeeded without a response")
        }
        return Response(value: value, head: head, summary: summary)
    }
}
