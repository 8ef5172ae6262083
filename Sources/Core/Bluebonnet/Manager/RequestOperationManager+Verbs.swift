// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

// The verbs: short forms of calls (`Call`), which offer more steps. The requested type selects the form:
//
//     let user: User = try await manager.get("users/1")                        // a value
//     let page = try await manager.get("users", as: [User].self)               // the value with its response
//     try await manager.delete("users/1")                                      // the response with its bytes
//     let handle = manager.get("users/1", returning: serializer)               // a handle
//     manager.get("users/1", success: { _, object in … })                      // callbacks
//
// The async forms own their operation: cancelling the task cancels the operation. Its error is then `cancelled`, with a
// `CancellationError` as `underlying`.

// MARK: - A value

extension RequestOperationManager {
    /// Runs a GET and decodes its JSON body, as `Call.value(as:decoder:)` does.
    ///
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded by `requestSerializer`, here into the query.
    ///   - headers: fields of this request only; each replaces the manager's and the serializer's field of the same
    ///     name.
    ///   - body: encoded when the operation starts. With a body, all parameters go into the query.
    ///   - timeout: the longest time for the whole request, as `Timeouts.total`. Default nil: the manager's.
    ///   - acceptableStatusCodes: the statuses that count as success, such as `[200, 404]` or `.anyStatus`. Default
    ///     nil: the statuses of the serializer.
    /// - Throws: the operation's `NetworkingError`; `cannotParseResponse` if the body cannot be decoded as `Value`.
    public func get<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Value {
        try await Call(self, "GET", url, parameters, headers, body, timeout, acceptableStatusCodes).value()
    }

    /// Runs a POST and decodes its JSON body; parameters go into the body. For the arguments see `get`.
    public func post<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Value {
        try await Call(self, "POST", url, parameters, headers, body, timeout, acceptableStatusCodes).value()
    }

    /// Runs a PUT and decodes its JSON body; parameters go into the body. For the arguments see `get`.
    public func put<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Value {
        try await Call(self, "PUT", url, parameters, headers, body, timeout, acceptableStatusCodes).value()
    }

    /// Runs a PATCH and decodes its JSON body; parameters go into the body. For the arguments see `get`.
    public func patch<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Value {
        try await Call(self, "PATCH", url, parameters, headers, body, timeout, acceptableStatusCodes).value()
    }

    /// Runs a DELETE and decodes its JSON body; parameters go into the query. For the arguments see `get`.
    public func delete<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Value {
        try await Call(self, "DELETE", url, parameters, headers, body, timeout, acceptableStatusCodes).value()
    }
}

// MARK: - A value with its response

extension RequestOperationManager {
    /// Runs a GET, decodes its JSON body, and returns the value with status, header fields and timings. For the
    /// arguments see the form that returns only the value.
    ///
    /// - Throws: the operation's `NetworkingError`; `cannotParseResponse` if the body cannot be decoded as `Value`.
    public func get<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, as type: Value.Type
    ) async throws(NetworkingError) -> Response<Value> {
        try await Call(self, "GET", url, parameters, headers, body, timeout, acceptableStatusCodes).response(as: type)
    }

    /// Runs a POST and returns the decoded value with its response; parameters go into the body.
    public func post<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, as type: Value.Type
    ) async throws(NetworkingError) -> Response<Value> {
        try await Call(self, "POST", url, parameters, headers, body, timeout, acceptableStatusCodes).response(as: type)
    }

    /// Runs a PUT and returns the decoded value with its response; parameters go into the body.
    public func put<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, as type: Value.Type
    ) async throws(NetworkingError) -> Response<Value> {
        try await Call(self, "PUT", url, parameters, headers, body, timeout, acceptableStatusCodes).response(as: type)
    }

    /// Runs a PATCH and returns the decoded value with its response; parameters go into the body.
    public func patch<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, as type: Value.Type
    ) async throws(NetworkingError) -> Response<Value> {
        try await Call(self, "PATCH", url, parameters, headers, body, timeout, acceptableStatusCodes).response(as: type)
    }

    /// Runs a DELETE and returns the decoded value with its response; parameters go into the query.
    public func delete<Value: Decodable & Sendable>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, as type: Value.Type
    ) async throws(NetworkingError) -> Response<Value> {
        try await Call(self, "DELETE", url, parameters, headers, body, timeout, acceptableStatusCodes).response(
            as: type)
    }
}

