// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// An origin in libcurl's format (CURLU). libcurl reads the object when a transfer with it begins, and does not change
/// it. Network thread only, including `deinit`.
final class CurlOrigin {
    let raw: OpaquePointer
    /// Nil if libcurl rejects the origin, or is out of memory.
    fileprivate init?(_ origin: Origin) {
        guard let raw = curl_url() else { return nil }
        let code = curl_url_set(raw, CURLUPART_URL, "\(origin)/", CUnsignedInt(CURLU_PATH_AS_IS))
        guard code == CURLUE_OK else {
            curl_url_cleanup(raw)
            return nil
        }
        self.raw = raw
    }

    /// Host and port as libcurl writes them into the request's target: without the zone of an address, and without the
    /// scheme's default port. Nil if libcurl is out of memory.
    lazy var hostField: String? = {
        guard let host = text(of: CURLUPART_HOST, CURLU_PUNYCODE) else { return nil }
        guard let port = text(of: CURLUPART_PORT, CURLU_NO_DEFAULT_PORT) else { return host }
        return "\(host):\(port)"
    }()

    private func text(of part: CURLUPart, _ flags: Int32) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(raw, part, &text, CUnsignedInt(flags)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    deinit { curl_url_cleanup(raw) }
}

@available(*, unavailable)
extension CurlOrigin: Sendable {}

/// Caches the parsed origins of a partition's requests. libcurl 7.88 parses a URL for each transfer, reassembles it,
/// and writes its query byte by byte, which together is a tenth of its work for a small request (benchmark `mixed`).
/// Network thread only.
struct CurlOrigins {
    /// With more origins, the table is cleared. Handles retain the origins that they use.
    private static let limit = 256
    private var known: [Origin: CurlOrigin] = [:]

    /// Returns the parsed origin; nil if libcurl rejects it.
    mutating func curlOrigin(of origin: Origin) -> CurlOrigin? {
        if let found = known[origin] { return found }
        guard let made = CurlOrigin(origin) else { return nil }
        if known.count >= Self.limit { known = [:] }
        known[origin] = made
        return made
    }
}
