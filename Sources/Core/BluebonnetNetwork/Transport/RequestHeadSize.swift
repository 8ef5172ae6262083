// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

/// Estimates the size of a request's head. The size determines the upload buffer, the HTTP version, and the error for
/// a head that no version can carry.
///
/// Computed for every request, and therefore a cheap upper bound. Exact sizes are computed only for an error. The
/// estimate includes the fields that libcurl adds, and does not depend on connections.
struct RequestHeadSize: Equatable, Sendable {
    /// The format of a head.
    package enum Form {
        /// Lines of text, which libcurl assembles in one buffer (DYN_HTTP_REQUEST).
        case text
        /// An HTTP/2 field block. nghttp2 refuses to encode a block that could exceed the limit
        /// (NGHTTP2_MAX_HEADERSLEN). libcurl 7.88 does not learn of the refusal: the request would wait for its idle
        /// limit.
        case block

        /// The largest size that is sent, in bytes.
        var limit: Int {
            switch self {
            case .text: 1024 * 1024 - 1
            case .block: 64 * 1024
            }
        }

        fileprivate var version: String {
            switch self {
            case .text: "HTTP/1.1"
            case .block: "HTTP/2"
            }
        }
    }

    /// An upper bound of the head's size in either form, including everything that libcurl adds.
    let upperBound: Int

    /// - Parameters:
    ///   - url: the request's URL.
    ///   - proxyCredentialByteCount: the number of bytes in the user name and password for the proxy.
    ///   - usesJar: whether a cookie jar adds to the head.
    init(
        method: String, url: String, host: String, headers: [HeaderFields.Field], proxyCredentialByteCount: Int,
        usesJar: Bool
    ) {
        var count = Self.fixedByteCount + method.utf8.count + url.utf8.count + host.utf8.count
        for field in headers { count += field.name.utf8.count + field.value.utf8.count + Self.blockFieldOverhead }
        count += Self.base64Bound * (Self.userInfoByteCount(url) + proxyCredentialByteCount)
        if usesJar { count += Self.jarByteCount }
        upperBound = count
    }

    /// Whether HTTP/2 can carry the head.
    var fitsHTTP2: Bool { upperBound <= Form.block.limit }

    /// Whether libcurl's buffer has space for a small body after the head.
    var leavesRoomForBody: Bool { upperBound <= 1 << 19 }

    // MARK: - Additions by libcurl

    /// The fixed text of the request line and of the request to a proxy, and the fields that libcurl adds: `Accept`,
    /// `Host`, `Content-Length`, `Transfer-Encoding`, `Authorization`, `Proxy-Authorization`, `Proxy-Connection`, and
    /// for the upgrade to HTTP/2 `Connection`, `Upgrade` and `HTTP2-Settings`.
    private static let fixedByteCount = 640
    /// `Accept` and `Content-Length`, which libcurl may add to any request.
    private static let usualByteCount = 128
    /// The punctuation of a field: colon, space and line end.
    private static let textFieldOverhead = 4
    /// The bytes that nghttp2 counts for a field in addition to its name and value (nghttp2_hd_deflate_bound).
    private static let blockFieldOverhead = 12
    /// The bytes that nghttp2 counts for the block itself.
    private static let blockOverhead = 12
    private static let pseudoFieldCount = 4
    /// The maximum number of bytes that libcurl sends of a jar (MAX_COOKIE_HEADER_LEN), plus the field's name.
    private static let jarByteCount = 8190 + 16
    /// An upper bound: Base64 encodes three bytes as four.
    private static let base64Bound = 2

    /// User information becomes an `Authorization` field in Base64. It ends before the first slash, question mark or
    /// number sign after "//". A later "@" has no meaning.
    private static func userInfoByteCount(_ url: String) -> Int {
        var url = url
        return url.withUTF8 { bytes in
            guard let start = bytes.baseAddress, memchr(start, CInt(UInt8(ascii: "@")), bytes.count) != nil else {
                return 0  // nearly always
            }
            let ends = "/?#".utf8
            let authority = bytes.drop { $0 != UInt8(ascii: "/") }.dropFirst(2).prefix { !ends.contains($0) }
            return authority.lastIndex(of: UInt8(ascii: "@")).map { $0 - authority.startIndex } ?? 0
        }
    }
}

// MARK: - The error

extension RequestHeadSize {
    /// Returns the error of a head that is too large in this form; nil if the head can be sent.
    ///
    /// - Parameter withAdditions: whether a head also counts as too large if only libcurl's additions (cookies,
    ///   credentials and its own fields) could make it too large.
    func error(_ form: Form, of request: TransferRequest, withAdditions: Bool) -> NetworkingError? {
        guard upperBound > form.limit else { return nil }
        let byteCount = Self.byteCount(form, of: request)
        guard withAdditions || byteCount > form.limit else { return nil }
        let additions =
            byteCount > form.limit
            ? "" : ", with up to \(upperBound - byteCount) bytes more for cookies, credentials and libcurl's fields"
        return NetworkingError(
            .invalidRequest,
            "the request's head is too large for \(form.version): \(byteCount) bytes, \(Self.largestPart(of: request))"
                + "\(additions); the limit is \(form.limit) bytes")
    }

    /// Returns the size of the head in this form, with the minimum that libcurl adds to a request.
    static func byteCount(_ form: Form, of request: TransferRequest) -> Int {
        let url = URLText(request.urlText)
        let target = url.remainder.prefix { $0 != "#" }
        let own = usualByteCount + request.method.utf8.count + target.utf8.count + (url.authority ?? "").utf8.count
        let fields = request.headers.reduce(own) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        switch form {
        case .text:
            return fields + request.headers.count * textFieldOverhead + "  HTTP/1.1\r\nHost: \r\n\r\n".utf8.count
        case .block:
            let names = ":method:path:scheme:authorityhttps".utf8.count
            return fields + names + (request.headers.count + pseudoFieldCount) * blockFieldOverhead + blockOverhead
        }
    }

    private static func largestPart(of request: TransferRequest) -> String {
        let largest = request.headers.max { $0.value.utf8.count < $1.value.utf8.count }
        guard let largest, largest.value.utf8.count > request.urlText.utf8.count else {
            return "\(request.urlText.utf8.count) of them in the URL"
        }
        return "\(largest.value.utf8.count) of them in the header \(largest.name)"
    }
}

extension TransferRequest {
    /// The error of a head that is too large, determined before there is a connection. A head that only HTTP/1.1 can
    /// carry is sent over HTTP/1.1, unless the caller requires HTTP/2.
    ///
    /// libcurl 7.88 reports such a head as a lack of memory. Over HTTP/2 it reconnects repeatedly, because nghttp2
    /// refuses the head.
    var headError: NetworkingError? {
        if let error = DroppedField.error(of: self) { return error }
        guard httpVersion == .http2PriorKnowledge else { return headSize.error(.text, of: self, withAdditions: false) }
        return headSize.error(.block, of: self, withAdditions: true)
    }

    /// The error of a head that libcurl could not assemble because of its additions.
    var assembledHeadError: NetworkingError? { headSize.error(.text, of: self, withAdditions: true) }
}
