// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Checks the trailer section of a request before it is sent. Pure.
package enum TrailerCheck {
    /// The maximum size of a trailer section in bytes, with line ends. libcurl 7.88 accepts slightly more
    /// (DYN_TRAILERS).
    package static let byteLimit = 60 << 10

    /// Fields that have to be known before the content (RFC 9110, 6.5.1), and fields of the connection (7.6.1).
    private static let namesOfHead: Set = [
        // Framing and routing.
        "content-length", "host", "transfer-encoding",
        // The connection.
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade",
        // Authentication and cookies.
        "authorization", "cookie", "proxy-authenticate", "proxy-authorization", "set-cookie", "www-authenticate",
        // Controls of requests and responses, and content negotiation.
        "accept", "accept-charset", "accept-encoding", "accept-language", "age", "cache-control", "date", "expect",
        "expires", "location", "max-forwards", "pragma", "range", "retry-after", "vary", "warning",
        // The format of the content.
        "content-encoding", "content-range", "content-type",
    ]

    /// Refuses fields that must not be trailers, fields that cannot be sent, and a section that is too long.
    ///
    /// - Throws: `invalidRequest`.
    package static func check(_ fields: HeaderFields) throws(NetworkingError) {
        var byteCount = 2
        for field in fields {
            try RequestCheck.field(name: field.name, value: field.value)
            guard !isForHead(field.name) else {
                throw NetworkingError(
                    .invalidRequest, "the field \(field.name) must be in the header section, not in the trailers")
            }
            byteCount += field.name.utf8.count + field.value.utf8.count + 4
        }
        guard byteCount > byteLimit else { return }
        throw NetworkingError(
            .invalidRequest, "the trailers have \(byteCount) bytes, but at most \(byteLimit) can be sent")
    }

    private static func isForHead(_ name: String) -> Bool {
        let name = name.lowercased()
        return namesOfHead.contains(name) || name.hasPrefix("if-")
    }
}
