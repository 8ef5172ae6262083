// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// How large the head of a request is, and whether libcurl can send it. A value that knows bytes, not connections.
struct RequestHeadSize {
    /// How a head is written.
    enum Form {
        /// As text, with a small body behind it, which libcurl puts into the same buffer (DYN_HTTP_REQUEST).
        case text(bodyByteCount: Int)
        /// As a block of fields, as HTTP/2 has it; nghttp2 sends none that could be larger (NGHTTP2_MAX_HEADERSLEN).
        case block

        /// The largest size that is sent.
        var limit: Int {
            switch self {
            case .text: 1024 * 1024 - 1
            case .block: 64 * 1024
            }
        }
    }

    /// What libcurl adds besides cookies and credentials: `Accept` and `Content-Length`.
    private static let addedByteCount = 128
    /// What libcurl adds at most of a jar (MAX_COOKIE_HEADER_LEN), and for a proxy.
    static let secretByteCount = 16 * 1024
    /// So many bytes in nghttp2's estimate for each field and for the table.
    private static let fieldByteCount = 13
    private static let tableByteCount = 12

    private let method: String
    private let url: String
    private let fields: [HTTPHeaders.Field]

    init(_ request: TransferRequest) {
        method = request.method
        url = request.urlText
        fields = request.headers
    }

    /// Whether the head has to be looked at more closely. Nearly none has.
    var isLarge: Bool {
        let start = method.utf8.count + url.utf8.count
        return fields.reduce(start) { $0 + $1.name.utf8.count + $1.value.utf8.count + 16 } > 32 * 1024
    }

    /// The bytes of the head in this form, with all but cookies and credentials that libcurl adds.
    func byteCount(_ form: Form) -> Int {
        let own = Self.addedByteCount + method.utf8.count + target.utf8.count + host.utf8.count
        let texts = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        switch form {
        case .text(let bodyByteCount):
            return own + texts + fields.count * ": \r\n".utf8.count + "  HTTP/1.1\r\nHost: \r\n\r\n".utf8.count
                + bodyByteCount
        case .block:
            let names = ":method:path:scheme:authorityhttps".utf8.count
            return own + texts + names + (fields.count + 4) * Self.fieldByteCount + Self.tableByteCount
        }
    }

    /// The error of a head that is too large in this form; nil when libcurl can send it.
    ///
    /// - Parameter secretByteCount: how much libcurl adds in cookies and credentials.
    func fault(_ form: Form, secretByteCount: Int = 0) -> NetworkingError? {
        guard isLarge, byteCount(form) + secretByteCount > form.limit else { return nil }
        let version = if case .block = form { "HTTP/2" } else { "HTTP/1.1" }
        let secrets = secretByteCount > 0 ? ", and cookies or credentials besides" : ""
        return NetworkingError(
            .invalidRequest,
            "the request's head is too large for \(version): \(byteCount(form)) bytes\(secrets), \(largestPart); the "
                + "limit is \(form.limit) bytes")
    }

    private var largestPart: String {
        let largest = fields.max { $0.value.utf8.count < $1.value.utf8.count }
        guard let largest, largest.value.utf8.count > url.utf8.count else {
            return "\(url.utf8.count) of them in the URL"
        }
        return "\(largest.value.utf8.count) of them in the header \(largest.name)"
    }

    private var target: Substring { URLText(url).remainder.prefix { $0 != "#" } }
    private var host: Substring { URLText(url).authority ?? "" }
}
