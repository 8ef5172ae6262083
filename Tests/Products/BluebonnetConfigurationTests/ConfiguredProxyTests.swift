// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetConfiguration
import Configuration
import Foundation
import Testing

@Suite struct ConfiguredProxyTests {
    /// Reads an enabled proxy, with further keys below `proxy`.
    private static func proxy(_ values: [String: ConfigValue]) throws -> Proxy? {
        var all: [AbsoluteConfigKey: ConfigValue] = ["proxy.enabled": true]
        for (key, value) in values { all[AbsoluteConfigKey(ConfigKey("proxy.\(key)"))] = value }
        let reader = ConfigReader(provider: InMemoryProvider(values: all))
        return try RequestOperationManager.Configuration(configReader: reader).transferOptions.proxy
    }

    @Test(
        arguments: [
            (["host": "proxy.test", "port": 3_128], "http://proxy.test:3128"),
            (["type": "http", "host": "::1", "port": 3_128], "http://[::1]:3128"),
            (["type": "https", "host": "proxy.test", "port": 443], "https://proxy.test:443"),
            (["type": "socks", "host": "proxy.test"], "socks5h://proxy.test"),
            (["type": "socks", "host": "127.0.0.1", "port": 9], "socks5h://127.0.0.1:9"),
        ] as [([String: ConfigValue], String)])
    func partsBecomeTheURL(values: [String: ConfigValue], url: String) throws {
        let proxy = try Self.proxy(values)
        #expect(proxy?.url == url && proxy?.user == nil && proxy?.password == nil)
    }

    @Test func credentialIsRead() throws {
        let server: [String: ConfigValue] = ["host": "p.test", "port": 1, "authorization.scheme": "basic"]
        let separate = try Self.proxy(
            server.merging(["authorization.username": "ädä@:/", "authorization.password": "p%:@"]) { $1 })
        #expect(separate?.user == "ädä@:/" && separate?.password == "p%:@" && separate?.url == "http://p.test:1")
        let encoded = Data("ada:a:b".utf8).base64EncodedString()
        let together = try Self.proxy(
            server.merging(["authorization.credentials": ConfigValue(.string(encoded), isSecret: true)]) { $1 })
        #expect(together?.user == "ada" && together?.password == "a:b")
    }

    @Test(
        arguments: [
            ([:], "proxy.host is missing"), (["host": ""], "proxy.host is missing"),
            (["host": "a"], "proxy.port is missing"), (["host": "a", "port": 0], "proxy.port is 0"),
            (["host": "a", "port": 1, "type": "ftp"], "proxy.type is \"ftp\""),
            (["host": "a", "port": 1, "connectHeaders": .list("X-A: b")], "proxy.connectHeaders has fields"),
            (["host": "a", "port": 1, "authorization.scheme": "bearer"], "authorization.scheme is \"bearer\""),
            (["host": "a", "port": 1, "authorization.scheme": "basic"], "there is no user name with a password"),
            (
                ["host": "a", "port": 1, "authorization.scheme": "basic", "authorization.credentials": "?"],
                "authorization.credentials is not Base64"
            ),
            (["host": "a b", "port": 1], "proxy.host is \"a b\""),
            (["host": "user@a", "port": 1], "proxy.host is \"user@a\""),
            (["host": "a/path", "port": 1], "proxy.host is \"a/path\""),
            (["host": "a", "port": 70_000], "proxy.port is 70000"),
        ] as [([String: ConfigValue], String)])
    func incompleteProxyIsRefused(values: [String: ConfigValue], reason: String) {
        let error = #expect(throws: NetworkingError.self) { try Self.proxy(values) }
        #expect(error?.code == .invalidRequest && error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
