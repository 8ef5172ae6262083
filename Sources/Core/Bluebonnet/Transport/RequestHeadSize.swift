// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

/// How large a request's head is: the buffer that it leaves from, the version that can carry it, and the error of a
/// head that none can carry depend on it.
///
/// Made for every request, so it is an upper bound that costs little; exact sizes are counted for an error only. It
/// knows what libcurl adds to the fields of a request, and nothing of connections.
struct RequestHeadSize: Equatable, Sendable {
    /// How a head is written.
    enum Form {
        /// As lines of text, which libcurl puts together in one buffer (DYN_HTTP_REQUEST).
        case text
        /// As a block of fields, as HTTP/2 has it. nghttp2 refuses to encode one that could be larger
        /// (NGHTTP2_MAX_HEADERSLEN), and libcurl 7.88 does not hear of that: the request would wait for its idle limit.
        case block

        /// The largest size that is sent.
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

    /// At least as many bytes as the head has in either form, with all that libcurl adds.
    let upperBound: Int

    /// - Parameters:
    ///   - url: the request's URL.
    ///   - proxyCredentialByteCount: the bytes of user name and password for the proxy.
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

    /// Whether libcurl has room for a small body behind the head.
    var leavesRoomForBody: Bool { upperBound <= 1 << 19 }

    // MARK: - What libcurl writes

    /// The request line's and the proxy's words, and the fields of libcurl's own: `Accept`, `Host`, `Content-Length`,
    /// `Transfer-Encoding`, `Authorization`, `Proxy-Authorization`, `Proxy-Connection`, and for the upgrade to HTTP/2
    /// `Connection`, `Upgrade` and `HTTP2-Settings`.
    private static let fixedByteCount = 640
    /// `Accept` and `Content-Length`, which a request may have without more being asked for.
    private static let usualByteCount = 128
    /// A field's punctuation: a colon, a blank and the end of the line.
    private static let textFieldOverhead = 4
    /// What nghttp2 counts for a field besides its name and value (nghttp2_hd_deflate_bound).
    private static let blockFieldOverhead = 12
    /// What nghttp2 counts for the block itself.
    private static let blockOverhead = 12
    private static let pseudoFieldCount = 4
    /// The most that libcurl sends of a jar (MAX_COOKIE_HEADER_LEN), and the field's name.
    private static let jarByteCount = 8190 + 16
    /// Base64 makes four bytes of three.
    private static let base64Bound = 2

    /// User information becomes an `Authorization` field in base64. It stands before the first slash, question mark or
    /// number sign behind "//"; an "@" further on means nothing.
    private static func userInfoByteCount(_ url: String) -> Int {
        var url = url
        return url.withUTF8 { bytes in
            guard let start = bytes.baseAddress, memchr(start, CInt(UInt8(ascii: "@")), bytes.count) != nil else {
                return 0  // as nearly always
            }
            let ends = "/?#".utf8
            let authority = bytes.drop { $0 != UInt8(ascii: "/") }.dropFirst(2).prefix { !ends.contains($0) }
            return authority.lastIndex(of: UInt8(ascii: "@")).map { $0 - authority.startIndex } ?? 0
        }
    }
}

// MARK: - The error

extension RequestHeadSize {
    /// The error of a head that is too large in this form; nil when it can be sent.
    ///
    /// - Parameter withAdditions: whether a head counts as too large that may be so by what libcurl adds: cookies,
    ///   credentials and fields of its own.
    func fault(_ form: Form, of request: TransferRequest, withAdditions: Bool) -> NetworkingError? {
        guard upperBound > form.limit else { return nil }
        let byteCount = Self.byteCount(form, of: request)
        guard withAdditions || byteCount > form.limit else { return nil }
        let additions =
            byteCount > form.limit
            ? "" : ", with up to \(upperBound - byteCount) bytes more for cookies, credentials and fields of libcurl's"
        return NetworkingError(
            .invalidRequest,
            "the request's head is too large for \(form.version): \(byteCount) bytes, \(Self.largestPart(of: request))"
                + "\(additions); the limit is \(form.limit) bytes")
    }

    /// The bytes of the head in this form, with what a request has at least of libcurl's.
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
    /// The error of a head that is too large; looked at before there is a connection. A head that only HTTP/1.1 can
    /// carry goes by HTTP/1.1, unless the caller knows that the server speaks nothing but HTTP/2.
    ///
    /// libcurl 7.88 takes such a head for a lack of memory or, over HTTP/2, connects again and again because nghttp2
    /// refuses it.
    var headFault: NetworkingError? {
        if let fault = DroppedField.fault(of: self) { return fault }
        guard httpVersion == .http2PriorKnowledge else { return headSize.fault(.text, of: self, withAdditions: false) }
        return headSize.fault(.block, of: self, withAdditions: true)
    }

    /// The error of a head that libcurl could not put together because of what it adds.
    var assembledHeadFault: NetworkingError? { headSize.fault(.text, of: self, withAdditions: true) }
}
