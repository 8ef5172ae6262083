// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if DEBUG || BLUEBONNET_FUZZING
    import Foundation

    @testable import Bluebonnet
    @testable import BluebonnetNetwork

    extension FuzzTarget {
        /// A line with a URL, then a cookie file in Netscape's format.
        static let cookieFiles = FuzzTarget("cookie-files") { input in
            var input = input
            let text = input.text()
            guard let cookies = try? CookieFile.cookies(in: input.remainder, path: "-") else { return }
            let written = CookieFile.text(cookies)
            try holdSame(try CookieFile.cookies(in: written, path: "-"), cookies, "cookies stay as they are written")
            try checkEngine(cookies)
            guard let url = try? RequestCheck.url(text) else { return }
            let now = Date(timeIntervalSince1970: 1_800_000_000)
            let sent = CookieRules.matching(cookies, url: url, now: now)
            for cookie in sent { try check(cookie, isFor: url, now: now) }
            for (one, next) in zip(sent, sent.dropFirst()) {
                try hold(one.path.utf8.count >= next.path.utf8.count, "cookies with longer paths come first")
            }
            let rest = CookieRules.surplus(cookies, limit: 2)
            try hold(cookies.count <= 2 ? rest.isEmpty : cookies.count - rest.count <= 1, "what is too much goes")
        }

        /// libcurl keeps every accepted cookie unchanged.
        private static func checkEngine(_ cookies: [Cookie]) throws(FuzzFinding) {
            let store = CurlCookieStore()
            defer { store.close() }
            for cookie in cookies.prefix(5) where !CookieRules.isExpired(cookie, now: Date()) {
                store.set([cookie])
                let kept = store.lines.compactMap(CookieFile.cookie)
                try hold(kept == [cookie], "libcurl keeps \(cookie) as \(kept)")
                store.removeAll()
            }
        }

        /// RFC 6265, 5.1.3, 5.1.4 and 5.4.
        private static func check(_ cookie: Cookie, isFor url: URL, now: Date) throws(FuzzFinding) {
            guard let origin = Origin(url) else { throw FuzzFinding("a cookie for \(url), which has no origin") }
            let host = origin.host.trimmingCharacters(in: ["[", "]"])
            let domain = cookie.domain.trimmingCharacters(in: ["[", "]"])
            let isBelow = cookie.includesSubdomains && host.hasSuffix("." + domain)
            try hold(host == domain || isBelow, "\(cookie) goes to the host \(host)")
            try hold(!isBelow || !host.allSatisfy { $0.isNumber || $0 == "." || $0 == ":" }, "\(cookie) for an address")
            let parts = URLText((DotSegments.removed(from: url) ?? url).absoluteString)
            let path = parts.path.isEmpty ? "/" : String(parts.path)
            let prefix = cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"
            try hold(path == cookie.path || (path + "/").hasPrefix(prefix), "\(cookie) goes to the path \(path)")
            let isLocal = ["localhost", "127.0.0.1", "::1"].contains(host)
            try hold(!cookie.isSecure || origin.isSecure || isLocal, "\(cookie) is sent over TLS")
            if let expires = cookie.expires { try hold(expires > now, "\(cookie) has not expired") }
        }
    }
#endif
