// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

// Typed operations that are made from the results of others. Each is added to `operationQueue` immediately.
extension RequestOperationManager {
    /// Runs a request and gives its result a type.
    @discardableResult
    public func send<Serializer: ResponseSerializer>(
        _ method: String, _ url: String, parameters: Parameters? = nil, returning serializer: Serializer
    ) -> RequestHandle<Serializer.Value> {
        let source: RequestSource
        do throws(NetworkingError) {
            source = .ready(try request(method, url, parameters: parameters))
        } catch {
            source = .made { throw error }
        }
        let operation = operation(source: source, responseSerializer: serializer)
        operationQueue.addOperation(operation)
        return RequestHandle(operation)
    }

    /// Runs a request that is made from the results of other operations, after these have ended.
    ///
    /// When a result is missing, the operation is skipped with the reason, unless the source has another policy.
    ///
    /// - Parameters:
    ///   - sources: a source, several sources, or arrays of sources.
    ///   - makeRequest: called once with the values, off the network thread. An error that it throws is the operation's
    ///     error, and nothing is sent.
    @discardableResult
    public func send<each Source: ResultSource, Serializer: ResponseSerializer>(
        after sources: repeat each Source, returning serializer: Serializer,
        makeRequest: @escaping @Sendable (repeat (each Source).Value) throws -> URLRequest
    ) -> RequestHandle<Serializer.Value> {
        let operation = operation(
            source: .made { RequestBlueprint(request: try makeRequest(repeat try (each sources).finalValue())) },
            responseSerializer: serializer)
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
    ///   - sources: a source, several sources, or arrays of sources.
    ///   - prepare: called once with the request that method, URL and parameters make, and with the values; off the
    ///     network thread. An error that it throws is the operation's error, and nothing is sent.
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
