// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A response that a cache makes from a stored one (RFC 9111, 4).
package struct StoredAnswer: Sendable {
    /// The stored response, with the changes of a validation.
    package let stored: StoredResponse
    /// The status code of the stored response, or 206 or 304.
    package let statusCode: Int
    /// The fields, including `Age`.
    package let headers: HeaderFields
    /// The bytes of the stored body that are the body of the answer; nil if the answer has no body.
    package let bytes: Range<Int64>?
    /// Whether the answer is stale.
    package let isStale: Bool
    /// How the cache handled the request.
    package var status: CacheStatus

    /// Makes the answer to a request that the stored response can answer.
    init(_ stored: StoredResponse, _ content: CacheContent, for request: CacheRequest, now: Date, status: CacheStatus) {
        self.stored = stored
        let remaining = stored.times.remaining(at: now)
        isStale = remaining <= 0
        self.status = status
        self.status.timeToLive = Int(max(-1e9, min(remaining, 1e10)).rounded(.down))
        var headers = stored.headers(at: now)
        if !request.conditions.isEmpty, stored.statusCode / 100 == 2, request.conditions.areMet(by: stored) {
            headers.removeAll { Self.isOmittedFrom304($0.name) }
            (statusCode, bytes) = (304, nil)
        } else {
            (statusCode, bytes) = content.apply(to: &headers, stored)
        }
        self.headers = headers
    }

    /// Fields about a body, which a 304 does not have (RFC 9110, 15.4.5).
    private static func isOmittedFrom304(_ name: String) -> Bool {
        FieldSyntax.begins(name, with: "content-") && !FieldSyntax.isSameName(name, "Content-Location")
    }
}

/// The part of a stored response that answers a request.
enum CacheContent: Sendable, Hashable {
    case whole
    case part(Range<Int64>)
    /// The answer to HEAD.
    case head

    /// The part of a stored response that answers a request; nil if the stored response lacks bytes.
    init?(of stored: StoredResponse, for request: CacheRequest) {
        if stored.statusCode == 200, request.range != .none, request.conditions.permitRange(of: stored) {
            guard !stored.body.isDecoded, let bytes = request.range.bytes(ofTotal: stored.body.totalByteCount),
                stored.body.contains(bytes)
            else { return nil }
            self = .part(bytes)
        } else {
            guard stored.body.isComplete else { return nil }
            self = request.method == "HEAD" ? .head : .whole
        }
    }

    /// Sets the fields of the body. Returns the status code and the bytes.
    fileprivate func apply(to headers: inout HeaderFields, _ stored: StoredResponse) -> (Int, Range<Int64>?) {
        let total = stored.body.totalByteCount
        switch self {
        case .head: return (stored.statusCode, nil)
        case .whole:
            if !stored.body.isDecoded, stored.statusCode != 204, let total, !headers.contains(name: "Content-Length") {
                headers["Content-Length"] = String(total)
            }
            return (stored.statusCode, 0..<(total ?? 0))
        case .part(let bytes):
            headers["Content-Length"] = String(bytes.count)
            headers["Content-Range"] =
                "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total.map { String($0) } ?? "*")"
            return (206, bytes)
        }
    }
}

extension RequestConditions {
    /// Returns whether the copy that the program has is the stored response (RFC 9111, 4.3.2): the answer is a 304.
    func areMet(by stored: StoredResponse) -> Bool {
        if hasAnyTag { return true }
        if !tags.isEmpty { return stored.entityTag.map { tag in tags.contains { $0.matchesWeakly(tag) } } ?? false }
        guard let modifiedSince, let since = HTTPDate.date(modifiedSince, now: stored.receivedAt) else { return false }
        let modified = stored.lastModified.flatMap { HTTPDate.date($0, now: stored.receivedAt) }
        return (modified ?? stored.times.date) <= since
    }

    /// Returns whether a range of the stored response may be sent, by `If-Range` (RFC 9110, 13.1.5).
    func permitRange(of stored: StoredResponse) -> Bool {
        guard let ifRange else { return true }
        return stored.strongValidator.map { FieldSyntax.isSameText($0.fieldValue, ifRange) } ?? false
    }
}
