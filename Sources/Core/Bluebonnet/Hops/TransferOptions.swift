// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// The options of an operation's transfers: time limits, size limits, trust and proxy. Copied when the operation is
/// made.
public struct TransferOptions: Sendable {
    /// The time limits. Default: 10 s to connect, 60 s without a byte, and no limit for the whole request.
    public var timeouts = Timeouts()
    /// Decides when a failed request is retried. Default nil: never.
    public var retryPolicy: RetryPolicy?
    /// The speed below which a transfer fails with `timedOut`. Default nil: no limit.
    public var lowSpeedLimit: LowSpeedLimit?
    /// Whether a transfer waits while the kernel has no route to the server, for at most `timeouts.connectivity`,
    /// instead of failing. A waiting transfer uses no slot. Default false.
    ///
    /// If the kernel does not report routes, no transfer waits.
    public var waitsForConnectivity = false
    /// The maximum number of bytes of a body in memory, after decoding; a larger body fails with `bodyTooLarge`.
    /// Default 64 MiB. A body that is written to a file has no limit.
    public var maximumBodyByteCount = 64 * 1024 * 1024
    /// Whether content codings (RFC 9110, 8.4.1) are decoded. Default true.
    ///
    /// If false, the request accepts no coding, unless it has its own `Accept-Encoding`, and the body is delivered as
    /// received, whatever its `Content-Encoding`.
    public var decodesContent = true
    /// The maximum ratio of decoded to received bytes, checked from 1 MiB of decoded bytes on. Default 500.
    public var maximumExpansionRatio = 500
    /// The maximum number of bytes of a response's header section; a larger section fails with `headersTooLarge`.
    /// Default 256 KiB.
    ///
    /// Whatever the limit, a single line of more than 100 KiB fails in the same way, because libcurl does not accept it
    /// (CURL_MAX_HTTP_HEADER). libcurl's own limit for all lines is 300 KiB.
    public var maximumHeaderByteCount = 256 * 1024
    /// The maximum number of redirects that are followed. Default 20.
    ///
    /// 0 delivers the redirect itself as the response: its status is then a success, unless the call names other
    /// statuses. The content type still counts: request the response without a type, because the body of a redirect is
    /// rarely JSON.
    public var maximumRedirectCount = 20
    /// Whether a redirect may lead from https to http. Default false.
    public var allowsInsecureRedirects = false
    /// Whether the segments `.` and `..` of a URL's path are sent unchanged (`curl --path-as-is`), including the
    /// segments of an absolute URL or path in a redirect's `Location`. Default false: they are removed (RFC 3986,
    /// 5.2.4), also if a dot is written `%2e`.
    ///
    /// A relative path is resolved against its base in any case.
    public var keepsDotSegments = false
    /// Decides which servers are trusted. Default: the system's certificate store, with host names checked.
    public var securityPolicy = SecurityPolicy.default
    /// The TLS options: versions, ciphers and the client's certificate. Default: TLS 1.2 or newer, no certificate.
    public var tls = TLSOptions.default
    /// The maximum number of bytes per second of one operation: the bytes of bodies, before decoding, in both
    /// directions together. Default nil: no limit.
    ///
    /// Bytes are delayed, never dropped. The delay counts against `timeouts.total` only. A piece of a response passes
    /// as a whole, so up to 16 KiB pass at once, and later bytes wait correspondingly.
    public var maximumBytesPerSecond: Int?
    /// The proxy of every hop. Default nil: `proxyConfiguration` decides. Environment variables are not read.
    public var proxy: Proxy?
    /// Selects the proxy of each hop by its URL, if `proxy` is nil. Default nil: no proxy.
    ///
    /// `try .environment` is the configuration from the environment.
    public var proxyConfiguration: ProxyConfiguration?
    /// The HTTP version. Default: HTTP/2 if TLS negotiates it, else HTTP/1.1.
    public var httpVersion = HTTPProtocolVersion.negotiated
    /// The maximum age, idle time and number of uses of a connection. Default: 118 s idle, no other limit.
    public var connectionLimits = ConnectionLimits()
    /// The path of a Unix socket to connect to instead of the URL's host (CURLOPT_UNIX_SOCKET_PATH). Default nil.
    public var unixSocketPath: String?
    /// Addresses to connect to, by host (CURLOPT_RESOLVE); TLS still checks the host. Case and a dot at the end are
    /// ignored. An international name may be written in its `xn--` form or in Unicode. Default empty.
    public var addressOverrides: [String: String] = [:]
    /// The credential that answers a Basic or Digest challenge of the request's own origin, never of another origin.
    /// Default nil.
    public var credential: URLCredential?
    /// The credentials of a `.netrc` file, for the hosts that it names. They answer a Basic or Digest challenge of the
    /// request's own origin, and are never sent without a challenge or to another origin. They are not used if
    /// `credential` is set, or for a request with an `Authorization` field or user information in its URL. Default nil:
    /// no such file is read.
    public var netrc: Netrc?
    /// Provides the credential of some origins. The credential is applied to each request to those origins, and
    /// refreshed for all operations with the same object. Default nil.
    ///
    /// A request with its own `Authorization` field is sent with that field. An archive does not include the
    /// authenticator.
    public var authenticator: SharedAuthenticator?
    /// The adapters that change each request before it is checked and sent, in this order; see `RequestAdapter`. An
    /// archive does not include them. Default empty.
    public var requestAdapters: [any RequestAdapter] = []
    /// The monitors that receive the events of operations, see `EventMonitor`. Default: no monitors. A monitor that is
    /// listed twice receives each event once.
    public var eventMonitors: [any EventMonitor] = []
    /// The cache in which responses are stored and looked up, according to `cachePolicy`. Default nil: no cache.
    public var responseCache: (any ResponseCache)?
    /// How stored responses are used. Default `useProtocol`: as RFC 9111 says. Without a `responseCache`,
    /// `onlyIfCached` fails with `notCached`, and the other policies have no effect.
    ///
    /// A `URLRequest` with a `cachePolicy` overrides it: `returnCacheDataElseLoad` is `forceCache`,
    /// `returnCacheDataDontLoad` is `onlyIfCached`, `reloadRevalidatingCacheData` is `revalidate`, and
    /// `reloadIgnoringLocalAndRemoteCacheData` is `reload`. `reloadIgnoringLocalCacheData` is `reload` without
    /// `Cache-Control: no-cache` in the request.
    public var cachePolicy = CachePolicy.useProtocol
    /// Whether a downloaded file and its folder's entry are synced to disk before the operation succeeds, so that they
    /// survive a power failure. Default false, because syncing is slow for small files.
    public var syncsFilesToDisk = false
    /// The jar from which cookies are sent and in which they are stored. Default nil: no cookies are sent, and received
    /// cookies are dropped.
    ///
    /// The jar is not used for a request whose `httpShouldHandleCookies` is false, for a request with its own `Host`
    /// field, or for hosts that end in a dot. The request's own `Cookie` field is sent together with the jar's cookies,
    /// to its origin only.
    public var cookieJar: CookieJar?
    /// Whether the operation queries `URLCredentialStorage.shared` if it is challenged and `credential` is nil. Default
    /// true.
    public var usesCredentialStorage = true

