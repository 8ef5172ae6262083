// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A proxy and the credential for it. The credential is never sent to an origin.
public struct Proxy: Sendable, Hashable {
    /// The URL: `http://`, `https://` or `socks5h://` with host and port, without user information. The default port
    /// is 443 for `https://` and 1080 for the other two, as in libcurl.
    public let url: String
    /// The user name for the proxy.
    public let user: String?
    /// The password for the proxy.
    public let password: String?
    /// The policy that decides whether an https proxy is trusted, by the host name in its URL. The operation's policy
    /// decides about servers that are reached through the proxy. Default: the system's trust store, with host name
    /// checks.
    public var securityPolicy = SecurityPolicy.default

    private static let schemes = ["http", "https", "socks5h"]

    /// Makes a proxy from its URL, which may contain `user:password@`.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` if the text is not a URL, or its scheme is not supported.
    public init(_ text: String) throws(NetworkingError) {
        let parsed = URLComponents(string: text)
        if let scheme = parsed?.scheme?.lowercased(), ["socks", "socks4", "socks4a", "socks5"].contains(scheme) {
            let meaning = scheme == "socks5" ? "resolves names locally" : "is SOCKS 4"
            throw NetworkingError(
                .invalidRequest, "\(scheme):// \(meaning), which is not supported: use socks5h:// for SOCKS 5")
        }
        guard var parts = parsed, let scheme = parts.scheme?.lowercased(),
            Self.schemes.contains(scheme), parts.host?.isEmpty == false
        else {
            throw NetworkingError(
                .invalidRequest, "the proxy must be an http://, https:// or socks5h:// URL with a host")
        }
        user = parts.user
        password = parts.password
        parts.user = nil
        parts.password = nil
        parts.path = ""
        (parts.percentEncodedQuery, parts.fragment) = (nil, nil)
        url = parts.string ?? text
        guard RequestCheck.isHost(URLText(url).host) else {
            throw NetworkingError(.invalidRequest, "the proxy's URL has a host that is not a name or address")
        }
        if let port = URLText(url).port, !(1...65_535).contains(Int(port) ?? 0) {
            throw NetworkingError(
                .invalidRequest, "the proxy's URL has the port \(port), which is not from 1 to 65535")
        }
        try checkCredential()
    }

    /// Makes a proxy from a URL without a credential, and a separate credential.
    package init(_ url: String, user: String?, password: String?) throws(NetworkingError) {
        self.url = try Proxy(url).url
        self.user = user
        self.password = password
        try checkCredential()
    }

    /// Compares user names and passwords byte by byte.
    public static func == (first: Self, second: Self) -> Bool {
        first.url == second.url && first.user.map(ByteString.init) == second.user.map(ByteString.init)
            && first.password.map(ByteString.init) == second.password.map(ByteString.init)
            && first.securityPolicy == second.securityPolicy
    }

    package var isSecure: Bool { url.lowercased().hasPrefix("https:") }

    /// Whether the proxy reads unencrypted requests and forwards them. A SOCKS proxy only relays connections.
    package var forwardsRequests: Bool { url.lowercased().hasPrefix("http") }

    /// The policy for the proxy's host.
    var ownPolicy: SecurityPolicy {
        securityPolicy.policy(forHost: URL(string: url)?.host ?? "") ?? .trustingNobody
    }

    /// The source of the TLS setup for the connection to the proxy; nil if the proxy does not use TLS.
    ///
    /// - Throws: `invalidSecurityPolicy`, see `TLSSetupSource`.
    package var tlsSource: TLSSetupSource? {
        get throws(NetworkingError) { isSecure ? try TLSSetupSource(.default, ownPolicy) : nil }
    }

    private func checkCredential() throws(NetworkingError) {
        for part in [user, password] where part?.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) == true {
            throw NetworkingError(.invalidRequest, "the proxy's credential contains a control character")
        }
    }
}

/// Hides user name and password.
extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL, and whether there is a credential.
    public var description: String { user == nil && password == nil ? url : "\(url) with a credential" }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description, "securityPolicy": securityPolicy])
    }
}
