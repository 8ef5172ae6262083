// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// Makes and decodes requests of mixed traffic as programs with async-http-client do.
enum MixedAsyncHTTPClient {
    /// Never modified after its creation, so several threads can use it.
    private static let decoder = JSONDecoder()

    /// Returns a request for the async calls.
    static func request(_ request: MixedRequest) -> HTTPClientRequest {
        var result = HTTPClientRequest(url: request.url)
        result.headers = headers(request)
        guard let body = request.body else { return result }
        result.method = .POST
        result.body = .bytes(ByteBuffer(string: body))
        return result
    }

    /// Returns a request for the calls that return futures.
    static func futureRequest(_ request: MixedRequest) throws -> HTTPClient.Request {
        try HTTPClient.Request(
            url: request.url, method: request.body == nil ? .GET : .POST, headers: headers(request),
            body: request.body.map { .byteBuffer(ByteBuffer(string: $0)) })
    }

    private static func headers(_ request: MixedRequest) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.add(name: MixedRequest.Field.traceParent, value: request.traceParent)
        headers.add(name: MixedRequest.Field.idempotencyKey, value: request.idempotencyKey)
        headers.add(name: MixedRequest.Field.authorization, value: request.authorization)
        if request.body != nil {
            headers.add(name: MixedRequest.Field.contentType, value: MixedRequest.contentType)
        }
        return headers
    }

    /// Decodes a body with Foundation. Returns whether the value is the server's.
    static func isDecoded(_ body: ByteBuffer, _ decoding: MixedRequest.Decoding) throws -> Bool {
        switch decoding {
        case .json:
            let object = try JSONSerialization.jsonObject(with: Data(buffer: body)) as? [String: Any]
            return object?["id"] as? Int == JSONDocument.id
        case .data: return true
        case .decodable: return try decoder.decode(Catalogue.self, from: body).id == JSONDocument.id
        }
    }
}
