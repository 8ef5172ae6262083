// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetMonitors
import Testing

@Suite struct ServerAddressTests {
    @Test(arguments: [
        ("https://api.example.com:443", "https", "api.example.com", 443),
        ("http://API.example.com", "http", "api.example.com", 80),
        ("https://example.com/a:1?b@c", "https", "example.com", 443),
        ("https://user:p%40ss@example.com:8443/", "https", "example.com", 8443),
        ("https://user:p@ss@example.com", "https", "example.com", 443),
        ("http://[::1]:8080/x", "http", "::1", 8080),
        ("HTTP://[::1]", "http", "::1", 80),
        ("https://h?x", "https", "h", 443),
    ])
    func originsAndURLsAreRead(text: String, scheme: String, address: String, port: Int) {
        #expect(ServerAddress(text) == ServerAddress(scheme: scheme, address: address, port: port))
    }

    @Test(arguments: ["", "example.com", "/path", "https:", "https://", "https:///x", "://h", "mailto:a@b"])
    func otherTextsNameNoServer(text: String) {
        #expect(ServerAddress(text) == nil)
    }
}
