// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

// The verbs that wait and decode. Where the type of the result is known they are what is called:
//
//     let user: User = try await manager.get("users/1")
//
// Without one, `manager.get("users/1")` is the plain operation.
extension RequestOperationManager {
    /// Runs a GET and decodes its JSON body; parameters go into the query.
    ///
    /// `Data` gives the body unchanged, with any content type. `JSONValue` gives any JSON. Other types are decoded with
    /// `decoder`; nil is a decoder with Foundation's defaults. The accepted statuses are those of the manager's
    /// response serializer. Cancelling the task cancels the operation.
    /// - Throws: the operation's `NetworkingError`; `cannotParseResponse` when the body is no `Value`.
    public func get<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], as type: Value.Type = Value.self,
        decoder: JSONDecoder? = nil
    ) async throws(NetworkingError) -> Value {
        try await value(
            of: source("GET", url, parameters: parameters, headers: headers, body: nil), decoder)
    }

    /// Runs a POST and decodes its JSON body; parameters go into the body, or into the query beside a `body`.
    ///
    /// For the result see ``get(_:parameters:headers:as:decoder:)``.
    public func post<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        as type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) async throws(NetworkingError) -> Value {
        try await value(
            of: source("POST", url, parameters: parameters, headers: headers, body: body), decoder)
    }

    /// Runs a PUT and decodes its JSON body; parameters go into the body, or into the query beside a `body`.
    ///
    /// For the result see ``get(_:parameters:headers:as:decoder:)``.
    public func put<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        as type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) async throws(NetworkingError) -> Value {
        try await value(
            of: source("PUT", url, parameters: parameters, headers: headers, body: body), decoder)
    }

    /// Runs a PATCH and decodes its JSON body; parameters go into the body, or into the query beside a `body`.
    ///
    /// For the result see ``get(_:parameters:headers:as:decoder:)``.
    public func patch<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        as type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) async throws(NetworkingError) -> Value {
        try await value(
            of: source("PATCH", url, parameters: parameters, headers: headers, body: body), decoder)
    }

    /// Runs a DELETE and decodes its JSON body; parameters go into the query.
    ///
    /// For the result see ``get(_:parameters:headers:as:decoder:)``; a server that answers with nothing is
    /// `let _: Data = try await manager.delete("users/1")`.
    public func delete<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        as type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) async throws(NetworkingError) -> Value {
        try await value(
            of: source("DELETE", url, parameters: parameters, headers: headers, body: body), decoder)
    }

    /// Runs a HEAD and gives the response: `let response: HTTPURLResponse = try await manager.head("disk.img")`.
    ///
    /// Parameters go into the query. The result's type has to be named: `manager.head("disk.img")` without a type is
    /// the operation.
    /// - Throws: the operation's `NetworkingError`.
    public func head<Response: HeadResponse>(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:],
        as type: Response.Type = Response.self
    ) async throws(NetworkingError) -> Response {
        let validation = ResponseValidation(acceptableStatusCodes: responseSerializer.validation.acceptableStatusCodes)
        let operation = operation(
            "HEAD", url, parameters: parameters, headers: headers,
            responseSerializer: HTTPResponseSerializer(validation: validation))
        try await run(operation)
        guard let response = operation.response as? Response else {
            throw NetworkingError(.badServerResponse, "the response is no \(Response.self)")
        }
        return response
    }
}

/// The result of an asynchronous HEAD: `HTTPURLResponse`, the only type that conforms.
///
/// The protocol makes callers name the result's type.
public protocol HeadResponse: Sendable {}

extension HTTPURLResponse: HeadResponse {}

// MARK: - One call

extension RequestOperationManager {
    private func value<Value: Decodable & Sendable>(
        of source: RequestPlan.Source, _ decoder: JSONDecoder?
    ) async throws(NetworkingError) -> Value {
        let operation = operation(source, serializer: serializer(for: Value.self, decoder))
        return try await run(RequestHandle(operation))
    }

    private func serializer<Value: Decodable & Sendable>(
        for type: Value.Type, _ decoder: JSONDecoder?
    ) -> ResolvedSerializer {
        let bodySerializer = bodySerializer
        if type == Data.self { return bodySerializer }
        var serializer = DecodableResponseSerializer(
            type, decoder: decoder ?? Self.plainDecoder, acceptsStructuredSuffix: true)
        serializer.validation.acceptableStatusCodes = bodySerializer.validation.acceptableStatusCodes
        return ResolvedSerializer(serializer)
    }

    /// Never mutated, so safe to share.
    private static let plainDecoder = JSONDecoder()
}
