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
    ///   - headers: for this request only; each wins over the serializer's field of that name.
    ///   - body: encoded when the operation starts.
    ///   - responseSerializer: nil is the manager's.
    public func operation(
        _ method: String, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        body: RequestBody? = nil, responseSerializer: (any ResponseSerializer)? = nil
    ) -> HTTPRequestOperation {
        let call = RequestCall(
            method: method, url: url, parameters: parameters, headers: headers, body: body, baseURL: baseURL,
            serializer: requestSerializer)
        // Without a body there is little to do, and the request can be looked at before the operation starts.
        guard body == nil, let request = try? call.blueprint().request else {
            return operation(source: .made { try call.blueprint() }, responseSerializer: responseSerializer)
        }
        return operation(with: request, responseSerializer: responseSerializer)
    }
}

/// One call of a manager before it is a request.
private struct RequestCall: Sendable {
    let method: String
    let url: String
    let parameters: Parameters?
    let headers: HTTPHeaders
    let body: RequestBody?
    let baseURL: URL?
    let serializer: any RequestSerializer

    func blueprint() throws -> RequestBlueprint {
        try RequestCheck.method(method)
        var request = URLRequest(url: try RequestCheck.url(url, relativeTo: baseURL))
        request.httpMethod = method
        serializer.properties.apply(to: &request)
        for field in headers.fields {
            try RequestCheck.field(name: field.name, value: field.value)
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        var blueprint = RequestBlueprint(request: request)
        guard let body else {
            blueprint.request = try serializer.request(request, with: parameters)
            return blueprint
        }
        if let parameters { try serializer.forQueries.addQuery(parameters, to: &blueprint.request) }
        try body.apply(&blueprint)
        // A body that is there stays; the serializer adds its headers.
        blueprint.request = try serializer.request(blueprint.request, with: nil)
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
