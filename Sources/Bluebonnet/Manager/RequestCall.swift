// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

// Operations out of all that a call can say: parameters, headers, a body, a serializer of its own.
extension RequestOperationManager {
    /// Makes an operation from a method and a URL, and does not start it: add it to `operationQueue`.
    ///
    /// A request that cannot be made is an operation that fails with the reason, without touching the network.
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded by `requestSerializer`; with a body they go into the query, whatever the method.
    ///   - headers: for this request only; each replaces the serializer's field of that name.
    ///   - body: encoded when the operation starts.
    ///   - responseSerializer: nil is the manager's.
    public func operation(
        _ method: String, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        body: RequestBody? = nil, responseSerializer: (any ResponseSerializer)? = nil
    ) -> HTTPRequestOperation {
        let call = call(method, url, parameters: parameters, headers: headers, body: body)
        return operation(source: call.source, responseSerializer: responseSerializer)
    }

    func call(
        _ method: String, _ url: String, parameters: Parameters?, headers: HTTPHeaders, body: RequestBody?
    ) -> RequestCall {
        RequestCall(
            method: method, url: url, parameters: parameters, headers: headers, body: body, baseURL: baseURL,
            serializer: requestSerializer)
    }
}

/// One call of a manager before it is a request.
struct RequestCall: Sendable {
    fileprivate let method: String
    fileprivate let url: String
    fileprivate let parameters: Parameters?
    fileprivate let headers: HTTPHeaders
    fileprivate let body: RequestBody?
    fileprivate let baseURL: URL?
    fileprivate let serializer: any RequestSerializer

    /// The request, or what makes it when the operation starts. Without a body there is little to do, and the request
    /// can be looked at before.
    var source: RequestSource {
        guard body == nil, let request = try? blueprint().request else { return .made { try blueprint() } }
        return .ready(request)
    }

    private func blueprint() throws -> RequestBlueprint {
        try RequestCheck.method(method)
        var request = URLRequest(url: try RequestCheck.url(url, relativeTo: baseURL), method: method)
        serializer.properties.apply(to: &request)
        for field in headers.fields {
            try RequestCheck.field(name: field.name, value: field.value)
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        guard let body else {
            try serializer.complete(&request, with: parameters)
            return RequestBlueprint(request: request)
        }
        var blueprint = RequestBlueprint(request: request)
        if let parameters { try serializer.forQueries.addQuery(parameters, to: &blueprint.request) }
        try body.apply(&blueprint)
        // A body that is there stays; the serializer adds its headers.
        try serializer.complete(&blueprint.request, with: nil)
        return blueprint
    }
}

extension RequestSerializer {
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
