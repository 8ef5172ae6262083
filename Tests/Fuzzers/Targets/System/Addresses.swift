// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// Environment variables that name proxies, one per line: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`;
    /// then a URL and an address.
    static let proxies = FuzzTarget("proxies") { input in
        var input = input
        var environment: [String: String] = [:]
        for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] { environment[name] = input.text() }
        let text = input.text()
        if let address = IPAddress(input.text()) {
            try holdSame(IPAddress(address.description), address, "\(address) is read again")
            try hold([4, 16].contains(address.bytes.count), "\(address) has its bytes")
        }
        guard let configuration = try? ProxyConfiguration(environment: environment) else { return }
        for proxy in [configuration.http, configuration.https].compactMap(\.self) { try check(proxy) }
        guard let url = try? RequestCheck.url(text), let origin = Origin(url) else { return }
        let found = configuration.proxy(for: url)
        try hold(found == nil || found == configuration.http || found == configuration.https, "a proxy that was named")
        var open = configuration
        open.exceptions = []
        try holdSame(open.proxy(for: url), origin.isSecure ? configuration.https : configuration.http, "the proxy")
        let host = origin.host.hasSuffix(".") ? String(origin.host.dropLast()) : origin.host
        open.exceptions = [host]
        let isName =
            !host.isEmpty && !host.contains { "*/:[]%".contains($0) } && !host.hasPrefix(".") && !host.hasSuffix(".")
            && host.split(separator: ".").last?.first?.isNumber == false
        try hold(!isName || open.proxy(for: url) == nil, "\(host) is an exception for itself")
        open.exceptions = ["*"]
        try holdSame(open.proxy(for: url), nil, "no proxy for anything")
    }

    private static func check(_ proxy: Proxy) throws(FuzzFinding) {
        let parts = URLText(proxy.url)
        let scheme = parts.scheme?.lowercased() ?? ""
        try hold(["http", "https", "socks5h"].contains(scheme), "\(proxy.url) is the URL of a proxy")
        try hold(parts.userInfo == nil, "\(proxy.url) has no user information")
        try hold(!parts.host.isEmpty, "\(proxy.url) has a host")
        for part in [proxy.user, proxy.password] {
            try hold(part?.utf8.contains { $0 < 0x20 || $0 == 0x7F } != true, "a credential has a control in it")
        }
        guard !isNumeric(String(parts.host)), let curl = CurlURL(proxy.url) else { return }
        let hosts = [curl.host, parts.host.lowercased()].map { $0.trimmingCharacters(in: ["[", "]"]) }
            .map { host in
                host.contains(":") ? IPAddress(String(host.prefix { $0 != "%" })).map { "\($0)" } ?? host : host
            }
        try holdSame(hosts[0], hosts[1], "libcurl's host of \(proxy.url)")
    }
}