// MARK: - A response with its bytes

extension RequestOperationManager {
    /// Runs a GET and returns the response with its bytes, whatever the content type. For the arguments see the form
    /// that returns a value.
    ///
    /// - Throws: the operation's `NetworkingError`.
    @discardableResult
    public func get(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await Call(self, "GET", url, parameters, headers, body, timeout, acceptableStatusCodes).response()
    }

    /// Runs a HEAD and returns the response with its bytes; parameters go into the query.
    @discardableResult
    public func head(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await Call(self, "HEAD", url, parameters, headers, body, timeout, acceptableStatusCodes).response()
    }

    /// Runs a POST and returns the response with its bytes; parameters go into the body.
    @discardableResult
    public func post(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await Call(self, "POST", url, parameters, headers, body, timeout, acceptableStatusCodes).response()
    }

    /// Runs a PUT and returns the response with its bytes; parameters go into the body.
    @discardableResult
    public func put(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await Call(self, "PUT", url, parameters, headers, body, timeout, acceptableStatusCodes).response()
    }

    /// Runs a PATCH and returns the response with its bytes; parameters go into the body.
    @discardableResult
    public func patch(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await Call(self, "PATCH", url, parameters, headers, body, timeout, acceptableStatusCodes).response()
    }

    /// Runs a DELETE and returns the response with its bytes; parameters go into the query.
    @discardableResult
    public func delete(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil
    ) async throws(NetworkingError) -> Response<Data> {
        try await Call(self, "DELETE", url, parameters, headers, body, timeout, acceptableStatusCodes).response()
    }

    /// Runs a GET and writes the body to a file, as `Call.download(to:expectedDigest:)` does. Parameters go into the
    /// query. The response has the file as its value. For the other arguments see `get`.
    @discardableResult
    public func download(
        _ url: some URLReference, to file: URL, parameters: Parameters? = nil, headers: HeaderFields = [:],
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, expectedDigest: String? = nil
    ) async throws(NetworkingError) -> Response<URL> {
        try await Call(self, "GET", url, parameters, headers, nil, timeout, acceptableStatusCodes)
            .download(to: file, expectedDigest: expectedDigest)
    }
}

// MARK: - A handle

extension RequestOperationManager {
    /// Adds a GET to `operationQueue` and returns a handle with the serializer's value type. For the other arguments
    /// see the form that returns a value.
    @discardableResult
    public func get<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, returning serializer: Serializer
    ) -> RequestHandle<Serializer.Value> {
        Call(self, "GET", url, parameters, headers, body, timeout, acceptableStatusCodes).start(returning: serializer)
    }

    /// Adds a HEAD to `operationQueue` and returns a typed handle; parameters go into the query.
    @discardableResult
    public func head<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, returning serializer: Serializer
    ) -> RequestHandle<Serializer.Value> {
        Call(self, "HEAD", url, parameters, headers, body, timeout, acceptableStatusCodes).start(returning: serializer)
    }

    /// Adds a POST to `operationQueue` and returns a typed handle; parameters go into the body.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, returning serializer: Serializer
    ) -> RequestHandle<Serializer.Value> {
        Call(self, "POST", url, parameters, headers, body, timeout, acceptableStatusCodes).start(returning: serializer)
    }

    /// Adds a PUT to `operationQueue` and returns a typed handle; parameters go into the body.
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, returning serializer: Serializer
    ) -> RequestHandle<Serializer.Value> {
        Call(self, "PUT", url, parameters, headers, body, timeout, acceptableStatusCodes).start(returning: serializer)
    }

    /// Adds a PATCH to `operationQueue` and returns a typed handle; parameters go into the body.
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, returning serializer: Serializer
    ) -> RequestHandle<Serializer.Value> {
        Call(self, "PATCH", url, parameters, headers, body, timeout, acceptableStatusCodes).start(returning: serializer)
    }

    /// Adds a DELETE to `operationQueue` and returns a typed handle; parameters go into the query.
    @discardableResult
    public func delete<Serializer: ResponseSerializer>(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil, returning serializer: Serializer
    ) -> RequestHandle<Serializer.Value> {
        Call(self, "DELETE", url, parameters, headers, body, timeout, acceptableStatusCodes).start(
            returning: serializer)
    }
}