    /// Makes options with the default values.
    public init() {}

    var poolKey: ConnectionPoolKey {
        ConnectionPoolKey(
            securityPolicy: securityPolicy, proxy: proxy, unixSocketPath: unixSocketPath.map(ByteString.init),
            addressOverrides: normalizedOverrides, tls: tls, connectionLimits: connectionLimits)
    }

    /// The addresses by normalized host name. If two spellings of a name occur, one of them is used.
    private var normalizedOverrides: [String: String] {
        if addressOverrides.isEmpty { return [:] }
        let named = addressOverrides.sorted { $0.key < $1.key }.map { (HostName.normalized($0.key), $0.value) }
        return Dictionary(named) { first, _ in first }
    }

    /// Returns the address to connect to for a host, if one is set.
    func addressOverride(for host: String) -> String? {
        addressOverrides.isEmpty ? nil : normalizedOverrides[HostName.normalized(host)]
    }

    /// Returns the connection pool key of a hop, with the security policy for its host and the proxy for its origin.
    func poolKey(to origin: Origin) -> ConnectionPoolKey {
        var poolKey = poolKey
        // A refused host never reaches this code; if it did, it would be refused in the handshake.
        poolKey.securityPolicy = securityPolicy.policy(forHost: origin.host) ?? .trustingNobody
        poolKey.proxy = proxy(to: origin)
        return poolKey
    }

    /// Returns the proxy of a hop to an origin; nil if the hop connects to the server directly.
    func proxy(to origin: Origin) -> Proxy? { proxy ?? proxyConfiguration?.proxy(to: origin) }

    /// Returns the credential that answers a challenge of a request's own origin.
    ///
    /// - Parameter hasOwn: whether the request has its own credential, so that the netrc file is not used.
    func defaultCredential(for origin: Origin, hasOwn: Bool) -> URLCredential? {
        credential ?? (hasOwn ? nil : netrc?.credential(forHost: origin.host))
    }

    /// All proxies that a hop may use.
    var possibleProxies: [Proxy] { proxy.map { [$0] } ?? proxyConfiguration?.all ?? [] }
}
