// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Selects the proxy of a request by its URL. A value; only `environment` reads the environment of the process.
///
/// The proxy is selected for each hop: a redirect to another host may need another proxy, or no proxy.
public struct ProxyConfiguration: Sendable, Hashable {
    /// The proxy for http URLs; nil for no proxy.
    public var http: Proxy?
    /// The proxy for https URLs; nil for no proxy.
    public var https: Proxy?
    /// The URLs that go through no proxy, as in `NO_PROXY`: names, addresses and CIDR blocks, each with an optional
    /// port, or `*`. Default empty. An entry that can match nothing is ignored.
    ///
    /// | entry | matches |
    /// |---|---|
    /// | `example.com`, `.example.com` | `example.com` and all names below it |
    /// | `*.example.com` | all names below `example.com` |
    /// | `192.0.2.1`, `2001:db8::1` | this address in a URL; names are not looked up |
    /// | `192.0.2.0/24`, `2001:db8::/32` | the addresses of this block in a URL |
    /// | `example.com:8080`, `[2001:db8::1]:8080` | the same, with this port only |
    /// | `*` | everything |
    public var exceptions: [String] {
        get { matcher.entries }
        set { matcher = ProxyExceptions(newValue) }
    }

    private var matcher: ProxyExceptions

    /// Makes a configuration. Omitted proxies are nil, and omitted exceptions are empty.
    public init(http: Proxy? = nil, https: Proxy? = nil, exceptions: [String] = []) {
        (self.http, self.https, matcher) = (http, https, ProxyExceptions(exceptions))
    }

    /// Returns the proxy for a request to a URL; nil if the request goes directly to the server.
    public func proxy(for url: URL) -> Proxy? { Origin(url).flatMap(proxy(to:)) }

    package func proxy(to origin: Origin) -> Proxy? {
        guard let proxy = origin.isSecure ? https : http else { return nil }
        return matcher.contains(origin) ? nil : proxy
    }

    /// All proxies that a request may go through.
    package var all: [Proxy] { [http, https].compactMap(\.self) }
}

// MARK: - The environment

extension ProxyConfiguration {
    /// The configuration that the environment of the process describes at the time of the call.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, see `init(environment:)`.
    public static var environment: ProxyConfiguration {
        get throws(NetworkingError) { try ProxyConfiguration(environment: ProcessInfo.processInfo.environment) }
    }

    /// Reads the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in lower case, or else in upper
    /// case. An empty variable counts as missing.
    ///
    /// `all_proxy` replaces a missing `http_proxy` or `https_proxy`, and is not read if both are set. `HTTP_PROXY` in
    /// upper case is not read if `REQUEST_METHOD` is set: in a CGI program, the variable contains the `Proxy` field of
    /// a request. A value without a scheme is an http proxy; `socks5` is read as `socks5h`, so the proxy resolves
    /// names. `socks` and `socks4`, which mean SOCKS 4, are errors. Entries of `no_proxy` are separated by commas or
    /// spaces.
    ///
    /// - Parameter environment: names and values.
    /// - Throws: `NetworkingError` with `invalidRequest` if a value is not the URL of a proxy. The message names the
    ///   variable but not its value, which may contain a password.
    public init(environment: [String: String]) throws(NetworkingError) {
        let values = Variables(values: environment)
        var (http, https) = (try values.proxy("http_proxy"), try values.proxy("https_proxy"))
        if http == nil || https == nil {
            let all = try values.proxy("all_proxy")
            (http, https) = (http ?? all, https ?? all)
        }
        self.init(
            http: http, https: https,
            exceptions: (values.first("no_proxy")?.value ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init))
    }

    /// The names and values of an environment.
    private struct Variables {
        let values: [String: String]

        private var isCGI: Bool { values["REQUEST_METHOD"] != nil }

        /// Returns the first variable that is set and not empty, in lower case or else in upper case.
        func first(_ name: String) -> (name: String, value: String)? {
            for name in [name, name.uppercased()] where name != "HTTP_PROXY" || !isCGI {
                if let value = values[name], !value.isEmpty { return (name, value) }
            }
            return nil
        }

        func proxy(_ name: String) throws(NetworkingError) -> Proxy? {
            guard let (name, value) = first(name) else { return nil }
            do throws(NetworkingError) {
                return try Proxy(Self.url(value))
            } catch {
                throw NetworkingError(.invalidRequest, "the environment variable \(name) is invalid: \(error.message)")
            }
        }

        private static func url(_ value: String) -> String {
            guard let end = value.range(of: "://") else { return "http://" + value }
            return value[..<end.lowerBound].lowercased() == "socks5" ? "socks5h" + value[end.lowerBound...] : value
        }
    }
}
