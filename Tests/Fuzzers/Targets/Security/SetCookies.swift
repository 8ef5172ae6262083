// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if DEBUG || BLUEBONNET_FUZZING
    import Foundation

    @testable import Bluebonnet
    @testable import BluebonnetNetwork

    extension FuzzTarget {
        /// `Set-Cookie` values, one per line, stored by libcurl. Every cookie in a jar can be shown and saved.
        static let setCookies = FuzzTarget("set-cookies") { input in
            let store = CurlCookieStore()
            defer { store.close() }
            for line in input.lines.prefix(20) where !line.contains(0) {
                store.command("Set-Cookie: " + String(decoding: line, as: UTF8.self))
            }
            for line in store.lines {
                guard let cookie = CookieFile.cookie(line) else { throw FuzzFinding("a jar's line \(line) is none") }
                let again = CookieFile.cookie(CookieFile.line(cookie))
                try holdSame(again, cookie, "the jar's cookie \(line) stays when it is written")
                guard (try? cookie.check()) != nil else { continue }
                let text = CookieFile.text([cookie])
                try holdSame(
                    try? CookieFile.cookies(in: text, path: "-"), [cookie], "the file with \(line) is read again")
            }
            store.removeSessionCookies()
            for line in store.lines {
                try hold(CookieFile.cookie(line)?.expires != nil, "\(line) is no session cookie")
            }
        }
    }
#endif
