// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetHTTP
import Foundation
import Glibc

extension FuzzTarget {
    /// A text to read as a URL, and a base URL on the second line.
    static let urls = FuzzTarget("urls") { input in
        var input = input
        let text = input.text()
        let base = input.isEmpty ? nil : try? RequestCheck.url(input.text())
        try checkText(text)
        guard let url = try? RequestCheck.url(text, relativeTo: base) else { return }
        try checkURL(url)
        if base == nil {
            try holdSame(URLText(url.absoluteString).remainder, URLText(text).remainder.escaped, "the rest")
        }
    }

    /// All parsers must find the same server in an accepted URL.
    static func checkURL(_ url: URL) throws {
        let text = url.absoluteString
        guard let origin = Origin(url) else { throw FuzzFinding("\(text) is let out, and has no origin") }
        try hold(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(text) is visible ASCII")
        let bare = bareHost(origin.host)
        for host in [url.host, URLComponents(string: text)?.encodedHost] {
            try holdSame(host.map { bareHost($0.lowercased()) }, bare, "Foundation's host of \(text)")
        }
        if let port = url.port { try holdSame(port, origin.port, "Foundation's port of \(text)") }
        guard let parts = CurlURL(text) else { return }  // libcurl refuses it before it opens a connection
        try holdSame(parts.scheme, origin.scheme, "libcurl's scheme of \(text)")
        // libcurl normalizes addresses: 127.0.0.1 for 0x7f.1, and ::1 for 0:0::1.
        let found = IPAddress(bareHost(parts.host)).map { "\($0)" } ?? bareHost(parts.host)
        if !isNumeric(bare) {
            try holdSame(found, IPAddress(bare).map { "\($0)" } ?? bare, "libcurl's host of \(text)")
        }
        try holdSame(parts.port ?? (origin.isSecure ? 443 : 80), origin.port, "libcurl's port of \(text)")
        try holdSame(try? RequestCheck.url(text), url, "\(text) is let out again as it is")
        if let plain = Origin(plain: text) { try holdSame(plain, origin, "the origin of the plain URL \(text)") }
        try checkSegments(url, origin)
    }

    /// Whether the C library reads the host as an IPv4 address in any of its forms.
    static func isNumeric(_ host: String) -> Bool {
        var address = in_addr()
        return inet_aton(host, &address) != 0
    }

    /// The host without brackets and zone, which parsers write differently.
    private static func bareHost(_ host: String) -> String {
        String(host.trimmingCharacters(in: ["[", "]"]).prefix { $0 != "%" })
    }

    private static func checkSegments(_ url: URL, _ origin: Origin) throws {
        guard let shorter = DotSegments.removed(from: url) else { return }
        try holdSame(DotSegments.removed(from: shorter), nil, "dot segments are removed at once from \(url)")
        try holdSame(Origin(shorter), origin, "the origin stays without the dot segments of \(url)")
        let segments = URLText(shorter.absoluteString).path.lowercased().split(separator: "/")
        for segment in segments.map({ $0.replacingOccurrences(of: "%2e", with: ".") }) {
            try hold(segment != "." && segment != "..", "\(shorter) has no dot segments")
        }
    }

    private static func checkText(_ text: String) throws {
        let parts = URLText(text)
        try hold(
            FieldSyntax.isSameText(
                (parts.scheme.map { $0 + ":" } ?? "") + (parts.authority.map { "//" + $0 } ?? "") + parts.remainder,
                text), "the parts of \(text) make it up")
        let escaped = URLText.escape(text)
        try hold(FieldSyntax.isSameText(URLText.escape(escaped), escaped), "\(escaped) is escaped once")
        try hold(escaped.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(escaped) is visible ASCII")
        if Origin.hasPlainURL(text) {
            let url = try RequestCheck.url(text)
            try hold(FieldSyntax.isSameText(url.absoluteString, text), "the plain URL \(text) stays as it is")
        }
        try checkRedaction(text, parts)
    }

    private static func checkRedaction(_ text: String, _ parts: URLText) throws {
        let shown = URLText(URLText.withoutUserInfo(text))
        try hold(shown.userInfo == nil, "\(text) is shown without its user information")
        guard let secret = parts.userInfo, secret.utf8.count > 3 else { return }
        let redacted = Redaction.url(text)
        let known = String(URLText(redacted).userInfo ?? "")
        try hold(["", Redaction.placeholder].contains(known), "\(redacted) has user information in it")
    }
}

extension Substring {
    fileprivate var escaped: Substring { URLText.escape(self)[...] }
}
