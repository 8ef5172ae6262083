// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct TransferOptionsTests {
    @Test func defaultsHaveTheDocumentedValues() {
        let options = TransferOptions()
        #expect(options.timeouts == Timeouts())
        #expect(options.maximumBodyByteCount == 67_108_864)
        #expect(options.maximumExpansionRatio == 500)
        #expect(options.maximumHeaderByteCount == 262_144)
        #expect(options.maximumRedirectCount == 20)
        #expect(!options.allowsInsecureRedirects)
        #expect(!options.keepsDotSegments)
        #expect(options.securityPolicy == .default)
        #expect(options.proxy == nil)
        #expect(options.httpVersion == .negotiated)
        #expect(options.unixSocketPath == nil)
        #expect(options.addressOverrides.isEmpty)
        #expect(options.credential == nil)
    }

    @Test func poolKeyIncludesTrustAndTarget() throws {
        let plain = TransferOptions().poolKey
        #expect(plain == TransferOptions().poolKey)
        #expect(try poolKey { $0.proxy = try Proxy("http://proxy:3128") } != plain)
        #expect(try poolKey { $0.unixSocketPath = "/run/socket" } != plain)
        #expect(try poolKey { $0.addressOverrides = ["h": "127.0.0.1"] } != plain)
        #expect(try poolKey { $0.securityPolicy = try SecurityPolicy(validatesDomainName: false) } != plain)
    }

    @Test func limitsAndCredentialsAreNotInThePoolKey() throws {
        let plain = TransferOptions().poolKey
        #expect(try poolKey { $0.timeouts.total = .seconds(1) } == plain)
        #expect(try poolKey { $0.maximumRedirectCount = 0 } == plain)
        #expect(
            try poolKey {
                $0.credential = URLCredential(user: "u", password: "p", persistence: .none)
            } == plain)
    }

    @Test func proxyCredentialIsInThePoolKey() throws {
        let one = try poolKey { $0.proxy = try Proxy("http://u:1@proxy:3128") }
        let other = try poolKey { $0.proxy = try Proxy("http://u:2@proxy:3128") }
        #expect(one != other)
    }

    @Test(
        arguments: [
            ("1.1", .http1), ("2", .http2), ("2-prior-knowledge", .http2PriorKnowledge), ("negotiated", .negotiated),
            ("3", nil),
        ] as [(String, HTTPProtocolVersion?)])
    func versionsAreReadFromTheirNames(name: String, version: HTTPProtocolVersion?) {
        #expect(HTTPProtocolVersion(rawValue: name) == version)
    }

    private func poolKey(_ change: (inout TransferOptions) throws -> Void) throws -> ConnectionPoolKey {
        var options = TransferOptions()
        try change(&options)
        return options.poolKey
    }
}

@Suite(.timeLimit(.minutes(1))) struct ProxyTests {
    @Test(
        arguments: [
            ("http://proxy:3128", "http://proxy:3128", nil, nil),
            ("https://proxy:443/", "https://proxy:443", nil, nil),
            ("socks5h://127.0.0.1:1080", "socks5h://127.0.0.1:1080", nil, nil),
            ("HTTP://proxy:3128", "http://proxy:3128", nil, nil),
            ("http://user:secret@proxy:3128", "http://proxy:3128", "user", "secret"),
            ("http://user@proxy:3128", "http://proxy:3128", "user", nil),
            ("http://us%40er:se%3Acret@proxy:3128", "http://proxy:3128", "us@er", "se:cret"),
            ("http://[::1]:3128/path", "http://[::1]:3128", nil, nil),
        ] as [(String, String, String?, String?)])
    func proxyURLIsSeparatedFromItsCredential(text: String, url: String, user: String?, password: String?) throws {
        let proxy = try Proxy(text)
        #expect(proxy.url.lowercased() == url)
        #expect(proxy.user == user)
        #expect(proxy.password == password)
    }

    @Test(arguments: [
        "", "proxy:3128", "proxy", "ftp://proxy:21", "socks5://proxy:1080", "socks4://proxy:1080", "http://",
        "http:///path", "http://u%0D%0A:p@proxy:3128", "http://u:p%00@proxy:3128", "http://u:p%7F@proxy:3128",
        "http://pro%78y:3128", "https://proxy%2Eexample", "socks5h://%31:1080",
    ])
    func textThatIsNotAProxyIsAnInvalidRequest(text: String) {
        let error = #expect(throws: NetworkingError.self) { try Proxy(text) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func errorMessageOmitsThePassword() {
        let error = #expect(throws: NetworkingError.self) { try Proxy("ftp://user:secret@proxy:21") }
        #expect(error?.message.contains("secret") == false)
    }
}
