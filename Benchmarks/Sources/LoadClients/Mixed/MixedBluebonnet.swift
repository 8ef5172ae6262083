// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Figures
import Foundation
import FoundationNetworking

/// Makes and decodes requests of mixed traffic as programs with Bluebonnet do.
enum MixedBluebonnet {
    private static let json = JSONResponseSerializer()
    private static let data = HTTPResponseSerializer()
    private static let decodable = DecodableResponseSerializer(Catalogue.self)

    /// Returns an operation made by the manager, with the request's URL, fields, body and serializer.
    static func operation(_ request: MixedRequest, _ manager: RequestOperationManager) -> HTTPRequestOperation {
        manager.operation(
            request.body == nil ? "GET" : "POST", request.url, headers: headers(of: request),
            body: request.body.map { .data(Data($0.utf8), contentType: MixedRequest.contentType) },
            responseSerializer: serializer(of: request))
    }

    /// Returns the same operation, made from a `URLRequest`.
    ///
    /// - Throws: a `BenchmarkError`, if the URL is invalid.
    static func operationOfURLRequest(
        _ request: MixedRequest, _ manager: RequestOperationManager
    ) throws -> HTTPRequestOperation {
        manager.operation(with: try urlRequest(request), responseSerializer: serializer(of: request))
    }

    private static func serializer(of request: MixedRequest) -> any ResponseSerializer {
        switch request.decoding {
        case .json: json
        case .data: data
        case .decodable: decodable
        }
    }

    private static func headers(of request: MixedRequest) -> HeaderFields {
        [
            MixedRequest.Field.traceParent: request.traceParent,
            MixedRequest.Field.idempotencyKey: request.idempotencyKey,
            MixedRequest.Field.authorization: request.authorization,
        ]
    }

    private static func urlRequest(_ request: MixedRequest) throws -> URLRequest {
        guard let url = URL(string: request.url) else { throw BenchmarkError("\(request.url) is not a URL") }
        var result = URLRequest(url: url)
        result.setValue(request.traceParent, forHTTPHeaderField: MixedRequest.Field.traceParent)
        result.setValue(request.idempotencyKey, forHTTPHeaderField: MixedRequest.Field.idempotencyKey)
        result.setValue(request.authorization, forHTTPHeaderField: MixedRequest.Field.authorization)
        guard let body = request.body else { return result }
        result.httpMethod = "POST"
        result.setValue(MixedRequest.contentType, forHTTPHeaderField: MixedRequest.Field.contentType)
        result.httpBody = Data(body.utf8)
        return result
    }

    /// Returns whether a serializer made the expected value.
    static func isDecoded(_ object: any Sendable, _ decoding: MixedRequest.Decoding) -> Bool {
        switch decoding {
        case .json: (object as? JSONValue)?["id"]?.integer == Int64(JSONDocument.id)
        case .data: object is Data
        case .decodable: (object as? Catalogue)?.id == JSONDocument.id
        }
    }
}

// MARK: - The async verbs

extension MixedBluebonnet {
    /// Sends a request with the async verb, which returns a typed value. Returns the fault of the answer; nil without
    /// a fault.
    static func send(_ job: Job, _ request: MixedRequest, _ manager: RequestOperationManager) async throws -> String? {
        switch request.decoding {
        case .json:
            let value: JSONValue = try await value(of: request, manager)
            return isDecoded(value, .json) ? nil : Job.notDecoded
        case .data:
            let body: Data = try await value(of: request, manager)
            return job.fault(status: 200, byteCount: Int64(body.count))
        case .decodable:
            let catalogue: Catalogue = try await value(of: request, manager)
            return isDecoded(catalogue, .decodable) ? nil : Job.notDecoded
        }
    }

    private static func value<Value: Decodable & Sendable>(
        of request: MixedRequest, _ manager: RequestOperationManager
    ) async throws -> Value {
        let headers = headers(of: request)
        guard let body = request.body else { return try await manager.get(request.url, headers: headers) }
        let data = RequestBody.data(Data(body.utf8), contentType: MixedRequest.contentType)
        return try await manager.post(request.url, headers: headers, body: data)
    }
}
