// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

// The page about cookies.
extension PageTests {
    /// Sets a cookie at the login.
    private static let cookieScript: TestServer.Script = { request in
        var fields = ["Content-Type": "application/json"]
        if request.path.hasSuffix("/login") { fields["Set-Cookie"] = "session=s-1; Path=/" }
        return .response(headers: WireFields(fields.map { ($0, $1) }), body: "{}")
    }

    @Test func cookieOfLoginIsSentBack() async throws {
        try await Site.scripted(Self.cookieScript) { site in
            // BLOCK Cookies.md
            // where site.base is URL(string: "https://shop.example.com/")!
            var configuration = RequestOperationManager.Configuration()
            let jar = CookieJar()
            configuration.cookieJar = jar
            let manager = RequestOperationManager(
                baseURL: site.base,
                configuration: configuration)

            try await manager.post("login", parameters: ["user": "ada"])
            let orders: JSONValue = try await manager.get("orders")
            // END
            #expect(orders["name"] == nil)
            #expect(site.server.requests.map { $0.headers["Cookie"] } == [nil, "session=s-1"])
            try await sendWithoutCookies(manager, site)
        }
    }

    private func sendWithoutCookies(_ manager: RequestOperationManager, _ site: Site) async throws {
        // BLOCK Cookies.md
        var serializer = HTTPRequestSerializer()
        serializer.properties.handlesCookies = false
        let anonymous = manager.copied()
        anonymous.requestSerializer = serializer
        let news: JSONValue = try await anonymous.get("news")
        // END
        #expect(news["name"] == nil)
        #expect(site.server.requests.last?.path == "/v1/news")
        #expect(site.server.requests.last?.headers["Cookie"] == nil)
    }

    @Test func cookiesAreReadSetAndRemoved() async throws {
        let jar = CookieJar()
        try await jar.set(Cookie(name: "cart", value: "7", domain: "shop.example.com", path: "/cart"))
        printed.update { $0 = [] }
        // BLOCK Cookies.md
        for cookie in await jar.cookies {
            print(cookie.domain, cookie.path, cookie.name)
        }
        let shop = URL(string: "https://shop.example.com/cart")!
        print(await jar.cookies(for: shop).map(\.name))

        let language = Cookie(
            name: "lang", value: "pt", domain: "shop.example.com",
            expires: Date(timeIntervalSinceNow: 86_400), isSecure: true)
        try await jar.set(language)
        await jar.remove(language)
        await jar.removeSessionCookies()
        // END
        #expect(printed.value == ["shop.example.com /cart cart", #"["cart"]"#])
        #expect(await jar.cookies.isEmpty)
    }

    @Test func cookieFileIsReadByAnotherJar() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (jar, filePath) = (CookieJar(), folder.path("cookies.txt"))
        try await jar.set(Cookie(name: "lang", value: "pt", domain: "shop.example.com"))
        // BLOCK Cookies.md
        // where filePath is "cookies.txt"
        let file = URL(fileURLWithPath: filePath)
        try await jar.save(to: file)

        let restored = CookieJar()
        try await restored.load(from: file)
        // END
        #expect(await restored.cookies.map(\.name) == ["lang"])
    }
}
