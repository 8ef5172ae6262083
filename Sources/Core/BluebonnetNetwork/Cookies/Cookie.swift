// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// A cookie (RFC 6265). A value type, independent of any jar.
public struct Cookie: Sendable, Hashable {
    /// The cookie's name.
    public var name: String
    /// The cookie's value, which may be empty.
    public var value: String
    /// The host that the cookie belongs to, in lower case and without a leading dot.
    public var domain: String
    /// The path prefix of the requests that carry the cookie; starts with a slash.
    public var path: String
    /// Whether the cookie is also sent to subdomains of `domain`.
    public var includesSubdomains: Bool
    /// When the cookie expires, in whole seconds. Nil for a session cookie, which is kept until
    /// `CookieJar.removeSessionCookies()`.
    public var expires: Date?
    /// Whether the cookie is sent only over TLS and, as in browsers, to the local machine.
    public var isSecure: Bool
    /// Whether scripts may not read the cookie. Stored, but without effect in this library.
    public var isHTTPOnly: Bool

    /// Makes a cookie.
    public init(
        name: String, value: String, domain: String, path: String = "/", includesSubdomains: Bool = false,
        expires: Date? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.path = path
        self.includesSubdomains = includesSubdomains
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
    }

    /// Makes a cookie from Foundation's cookie. A leading dot of its domain includes the subdomains.
    public init(_ cookie: HTTPCookie) {
        let isForSubdomains = cookie.domain.hasPrefix(".")
        self.init(
            name: cookie.name, value: cookie.value,
            domain: String(isForSubdomains ? cookie.domain.dropFirst() : cookie.domain[...]), path: cookie.path,
            includesSubdomains: isForSubdomains, expires: cookie.isSessionOnly ? nil : cookie.expiresDate,
            isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly)
    }

    /// The cookie as Foundation's `HTTPCookie`; nil if Foundation does not accept it.
    public var httpCookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .path: path, .domain: (includesSubdomains ? "." : "") + domain,
        ]
        if let expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
        if isSecure { properties[.secure] = "TRUE" }
        return HTTPCookie(properties: properties)
    }
}

extension Cookie {
    /// Whether all members are equal. Texts are compared by their bytes, as servers and libcurl do.
    public static func == (first: Cookie, second: Cookie) -> Bool {
        first.texts == second.texts && first.expires == second.expires
            && first.includesSubdomains == second.includesSubdomains && first.isSecure == second.isSecure
            && first.isHTTPOnly == second.isHTTPOnly
    }

    /// Hashes the texts by their bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(texts) }

    private var texts: [ByteString] { [name, value, domain, path].map(ByteString.init) }
}

extension Cookie {
    /// Throws if libcurl would silently drop the cookie, or send it in a malformed field.
    func check() throws(NetworkingError) {
        guard let fault else { return }
        let shown = URLText.escape(name).prefix(80)
        throw NetworkingError(.invalidRequest, "the cookie \"\(shown)\" cannot be stored: \(fault)")
    }

    private var fault: String? {
        if name.isEmpty || name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || "=;,".utf8.contains($0) }) {
            return "its name is empty or contains a space, a control character, \"=\", \";\" or \",\""
        }
        if (value + path).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: ";") }) {
            return "its value or path contains a control character or \";\""
        }
        if value.utf8.first == 0x20 || value.utf8.last == 0x20 { return "its value starts or ends with a space" }
        if name.utf8.count + value.utf8.count > 4096 { return "its name and value are over 4096 bytes" }
        if path.utf8.first != UInt8(ascii: "/") || path.utf8.count > 1024 {
            return "its path does not start with \"/\" or is too long"
        }
        return domainFault ?? prefixFault
    }

    private var domainFault: String? {
        let isName = domain.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "-_.:[]".utf8.contains(byte)
        }
        if domain.isEmpty || domain.utf8.count > 255 || !isName { return "its domain is not a lowercase host name" }
        if domain.hasPrefix(".") || domain.hasSuffix(".") { return "its domain starts or ends with a dot" }
        guard includesSubdomains else { return nil }
        // The public-suffix list is applied to cookies from servers only; this check needs no list.
        return !domain.contains(".") || CookieRules.isAddress(domain)
            ? "cookies for all hosts below \(domain) are not allowed" : nil
    }

    /// RFC 6265bis, 4.1.3.
    private var prefixFault: String? {
        let lowercased = name.lowercased()
        if lowercased.utf8.starts(with: "__secure-".utf8), !isSecure { return "its prefix requires it to be secure" }
        let isForOneHost = isSecure && !includesSubdomains && path == "/"
        if lowercased.utf8.starts(with: "__host-".utf8), !isForOneHost {
            return "its prefix requires it to be secure, for one host and for the path /"
        }
        return nil
    }
}
