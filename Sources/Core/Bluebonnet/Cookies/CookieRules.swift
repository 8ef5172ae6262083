// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation

/// Which cookies go where, which ones have expired, and which ones have to go when there are too many: decisions on
/// values. Sending itself is libcurl's, by the same rules.
enum CookieRules {
    /// The most cookies in one jar: what RFC 6265 (6.1) wants a client to be able to keep.
    static let countLimit = 3000

    /// Whether a jar may be used for a request.
    ///
    /// - Not for a host that ends in a dot: libcurl 7.88 does not find it in the public-suffix list.
    /// - Not when the request names another host than its URL (`Host`): libcurl takes that for the cookies' host, and
    ///   would send one site's cookies to another. Such a request goes out without cookies rather than not at all,
    ///   because it is an ordinary one (name-based hosts behind one address).
    static func mayUseJar(host: String, namesHost: Bool) -> Bool {
        !namesHost && !host.isEmpty && !host.hasSuffix(".")
    }

    /// The cookies that go to a URL (RFC 6265, 5.4), those with longer paths first.
    static func matching(_ cookies: [Cookie], url: URL, now: Date) -> [Cookie] {
        guard let origin = Origin(url), mayUseJar(host: origin.host, namesHost: false) else { return [] }
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

    /// Whether a response of a host may have set a cookie.
    static func mayBe(_ cookie: Cookie, of host: String) -> Bool {
        domain(of: cookie, matches: host.trimmingCharacters(in: ["[", "]"]))
    }

    /// The path of a cookie that names none (RFC 6265, 5.1.4), of a request to a URL as it is sent.
    static func defaultPath(of url: URL) -> String {
        let path = String(URLText(url.absoluteString).path)
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// A cookie's path as libcurl compares paths: without quotation marks around it and a slash at its end, and `/` for
    /// a path that does not begin with a slash.
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

// MARK: - Too many

extension CookieRules {
    /// What has to go when there are more than `limit`, so that nine tenths of it are left: the oldest of the sites
    /// that have the most. So one site cannot push the others' cookies out.
    ///
    /// - Parameter cookies: the oldest of each site first.
    static func surplus(_ cookies: [Cookie], limit: Int = countLimit) -> [Cookie] {
        guard cookies.count > limit else { return [] }
        let wanted = limit * 9 / 10
        let sites = Dictionary(grouping: cookies.indices) { site(of: cookies[$0].domain) }
        let share = share(of: sites.values.map(\.count), wanted: wanted)
        var surplus = sites.values.flatMap { $0.dropLast(share) }
        let excess = cookies.count - surplus.count - wanted
        if excess > 0 {  // more sites than places
            let gone = Set(surplus)
            surplus += cookies.indices.lazy.filter { !gone.contains($0) }.prefix(excess)
        }
        return surplus.sorted().map { cookies[$0] }
    }

    /// How many each site may have at most, one at least.
    private static func share(of counts: [Int], wanted: Int) -> Int {
        var (low, high) = (1, counts.max() ?? 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if counts.reduce(0, { $0 + min($1, middle) }) <= wanted { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// What counts as one site here: the last two labels. Too coarse for co.uk, but it only decides what goes first.
    private static func site(of domain: String) -> String {
        isAddress(domain) ? domain : domain.split(separator: ".").suffix(2).joined(separator: ".")
    }
}
