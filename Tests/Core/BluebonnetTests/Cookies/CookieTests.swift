// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct CookieTests {
    private static let fine = Cookie(name: "name", value: "value", domain: "example.com")

    private static func changed(_ change: (inout Cookie) -> Void) -> Cookie {
        var cookie = fine
        change(&cookie)
        return cookie
    }

    @Test(arguments: [
        fine, changed { $0.value = "" }, changed { $0.value = "a b\u{e9}" }, changed { $0.includesSubdomains = true },
        changed { $0.domain = "127.0.0.1" }, changed { $0.domain = "::1" }, changed { $0.domain = "localhost" },
        changed {
            $0.name = "__Host-a"
            $0.isSecure = true
        },
        changed {
            $0.name = "__Secure-a"
            $0.isSecure = true
        },
        changed { $0.path = "/\u{301}" },
    ])
    func ordinaryCookieIsValid(cookie: Cookie) {
        #expect(throws: Never.self) { try cookie.check() }
    }

    @Test(arguments: [
        changed { $0.name = "" }, changed { $0.name = "a=b" }, changed { $0.name = "a;b" },
        changed { $0.name = "a\tb" },
        changed { $0.name = "a\u{1}" }, changed { $0.value = "a\r\nX: y" }, changed { $0.value = "a\u{0}b" },
        changed { $0.value = "a;b" }, changed { $0.value = "a\tb" }, changed { $0.value = "\u{7f}" },
        changed { $0.value = " a" }, changed { $0.value = " \u{301}" }, changed { $0.name = "__Secure-\u{301}" },
        changed { $0.value = String(repeating: "v", count: 4097) },
        changed { $0.path = "a" }, changed { $0.path = "" }, changed { $0.path = "/\n" },
        changed { $0.domain = "" }, changed { $0.domain = "example.com." }, changed { $0.domain = ".example.com" },
        changed { $0.domain = "Example.com" }, changed { $0.domain = "exa mple.com" },
        changed { $0.domain = "a/b" },
        changed {
            $0.domain = "com"
            $0.includesSubdomains = true
        },
        changed {
            $0.domain = "127.0.0.1"
            $0.includesSubdomains = true
        },
        changed { $0.name = "__Secure-a" }, changed { $0.name = "__Host-a" },
        changed {
            $0.name = "__host-a"
            $0.isSecure = true
            $0.path = "/a"
        },
        changed {
            $0.name = "__Host-a"
            $0.isSecure = true
            $0.includesSubdomains = true
        },
    ])
    func unsendableCookieIsRefused(cookie: Cookie) {
        let error = #expect(throws: NetworkingError.self) { try cookie.check() }
        #expect(error?.code == .invalidRequest)
    }

    @Test func cookiesAreEqualOnlyWithEqualBytes() {
        let composed = Self.changed { $0.value = "\u{E9}" }
        let decomposed = Self.changed { $0.value = "e\u{301}" }
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }

    @Test func foundationCookieHasTheSameProperties() throws {
        let cookie = Cookie(
            name: "n", value: "v", domain: "example.com", path: "/a", includesSubdomains: true,
            expires: Date(timeIntervalSince1970: 4_000_000_000), isSecure: true)
        let made = try #require(cookie.httpCookie)
        #expect((made.name, made.value, made.domain, made.path) == ("n", "v", ".example.com", "/a"))
        #expect(made.isSecure)
        #expect(Cookie(made) == cookie)
    }
}
