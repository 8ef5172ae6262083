// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation

/// Decides which cookies match a URL, which cookies have expired, and which cookies are removed when there are too
/// many. Decisions on values only; libcurl sends the cookies, by the same rules.
package enum CookieRules {
    /// The maximum number of cookies in one jar. RFC 6265 (6.1) recommends that clients store at least this number.
    static let countLimit = 3000

    /// Whether a jar may be used for a request.
    ///
    /// - Not for a host that ends in a dot, because libcurl 7.88 does not find it in the public-suffix list.
    /// - Not if the request names a host other than its URL's (`Host`), because libcurl uses that host for the cookies
    ///   and would send one site's cookies to another. Such a request is sent without cookies rather than rejected,
    ///   because it is legitimate (name-based hosts at one address).
    package static func canUseJar(host: String, namesHost: Bool) -> Bool {
        !namesHost && !host.isEmpty && !host.hasSuffix(".")
    }

    /// Returns the cookies for a URL (RFC 6265, 5.4), cookies with longer paths first.
    static func matching(_ cookies: [Cookie], url: URL, now: Date) -> [Cookie] {
        guard let origin = Origin(url), canUseJar(host: origin.host, namesHost: false) else { return [] }
        let host = origin.host.trimmingCharacters(in: ["[", "]"])
        let path = path(of: url)
        let isSecure = origin.isSecure || ["localhost", "127.0.0.1", "::1"].contains(host)
        let matching = cookies.filter { cookie in
            !isExpired(cookie, now: now) && (isSecure || !cookie.isSecure) && domain(of: cookie, matches: host)
                && self.path(cookie.path, matches: path)
        }
        return matching.enumerated().sorted {
            ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
        }
        .map(\.element)
    }

    /// Whether a response from a host may have set a cookie.
    static func canBelong(_ cookie: Cookie, to host: String) -> Bool {
        domain(of: cookie, matches: host.trimmingCharacters(in: ["[", "]"]))
    }

    /// Returns the path of a cookie without `Path` (RFC 6265, 5.1.4), for a request to a URL as it is sent.
    static func defaultPath(of url: URL) -> String {
        let path = String(URLText(url.absoluteString).path)
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns a cookie's path as libcurl compares it: without surrounding quotation marks and a trailing slash, and
    /// `/` for a path that does not begin with a slash.
    static func comparablePath(_ path: String) -> String {
        let (quote, slash) = (UInt8(ascii: "\""), UInt8(ascii: "/"))
        var bytes = path.utf8[...]
        if bytes.first == quote { bytes.removeFirst() }
        if bytes.last == quote { bytes.removeLast() }
        guard bytes.first == slash else { return "/" }
        if bytes.last == slash { bytes.removeLast() }
        return bytes.isEmpty ? "/" : String(Substring(bytes))
    }

    static func isExpired(_ cookie: Cookie, now: Date) -> Bool {
        cookie.expires.map { $0 <= now } ?? false
    }

    /// Whether a host is an IPv4 or IPv6 address.
    static func isAddress(_ host: String) -> Bool {
        bluebonnet_is_address(host.trimmingCharacters(in: ["[", "]"]))
    }

    private static func path(of url: URL) -> String {
        let path = URLText((DotSegments.removed(from: url) ?? url).absoluteString).path
        return path.isEmpty ? "/" : String(path)
    }

    private static func domain(of cookie: Cookie, matches host: String) -> Bool {
        let domain = cookie.domain.lowercased().trimmingCharacters(in: ["[", "]"])
        if host == domain { return true }
        return cookie.includesSubdomains && host.hasSuffix("." + domain) && !isAddress(host)
    }

    private static func path(_ prefix: String, matches path: String) -> Bool {
        guard path.utf8.starts(with: prefix.utf8) else { return false }
        return path.utf8.count == prefix.utf8.count || prefix.hasSuffix("/")
            || path.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: "/")
    }
}

// MARK: - Surplus cookies

extension CookieRules {
    /// Returns the cookies to remove if there are more than `limit`, so that nine tenths of the limit are left: the
    /// oldest cookies of the sites with the most cookies. One site can thus not displace the cookies of other sites.
    ///
    /// - Parameter cookies: the oldest cookie of each site first.
    static func surplus(_ cookies: [Cookie], limit: Int = countLimit) -> [Cookie] {
        guard cookies.count > limit else { return [] }
        let wanted = limit * 9 / 10
        let sites = Dictionary(grouping: cookies.indices) { site(of: cookies[$0].domain) }
        let share = share(of: sites.values.map(\.count), wanted: wanted)
        var surplus = sites.values.flatMap { $0.dropLast(share) }
        let excess = cookies.count - surplus.count - wanted
        if excess > 0 {  // more sites than cookies to keep
            let gone = Set(surplus)
            surplus += cookies.indices.lazy.filter { !gone.contains($0) }.prefix(excess)
        }
        return surplus.sorted().map { cookies[$0] }
    }

    /// Returns the maximum number of cookies that each site may keep, at least one.
    private static func share(of counts: [Int], wanted: Int) -> Int {
        var (low, high) = (1, counts.max() ?? 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if counts.reduce(0, { $0 + min($1, middle) }) <= wanted { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Returns the site of a domain: its last two labels. Too coarse for co.uk, but it only decides the order of
    /// removal.
    private static func site(of domain: String) -> String {
        isAddress(domain) ? domain : domain.split(separator: ".").suffix(2).joined(separator: ".")
    }
}
