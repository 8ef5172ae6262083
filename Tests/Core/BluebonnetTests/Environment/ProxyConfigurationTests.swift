// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct ProxyConfigurationTests {
    private func proxies(_ environment: [String: String]) throws -> [String?] {
        let configuration = try ProxyConfiguration(environment: environment)
        return try ["http://h/", "https://h/"].map { text in
            configuration.proxy(for: try #require(URL(string: text)))?.url
        }
    }

    @Test(
        arguments: [
            ([:], nil, nil),
            (["http_proxy": "http://p:1"], "http://p:1", nil),
            (["https_proxy": "http://p:1"], nil, "http://p:1"),
            (["all_proxy": "http://p:1"], "http://p:1", "http://p:1"),
            (["all_proxy": "http://p:1", "https_proxy": "http://q:2"], "http://p:1", "http://q:2"),
            (["HTTP_PROXY": "http://p:1", "HTTPS_PROXY": "http://q:2"], "http://p:1", "http://q:2"),
            (["ALL_PROXY": "socks5h://p:1"], "socks5h://p:1", "socks5h://p:1"),
            (["HTTP_PROXY": "http://upper:1", "http_proxy": "http://lower:1"], "http://lower:1", nil),
            (["HTTP_PROXY": "http://upper:1", "http_proxy": ""], "http://upper:1", nil),
            (["http_proxy": ""], nil, nil),
            // No scheme needs `all_proxy`.
            (
                ["all_proxy": "socks://p:1", "http_proxy": "http://q:2", "https_proxy": "http://q:3"], "http://q:2",
                "http://q:3"
            ),
            // For a CGI program, HTTP_PROXY is a field of the request that it answers.
            (["HTTP_PROXY": "http://p:1", "REQUEST_METHOD": "GET"], nil, nil),
            (["http_proxy": "http://p:1", "REQUEST_METHOD": "GET"], "http://p:1", nil),
            (["HTTPS_PROXY": "http://p:1", "REQUEST_METHOD": "GET"], nil, "http://p:1"),
            (
                ["HTTP_PROXY": "http://p:1", "REQUEST_METHOD": "GET", "ALL_PROXY": "http://q:2"], "http://q:2",
                "http://q:2"
            ),
            (["http_proxy": "p:1"], "http://p:1", nil),
            (["http_proxy": "https://p:1/"], "https://p:1", nil),
            (["all_proxy": "socks5://p:1"], "socks5h://p:1", "socks5h://p:1"),
            (["all_proxy": "SOCKS5://p:1"], "socks5h://p:1", "socks5h://p:1"),
            (["http_proxy": "http://p:1", "no_proxy": "h"], nil, nil),
            (["http_proxy": "http://p:1", "NO_PROXY": "a, h"], nil, nil),
            (["http_proxy": "http://p:1", "NO_PROXY": "a h b"], nil, nil),
            (["http_proxy": "http://p:1", "no_proxy": "a", "NO_PROXY": "h"], "http://p:1", nil),
            (["http_proxy": "http://p:1", "no_proxy": "*"], nil, nil),
        ] as [([String: String], String?, String?)])
    func environmentNamesTheProxyOfEachScheme(environment: [String: String], http: String?, https: String?) throws {
        #expect(try proxies(environment) == [http, https])
    }

    @Test func environmentProvidesTheProxyCredential() throws {
        let proxy = try ProxyConfiguration(environment: ["http_proxy": "us%40er:secret@p:1"]).http
        #expect(proxy?.url == "http://p:1")
        #expect(proxy?.user == "us@er")
        #expect(proxy?.password == "secret")
    }

    @Test(arguments: [("socks", "SOCKS 4"), ("socks4", "SOCKS 4"), ("socks4a", "SOCKS 4"), ("socks5", "names")])
    func unsupportedSOCKSSchemeIsNamed(scheme: String, part: String) {
        let error = #expect(throws: NetworkingError.self) { try Proxy("\(scheme)://user:secret@p:1") }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains(part) == true && error?.message.contains("socks5h://") == true)
    }

    @Test func allProxyUsedForOneSchemeMustBeValid() {
        let error = #expect(throws: NetworkingError.self) {
            try ProxyConfiguration(environment: ["all_proxy": "socks://p:1", "http_proxy": "http://q:2"])
        }
        #expect(error?.message.contains("the environment variable all_proxy is invalid: socks:// is SOCKS 4") == true)
    }

    @Test func proxyURLHasNoPathQueryOrFragment() throws {
        #expect(try Proxy("http://u:p@h:1/path?query=1#part").url == "http://h:1")
    }

    @Test func printedProxyShowsNoCredential() throws {
        let configuration = ProxyConfiguration(
            http: try Proxy("http://someone:secret@p:1"), https: try Proxy("http://q"))
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("secret") && !text.contains("someone"))
            #expect(text.contains("http://p:1 with a credential") && text.contains("http://q"))
        }
    }

    @Test func hopKeysAreOnlyForConfiguredProxies() throws {
        var options = TransferOptions { $0.proxyConfiguration = ProxyConfiguration(exceptions: ["h"]) }
        #expect(!ResolvedOptions(options).hasHopKeys)
        options.proxyConfiguration?.http = try Proxy("http://p:1")
        #expect(ResolvedOptions(options).hasHopKeys)
        options.proxy = try Proxy("http://q:1")
        #expect(!ResolvedOptions(options).hasHopKeys)
    }

    @Test(arguments: [
        ("https_proxy", "ftp://user:secret@p"), ("all_proxy", "socks4://user:secret@p:1"),
        ("HTTP_PROXY", "http://user:secret@"), ("ALL_PROXY", "http://user:secret@p q:1"),
    ])
    func wrongURLIsReportedByItsVariableWithoutItsValue(variable: String, value: String) {
        let error = #expect(throws: NetworkingError.self) { try ProxyConfiguration(environment: [variable: value]) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("the environment variable \(variable) is invalid") == true)
        #expect(error?.message.contains("secret") == false)
    }

    @Test(
        arguments: [
            ("example.com", "http://example.com/", true),
            ("example.com", "http://EXAMPLE.com/", true),
            ("Example.COM", "http://example.com/", true),
            ("example.com", "http://www.example.com/", true),
            ("example.com", "http://notexample.com/", false),
            ("example.com", "http://example.com.evil.net/", false),
            ("example.com", "http://example.com./", true),
            ("example.com.", "http://example.com/", true),
            (".example.com", "http://example.com/", true),
            (".example.com", "http://www.example.com/", true),
            (".example.com", "http://notexample.com/", false),
            ("*.example.com", "http://example.com/", false),
            ("*.example.com", "http://a.b.example.com/", true),
            ("com", "http://example.com/", true),
            ("example.com:80", "http://example.com/", true),
            ("example.com:80", "https://example.com/", false),
            ("example.com:443", "https://www.example.com/", true),
            ("example.com:8080", "http://example.com:8080/", true),
            ("example.com:8080", "http://example.com:8081/", false),
            ("example.com:x", "http://example.com/", false),
            ("example.com:0", "http://example.com:0/", false),
            ("*", "https://example.com/", true),
            ("*:8080", "http://example.com:8080/", true),
            ("*:8080", "http://example.com/", false),
            ("exa*.com", "http://example.com/", false),
            ("http://example.com", "http://example.com/", false),
            ("", "http://example.com/", false),
            (".", "http://example.com/", false),
            (" example.com ", "http://example.com/", true),
            ("192.0.2.1", "http://192.0.2.1/", true),
            ("192.0.2.1", "http://192.0.2.10/", false),
            ("192.0.2.1:80", "http://192.0.2.1:80/", true),
            ("192.0.2.1:81", "http://192.0.2.1/", false),
            ("2.1", "http://192.0.2.1/", false),
            // libcurl reads all of these as addresses.
            ("127.0.0.0/8", "http://127.1/", true),
            ("127.0.0.1", "http://0x7f.1/", true),
            ("127.0.0.1", "http://0x7F.0.0.0x1/", true),
            ("127.0.0.1", "http://2130706433/", true),
            ("127.0.0.1", "http://0177.0.1/", true),
            ("127.0.0.2", "http://127.1/", false),
            ("192.0.2.1", "http://192.0.2.1./", true),
            ("192.0.2.1", "http://192.0.513/", true),
            ("0.0.0.0/0", "http://256.1/", false),
            ("0.0.0.0/0", "http://127.0.0.0.1/", false),
            ("0.0.0.0/0", "http://4294967296/", false),
            ("0.0.0.0/0", "http://0x.1/", false),
            ("0.0.0.0/0", "http://08.1/", false),
            ("0.0.0.0/0", "http://1.example/", false),
            ("192.0.2.0/24", "http://192.0.2.255/", true),
            ("192.0.2.0/24", "http://192.0.3.0/", false),
            ("192.0.2.128/25", "http://192.0.2.129/", true),
            ("192.0.2.128/25", "http://192.0.2.1/", false),
            ("10.0.0.0/7", "http://11.255.0.1/", true),
            ("10.0.0.0/7", "http://12.0.0.1/", false),
            ("0.0.0.0/0", "http://198.51.100.7/", true),
            ("0.0.0.0/0", "http://example.com/", false),
            ("0.0.0.0/0", "http://[2001:db8::1]/", false),
            ("192.0.2.0/33", "http://192.0.2.1/", false),
            ("192.0.2.0/", "http://192.0.2.0/", false),
            ("192.0.2.0/-1", "http://192.0.2.0/", false),
            ("10.0.0.0/8:8080", "http://10.1.1.1:8080/", true),
            ("10.0.0.0/8:8080", "http://10.1.1.1/", false),
            ("2001:db8::1", "http://[2001:db8::1]/", true),
            ("2001:db8::1", "http://[2001:DB8:0::1]:8080/", true),
            ("[2001:db8::1]", "http://[2001:db8::1]/", true),
            ("[2001:db8::1]:8080", "http://[2001:db8::1]:8080/", true),
            ("[2001:db8::1]:8080", "http://[2001:db8::1]/", false),
            ("2001:db8::/32", "http://[2001:db8:ffff::2]/", true),
            ("2001:db8::/33", "http://[2001:db8:ffff::2]/", false),
            ("2001:db8::/129", "http://[2001:db8::]/", false),
            ("::/0", "http://[2001:db8::1]/", true),
            ("192.0.2.0/24", "http://[::ffff:192.0.2.7]/", true),
            ("::ffff:192.0.2.0/120", "http://192.0.2.7/", true),
            ("::ffff:0:0/95", "http://192.0.2.7/", false),
        ] as [(String, String, Bool)])
    func exceptionMatchesSubdomainsAddressesAndBlocks(entry: String, url: String, goesDirectly: Bool) throws {
        let proxy = try Proxy("http://p:1")
        let configuration = ProxyConfiguration(http: proxy, https: proxy, exceptions: ["unrelated.example", entry])
        #expect((configuration.proxy(for: try #require(URL(string: url))) == nil) == goesDirectly)
        #expect(configuration.exceptions == ["unrelated.example", entry])
    }

    @Test func urlOfAnotherSchemeHasNoProxy() throws {
        let proxy = try Proxy("http://p:1")
        let url = try #require(URL(string: "ftp://h/"))
        #expect(ProxyConfiguration(http: proxy, https: proxy).proxy(for: url) == nil)
    }

    @Test func proxyOfTheOptionsOverridesTheConfiguration() throws {
        let origin = try #require(Origin(plain: "http://h/"))
        var options = TransferOptions()
        options.proxyConfiguration = ProxyConfiguration(http: try Proxy("http://p:1"))
        #expect(options.proxy(to: origin)?.url == "http://p:1")
        #expect(options.poolKey(to: origin).proxy?.url == "http://p:1")
        options.proxy = try Proxy("http://q:2")
        #expect(options.proxy(to: origin)?.url == "http://q:2")
        #expect(options.possibleProxies.map(\.url) == ["http://q:2"])
    }

    @Test func archiveKeepsTheConfiguration() throws {
        var options = TransferOptions()
        options.proxyConfiguration = ProxyConfiguration(
            http: try Proxy("http://u:p@p:1"), https: try Proxy("https://q:2"), exceptions: ["a.example", "10.0.0.0/8"])
        let data = try JSONEncoder().encode(ArchivedOptions(options))
        let decoded = try JSONDecoder().decode(ArchivedOptions.self, from: data).options()
        #expect(decoded.proxyConfiguration == options.proxyConfiguration)
    }
}
