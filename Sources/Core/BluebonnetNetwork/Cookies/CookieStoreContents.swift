// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

extension CurlCookieStore {
    /// Stores cookies that were checked.
    func set(_ cookies: [Cookie]) {
        for cookie in cookies { command(CookieFile.line(cookie)) }
    }

    /// Removes cookies. libcurl cannot remove a cookie, so an expired cookie replaces it: it is neither sent nor
    /// listed, and libcurl drops it at the next change.
    func remove(_ cookies: [Cookie]) {
        for cookie in cookies {
            var gone = cookie
            gone.expires = Date(timeIntervalSince1970: 1)
            // libcurl cannot parse an empty path, and treats all paths without a leading slash as the same path.
            if gone.path.isEmpty { gone.path = "x" }
            // libcurl accepts such a name only if the cookie is secure.
            if CookieFault.hasPromise(gone.name) { gone.isSecure = true }
            command(CookieFile.line(gone))
        }
    }

    func removeAll() { command("ALL") }

    func removeSessionCookies() { command("SESS") }

    /// Corrects the cookies that libcurl has misread from a response. Lists the jar once, for any number of lines.
    func correct(_ misread: MisreadCookies) {
        guard !misread.isEmpty else { return }
        var positions: [Int] = []
        let lines = lines { line in
            let position = CookieFile.withNameAndPath(of: line) { misread.position(name: $0, path: $1()) }
            if let position { positions.append(position) }
            return position != nil
        }
        let inOrder = zip(positions, lines).sorted { $0.0 < $1.0 }.lazy.compactMap { CookieFile.cookie($0.1) }
        for correction in misread.corrections(of: inOrder) { apply(correction) }
    }

    private func apply(_ correction: MisreadCookies.Correction) {
        let cookie = correction.cookie
        guard let replacement = correction.replacement else { return remove([cookie]) }
        // libcurl would keep both cookies.
        if replacement.path != cookie.path || replacement.includesSubdomains != cookie.includesSubdomains {
            remove([cookie])
        }
        command(CookieFile.line(replacement))
    }

    /// Whether there may be too many cookies, and none are being trimmed yet.
    var hasTooMany: Bool { countBound > CookieRules.countLimit && !isTrimming && isOpen }

    /// Returns all lines if there are too many cookies.
    func linesToTrim() -> [String]? {
        guard hasTooMany else { return nil }
        let lines = lines
        countBound = lines.count
        isTrimming = countBound > CookieRules.countLimit
        return isTrimming ? lines : nil
    }

    /// Removes surplus cookies, unless the store was closed in the meantime.
    func trim(_ cookies: [Cookie]) {
        guard isOpen else { return }
        remove(cookies)
        countBound -= cookies.count
    }
}
