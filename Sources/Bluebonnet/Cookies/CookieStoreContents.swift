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
            command(CookieFile.line(gone))
        }
    }

    func removeAll() { command("ALL") }

    func removeSessionCookies() { command("SESS") }

    /// So many cookies may have been added. Beyond the limit some go.
    func noteAdded(_ count: Int) {
        countBound += count
        guard countBound > CookieRules.countLimit else { return }
        let now = Date()
        let cookies = lines.compactMap(CookieFile.cookie).filter { !CookieRules.isExpired($0, now: now) }
        let surplus = CookieRules.surplus(cookies)
        remove(surplus)
        countBound = cookies.count - surplus.count
    }
}
