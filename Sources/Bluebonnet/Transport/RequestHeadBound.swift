// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A request's head in bytes, as an upper bound: the buffer that the head leaves from, and whether HTTP/2 can carry it,
/// depend on it. It knows what libcurl adds to the fields of a request, and is not exact, so that it costs little.
struct RequestHeadBound: Equatable, Sendable {
    /// At least as many bytes as the head has over HTTP/1.1, and as its fields take over HTTP/2 before compression.
    let byteCount: Int

    /// - Parameters:
    ///   - url: the request's URL.
    ///   - proxyCredentialByteCount: the bytes of user name and password for the proxy.
    ///   - usesJar: whether a cookie jar adds to the head.
    init(
        method: String, url: String, host: String, headers: [HTTPHeaders.Field], proxyCredentialByteCount: Int,
        usesJar: Bool
    ) {
        var count = Self.fixedByteCount + method.utf8.count + url.utf8.count + host.utf8.count
        for field in headers { count += field.name.utf8.count + field.value.utf8.count + Self.fieldOverhead }
        if Self.mayHaveUserInfo(url) { count += 2 * url.utf8.count }
        if proxyCredentialByteCount > 0 { count += 2 * proxyCredentialByteCount }
        if usesJar { count += Self.jarByteCount }
        byteCount = count
    }

    /// Whether HTTP/2 can carry the head. nghttp2 refuses to encode a larger one (NGHTTP2_MAX_HEADERSLEN), and libcurl
    /// 7.88 does not hear of that: the request would wait for its idle limit.
    var fitsHTTP2: Bool { byteCount <= 64 * 1024 }

    /// Whether libcurl has room for a small body behind the head.
    var leavesRoomForBody: Bool { byteCount <= 1 << 19 }

    /// The request line's and the proxy's words, and the fields of libcurl's own: `Accept`, `Host`, `Content-Length`,
    /// `Transfer-Encoding`, `Proxy-Connection`, and for the upgrade to HTTP/2 `Connection`, `Upgrade` and
    /// `HTTP2-Settings`.
    private static let fixedByteCount = 640
    /// What HTTP/2 counts for a field (nghttp2_hd_deflate_bound); HTTP/1.1 has four bytes for its punctuation.
    private static let fieldOverhead = 12
    /// The most that libcurl sends of a jar (MAX_COOKIE_HEADER_LEN), and the field's name.
    private static let jarByteCount = 8190 + 16

    /// User information becomes an `Authorization` field in base64. A short URL is not searched for it.
    private static func mayHaveUserInfo(_ url: String) -> Bool {
        url.utf8.count <= 1024 || url.utf8.contains(UInt8(ascii: "@"))
    }
}
