// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension CurlCookieStore {
    /// Puts cookies in that were checked.
    func set(_ cookies: [Cookie]) {
        for cookie in cookies { command(CookieFile.line(cookie)) }
        noteAdded(cookies.count)
    }

    /// libcurl has no way to remove one: it is replaced by one that has expired, which is never sent or shown, and goes
    /// with the next change.
    func remove(_ cookies: [Cookie]) {
        for cookie in cookies {
            var gone = cookie
            gone.expires = Date(timeIntervalSince1970: 1)
            // libcurl cannot read an empty path, and takes all that do not begin with a slash for the same one.
            if gone.path.isEmpty { gone.path = "x" }
            command(CookieFile.line(gone))
        }
    }

    func removeAll() { command("ALL") }

    func removeSessionCookies() { command("SESS") }

    /// Remembers a cookie that libcurl has read wrongly. The transfer calls this for as many lines of a response as
    /// libcurl takes.
    func noteReceived(line: UnsafeRawBufferPointer, from url: URL) {
        let text = String(decoding: line, as: UTF8.self)
        if CookieFault(line: text) != nil { misread.append((line: text, url: url)) }
    }

    /// Puts right what libcurl has read wrongly. It knows a cookie by its name and its host only. The jar is read and
    /// searched once, whatever the number of lines.
    private func mendCookies() {
        guard !misread.isEmpty else { return }
        defer { misread = [] }
        let faults = misread.compactMap { line, url in CookieFault(line: line).map { ($0, url) } }
        let names = Set(faults.map(\.0.name))
        var cookies = Dictionary(
            grouping: lines.compactMap(CookieFile.cookie).filter { names.contains($0.name) }, by: \.name)
        for (fault, url) in faults {
            guard let origin = Origin(url), let named = cookies[fault.name] else { continue }
            cookies[fault.name] = named.compactMap { cookie in
                guard CookieRules.mayBe(cookie, of: origin.host) else { return cookie }
                return mend(cookie, fault, url, isSecureOrigin: origin.isSecure)
            }
        }
    }

    /// - Returns: the cookie as it is in the jar now; nil when it is there no more.
    private func mend(_ cookie: Cookie, _ fault: CookieFault, _ url: URL, isSecureOrigin: Bool) -> Cookie? {
        // A secure cookie may be set over TLS only.
        if fault.isUnwanted || fault.isSecure && !cookie.isSecure && !isSecureOrigin {
            remove([cookie])
            return nil
        }
        var mended = cookie
        if fault.isSecure { mended.isSecure = true }
        if fault.isHTTPOnly { mended.isHTTPOnly = true }
        if fault.hasNoPath, !cookie.path.hasPrefix("/") { mended.path = CookieRules.defaultPath(of: url) }
        guard mended != cookie else { return cookie }
        if mended.path != cookie.path { remove([cookie]) }
        command(CookieFile.line(mended))
        return mended
    }

    /// Makes the cookies that a host has for the hosts below it cookies for itself alone (RFC 6265, 5.3, step 5).
    /// libcurl asks the public-suffix list about other hosts only.
    func keepToItself(_ host: String) {
        let wide = lines.compactMap(CookieFile.cookie).filter {
            $0.includesSubdomains && $0.domain == host.lowercased()
        }
        remove(wide)
        for var cookie in wide {
            cookie.includesSubdomains = false
            command(CookieFile.line(cookie))
        }
    }

    /// So many cookies may have been added. Beyond the limit some go.
    func noteAdded(_ count: Int) {
        mendCookies()
        countBound += count
        guard countBound > CookieRules.countLimit else { return }
        let now = Date()
        let cookies = lines.compactMap(CookieFile.cookie).filter { !CookieRules.isExpired($0, now: now) }
        let surplus = CookieRules.surplus(cookies)
        remove(surplus)
        countBound = cookies.count - surplus.count
    }
}
