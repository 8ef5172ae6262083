// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CCurl

/// The parts of a URL as libcurl, which makes the connections, parses them.
struct CurlURL {
    let scheme: String
    /// The host in lower case. IPv6 addresses are in brackets.
    let host: String
    let port: Int?
    let path: String

    /// Nil if libcurl refuses the text.
    init?(_ text: String) {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        guard !text.utf8.contains(0),
            curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS | CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: handle), let host = Self.part(CURLUPART_HOST, of: handle)
        else { return nil }
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        port = Self.part(CURLUPART_PORT, of: handle).flatMap { Int($0) }
        path = Self.part(CURLUPART_PATH, of: handle) ?? ""
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
