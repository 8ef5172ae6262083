// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
package import FoundationNetworking

/// The header fields that go out with a request: its own, checked and sorted by name, and those that every request
/// carries unless its caller said otherwise.
package struct SentHeaders {
    let headers: HeaderFields
    /// What the request's `Content-Length` says of a body whose length is not known otherwise.
    let declaredBodyByteCount: Int64?

    /// Checks a request's fields, and adds the others.
    ///
    /// - Parameters:
    ///   - cachePolicy: the request's.
    ///   - ready: the fields where this was done already.
    ///   - bodyByteCount: the body's length, 0 without a body, nil where it is not known.
    /// - Throws: `NetworkingError` with `invalidRequest`, see `RequestCheck.fields`.
    init(
        of request: GivenRequest, _ cachePolicy: URLRequest.CachePolicy, ready: HeaderFields?, bodyByteCount: Int64?
    ) throws(NetworkingError) {
        if let ready {
            (headers, declaredBodyByteCount) = (ready, nil)
            return
        }
        if let fields = request.fields, !fields.fields.contains(where: { RequestCheck.concernsConnection($0.name) }) {
            (headers, declaredBodyByteCount) = (Self.withDefaults(fields, cachePolicy), nil)
            return
        }
        if let fields = request.fields {
            let checked = try RequestCheck.fields(
                fields.fields.map { (name: $0.name, value: $0.value) }, bodyByteCount: bodyByteCount)
            headers = Self.withDefaults(checked.sent, cachePolicy)
            declaredBodyByteCount = checked.declaredBodyByteCount
            return
        }
        guard let given = request.bare.allHTTPHeaderFields, !given.isEmpty else {
            (headers, declaredBodyByteCount) = (Self.withDefaults([], cachePolicy), nil)
            return
        }
        let fields = try RequestCheck.fields(Self.sorted(given), bodyByteCount: bodyByteCount)
        headers = Self.withDefaults(fields.sent, cachePolicy)
        declaredBodyByteCount = fields.declaredBodyByteCount
    }

    /// The fields that go out with a request, without checking the request's own fields.
    package static func unchecked(of request: URLRequest) -> HeaderFields {
        withDefaults(sorted(request.allHTTPHeaderFields ?? [:]), request.cachePolicy)
    }

    private static func sorted(_ fields: [String: String]) -> [(name: String, value: String)] {
        fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// What those requests carry whose callers said nothing.
    private static let plain: HeaderFields = [
        "Accept-Encoding": ContentDecoder.acceptedCodings,
        "User-Agent": DefaultHeaders.ofThisProcess["User-Agent"] ?? "",
    ]

    private static func withDefaults(
        _ fields: [(name: String, value: String)], _ cachePolicy: URLRequest.CachePolicy
    ) -> HeaderFields {
        if fields.isEmpty, cachePolicy != .reloadIgnoringLocalAndRemoteCacheData { return plain }
        return withDefaults(HeaderFields(fields), cachePolicy)
    }

    private static func withDefaults(_ fields: HeaderFields, _ cachePolicy: URLRequest.CachePolicy) -> HeaderFields {
        var headers = fields
        if headers["Accept-Encoding"] == nil {
            // A part of a coded body cannot be decoded.
            headers["Accept-Encoding"] = headers["Range"] == nil ? ContentDecoder.acceptedCodings : "identity"
        }
        if headers["User-Agent"] == nil { headers["User-Agent"] = DefaultHeaders.ofThisProcess["User-Agent"] }
        // Caches on the way are told only what their client may say (RFC 9111, 5.2.1.4 and 5.4).
        if cachePolicy == .reloadIgnoringLocalAndRemoteCacheData, headers["Cache-Control"] == nil {
            headers["Cache-Control"] = "no-cache"
            headers["Pragma"] = "no-cache"
        }
        return headers
    }
}
