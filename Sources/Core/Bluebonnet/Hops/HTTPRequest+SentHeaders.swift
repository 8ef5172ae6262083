// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

// The header fields that are sent with a request: its own fields, checked, and the defaults for fields that the caller
// has not set.
extension HTTPRequest {
    /// Checks the request's fields, and adds the defaults.
    ///
    /// - Parameters:
    ///   - known: what is known about the fields.
    ///   - bodyByteCount: the body's length; 0 without a body, nil if it is not known.
    /// - Returns: the fields, and the length in the request's `Content-Length` if `bodyByteCount` is nil.
    /// - Throws: `NetworkingError` with `invalidRequest`, see `RequestCheck.fields`.
    func sentHeaders(
        _ known: RequestPlan.Fields = .unchecked, bodyByteCount: Int64?
    ) throws(NetworkingError) -> (headers: HeaderFields, declaredBodyByteCount: Int64?) {
        if case .sent(let ready) = known { return (ready, nil) }
        let isChecked = if case .checked = known { true } else { headers.isEmpty }
        if isChecked, !headers.fields.contains(where: { RequestCheck.concernsConnection($0.name) }) {
            return (uncheckedSentHeaders, nil)
        }
        let checked = try RequestCheck.fields(
            headers.fields.map { (name: $0.name, value: $0.value) }, bodyByteCount: bodyByteCount)
        return (Self.withDefaults(HeaderFields(checked.sent), cachePolicy), checked.declaredBodyByteCount)
    }

    /// The fields that are sent, without a check of the request's own fields.
    package var uncheckedSentHeaders: HeaderFields { Self.withDefaults(headers, cachePolicy) }

    /// The fields of requests whose callers set no fields.
    private static let plain: HeaderFields = [
        "Accept-Encoding": ContentDecoder.acceptedCodings,
        "User-Agent": userAgent,
    ]
    private static let userAgent = DefaultHeaders.ofThisProcess["User-Agent"] ?? ""

    private static func withDefaults(_ fields: HeaderFields, _ cachePolicy: URLRequest.CachePolicy) -> HeaderFields {
        if fields.isEmpty, cachePolicy != .reloadIgnoringLocalAndRemoteCacheData { return plain }
        var headers = fields
        if !fields.contains(name: "Accept-Encoding") {
            // A part of a coded body cannot be decoded.
            let codings = fields.contains(name: "Range") ? "identity" : ContentDecoder.acceptedCodings
            headers.add(name: "Accept-Encoding", value: codings)
        }
        if !fields.contains(name: "User-Agent") { headers.add(name: "User-Agent", value: userAgent) }
        // Intermediate caches receive only directives that a client may send (RFC 9111, 5.2.1.4 and 5.4).
        if cachePolicy == .reloadIgnoringLocalAndRemoteCacheData, headers["Cache-Control"] == nil {
            headers["Cache-Control"] = "no-cache"
            headers["Pragma"] = "no-cache"
        }
        return headers
    }
}
