// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Whether a response may be stored (RFC 9111, 3), and whether that would be of use.
enum CacheAdmission {
    /// Returns the response as it would be stored, before its body has arrived; nil if it is not stored.
    static func admitted(
        _ response: ResponseHead, to request: CacheRequest, _ directives: CacheDirectives, requestedAt: Date,
        receivedAt: Date, forReplay: Bool
    ) -> StoredResponse? {
        guard permits(response, to: request, directives),
            let variance = CacheVariance(response: response.headers, request: request.headers)
        else { return nil }
        let isPart = response.statusCode == 206
        var headers = StoredFields.stored(response.headers, directives, receivedAt: receivedAt)
        if isPart { headers.removeAll { $0.hasName("Content-Length") || $0.hasName("Content-Range") } }
        let stored = StoredResponse(
            id: 0, key: request.key, statusCode: isPart ? 200 : response.statusCode,
            reasonPhrase: isPart ? "OK" : response.reasonPhrase, headers: headers, variance: variance,
            requestedAt: requestedAt, receivedAt: receivedAt, body: StoredBody())
        return forReplay || isUseful(stored) ? stored : nil
    }

    private static func permits(
        _ response: ResponseHead, to request: CacheRequest, _ directives: CacheDirectives
    ) -> Bool {
        let status = response.statusCode
        // 304 and 206 are handled before; 407, 412 and 416 answer one request only.
        guard status >= 200, ![304, 407, 412, 416].contains(status) else { return false }
        guard !directives.mustUnderstand || isUnderstood(status) else { return false }
        guard !directives.noStore || directives.mustUnderstand else { return false }
        let isExplicit = directives.maxAge != nil || response.hasField("expires")
        switch request.method {
        case "GET": break
        case "POST":
            // RFC 9110, 9.3.3: the response is the representation that a GET would return.
            guard status == 200, isExplicit, representsTarget(response, request) else { return false }
        default: return false
        }
        return isExplicit || directives.isPublic || directives.isPrivate || StoredTimes.isHeuristicallyCacheable(status)
    }

    private static func representsTarget(_ response: ResponseHead, _ request: CacheRequest) -> Bool {
        response.value(for: "Content-Location").flatMap { URLText.url($0, relativeTo: request.url) }
            .map { CacheKey($0) == request.key } ?? false
    }

    /// Whether the library knows what a status means for a cache.
    private static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...305, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505, 511: true
        default: false
        }
    }

    /// Whether any request could be answered by the response, perhaps after a validation.
    private static func isUseful(_ stored: StoredResponse) -> Bool {
        (stored.times.lifetime ?? 0) > 0 || stored.hasValidator || stored.directives.staleIfError ?? 0 > 0
            || stored.directives.staleWhileRevalidate ?? 0 > 0
    }
}
