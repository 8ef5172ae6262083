// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// A request, as a cache sees it: parsed once, compared with any number of stored responses.
package struct CacheRequest: Sendable {
    package let method: String
    /// The key of its URL.
    package let key: CacheKey
    /// The fields that would be sent without a cache, including credentials and cookies: `Vary` may name them.
    package let headers: HeaderFields
    /// Whether a body is sent.
    package let hasBody: Bool
    let url: URL
    let directives: CacheDirectives
    let range: RequestedRange
    let conditions: RequestConditions

    package init(_ method: String = "GET", url: URL, headers: HeaderFields = [:], hasBody: Bool = false) {
        (self.method, self.url, self.headers, self.hasBody) = (method, url, headers, hasBody)
        key = CacheKey(url)
        directives = Self.directives(headers)
        range = method == "GET" ? RequestedRange(headers) : .none
        conditions = RequestConditions(headers)
    }

    /// The directives. `Pragma: no-cache` counts only without `Cache-Control` (RFC 9111, 5.4).
    private static func directives(_ headers: HeaderFields) -> CacheDirectives {
        let values = headers.values(for: "Cache-Control")
        guard values.isEmpty else { return CacheDirectives(values) }
        var directives = CacheDirectives()
        directives.noCache = ResponseHead.list(headers.values(for: "Pragma")).contains("no-cache")
        return directives
    }

    /// The methods that change nothing on the server, by RFC 9110, 9.2.1 and the registry of methods.
    private static let safeMethods: Set = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY",
    ]

    /// Whether the method is known to change nothing. A successful response to any other method invalidates stored
    /// responses (RFC 9111, 4.4).
    package var isSafe: Bool { Self.safeMethods.contains(method) }

    /// Whether a stored response could answer the request at all. The cache of a client cannot evaluate `If-Match` and
    /// `If-Unmodified-Since` (RFC 9111, 4.3.2).
    package var isAnswerable: Bool {
        (method == "GET" || method == "HEAD") && !hasBody && range != .other && !conditions.hasOther
    }

    /// Whether the request may wait for the response to another one of the same key (RFC 9111, 4): if that response is
    /// stored, `CacheRules.decision` says whether it answers this request, too.
    package var canBeCollapsed: Bool {
        method == "GET" && isAnswerable && range == .none && conditions.isEmpty && !directives.noStore
            && !directives.noCache && directives.maxAge != 0
    }
}

/// The preconditions that a program itself put into a request (RFC 9110, 13.1).
struct RequestConditions: Sendable {
    /// The tags in `If-None-Match`.
    let tags: [EntityTag]
    let modifiedSince: String?
    let ifRange: String?
    /// Whether there are `If-Match` or `If-Unmodified-Since`.
    let hasOther: Bool

    init(_ headers: HeaderFields) {
        tags = EntityTag.list(headers.values(for: "If-None-Match"))
        modifiedSince = headers["If-Modified-Since"]
        ifRange = headers["If-Range"]
        hasOther = headers.contains(name: "If-Match") || headers.contains(name: "If-Unmodified-Since")
    }

    /// Whether the program has a copy of the response and asks for a newer one.
    var isEmpty: Bool { tags.isEmpty && modifiedSince == nil }
    /// `If-None-Match: *`.
    var hasAnyTag: Bool { tags.contains { $0.text == "*" } }
}
