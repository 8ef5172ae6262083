// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

extension CurlCookieStore {
    /// Puts cookies in that were checked.
    func set(_ cookies: [Cookie]) {
        for cookie in cookies { command(CookieFile.line(cookie)) }
        noteAdded(cookies.count)
    }

    /// libcurl cannot remove a cookie: it is replaced by an expired one, which is neither sent nor listed, and which
    /// libcurl drops with the next change.
    func remove(_ cookies: [Cookie]) {
        for cookie in cookies {
            var gone = cookie
            gone.expires = Date(timeIntervalSince1970: 1)
            // libcurl cannot read an empty path, and treats all paths without a slash at the start as one.
            if gone.path.isEmpty { gone.path = "x" }
            // libcurl reads a line with such a name only when the cookie is secure.
            if CookieFault.hasPromise(gone.name) { gone.isSecure = true }
            command(CookieFile.line(gone))
        }
    }

    func removeAll() { command("ALL") }

    func removeSessionCookies() { command("SESS") }

    /// Remembers a cookie that libcurl has read wrongly. The transfer calls this for as many lines of a response as
    /// libcurl accepts.
    func noteReceived(line: UnsafeRawBufferPointer, from url: URL) {
        let text = String(decoding: line, as: UTF8.self)
        if CookieFault(line: text) != nil { misread.append((line: text, url: url)) }
    }

    /// Corrects what libcurl has read wrongly. The jar is read once, and each of its cookies is compared with one fault
    /// of a URL, whatever the number of lines.
    private func correctCookies() {
        guard !misread.isEmpty else { return }
        var found = MisreadCookies()
        for (line, url) in misread { found.add(line: line, from: url) }
        misread = []
        let names = found.names
        var cookies = Dictionary(grouping: lines.compactMap(CookieFile.cookie)) { ByteString($0.name) }
            .filter { names.contains($0.key) }
        for (source, fault) in found.faults {
            guard let origin = Origin(source.url), let named = cookies[source.name] else { continue }
            cookies[source.name] = named.compactMap { cookie in
                guard CookieRules.mayBe(cookie, of: origin.host) else { return cookie }
                return correct(cookie, fault, source.url, isSecureOrigin: origin.isSecure)
            }
        }
    }

    /// - Returns: the cookie as the jar has it now; nil if it was removed.
    private func correct(_ cookie: Cookie, _ fault: CookieFault, _ url: URL, isSecureOrigin: Bool) -> Cookie? {
        // A secure cookie may be set over TLS only.
        if fault.isUnwanted || fault.isSecure && !cookie.isSecure && !isSecureOrigin {
            remove([cookie])
            return nil
        }
        var corrected = cookie
        if fault.isSecure { corrected.isSecure = true }
        if fault.isHTTPOnly { corrected.isHTTPOnly = true }
        if fault.hasNoPath, cookie.path.utf8.first != UInt8(ascii: "/") {
            corrected.path = CookieRules.defaultPath(of: url)
        }
        guard corrected != cookie else { return cookie }
        if corrected.path != cookie.path { remove([cookie]) }
        command(CookieFile.line(corrected))
        return corrected
    }

    /// Makes the cookies that a host has for the hosts below it cookies for itself alone (RFC 6265, 5.3, step 5).
    /// libcurl asks the public-suffix list about other hosts only.
    func keepToItself(_ host: String) {
        let domain = host.lowercased()
        // Called for each cookie of such a host: of thousands of lines, only the host's are read.
        let beginnings = CookieFile.beginnings(forHostsBelow: domain)
        let wide = lines { line in
            beginnings.contains { strncasecmp(line, $0, $0.utf8.count) == 0 }
        }.compactMap(CookieFile.cookie)
        remove(wide)
        for var cookie in wide {
            cookie.includesSubdomains = false
            command(CookieFile.line(cookie))
        }
    }

    /// So many cookies may have been added. Beyond the limit some go.
    func noteAdded(_ count: Int) {
        correctCookies()
        countBound += count
        guard countBound > CookieRules.countLimit else { return }
        let now = Date()
        let cookies = lines.compactMap(CookieFile.cookie).filter { !CookieRules.isExpired($0, now: now) }
        let surplus = CookieRules.surplus(cookies)
        remove(surplus)
        countBound = cookies.count - surplus.count
    }
}
