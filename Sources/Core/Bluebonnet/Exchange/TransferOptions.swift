// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// The options of an operation's transfers: time limits, size limits, trust and proxy. Copied when the operation is
/// made.
public struct TransferOptions: Sendable {
    /// The time limits. Default: 10 s to connect, 60 s without a byte, and no limit for the whole request.
    public var timeouts = Timeouts()
    /// When a failed request is sent again. Default nil: never.
    public var retryPolicy: RetryPolicy?
    /// The speed below which a transfer is given up; it fails with `timedOut`. Default nil: none.
    public var lowSpeedLimit: LowSpeedLimit?
    /// Whether a transfer waits while the kernel has no route to the server, for at most `timeouts.connectivity`,
    /// instead of failing. A waiting transfer takes no slot. Default false.
    ///
    /// Where the kernel does not report routes, no transfer waits.
    public var waitsForConnectivity = false
    /// The most bytes of a body in memory, after decoding; a larger body fails with `bodyTooLarge`. Default 64 MiB. A
    /// body that is written to a file has no limit.
    public var maximumBodyByteCount = 64 * 1024 * 1024
    /// Whether content codings (RFC 9110, 8.4.1) are undone. Default true.
    ///
    /// With false no coding is asked for, unless the request has an `Accept-Encoding` of its own, and the body is
    /// delivered as it came, whatever its `Content-Encoding` says.
    public var decodesContent = true
    /// The largest ratio of decoded to received bytes, checked from 1 MiB of decoded bytes on. Default 500.
    public var maximumExpansionRatio = 500
    /// The most bytes of a response's header section; a larger one fails with `headersTooLarge`. Default 256 KiB.
    ///
    /// Whatever the limit, a single line of more than 100 KiB fails so, too: libcurl takes none
    /// (CURL_MAX_HTTP_HEADER). Its own limit for all lines is 300 KiB.
    public var maximumHeaderByteCount = 256 * 1024
    /// The most redirects that are followed. Default 20.
    ///
    /// 0 delivers the redirect itself as the response: its status is a success then, unless the call names other
    /// statuses. The content type still counts: ask for the response without a type, because the text of a redirect is
    /// seldom JSON.
    public var maximumRedirectCount = 20
    /// Whether a redirect may lead from https to http. Default false.
    public var allowsInsecureRedirects = false
    /// Whether the segments `.` and `..` of a URL's path are sent as they are (`curl --path-as-is`), those of an
    /// absolute URL or path in a redirect's `Location` too. Default false: they are removed (RFC 3986, 5.2.4), also
    /// where a dot is written `%2e`.
    ///
    /// A relative path is resolved against its base in any case.
    public var keepsDotSegments = false
    /// Decides which servers are trusted. Default: the system's certificate store, with host names checked.
    public var securityPolicy = SecurityPolicy.default
    /// The TLS options: versions, ciphers and the client's certificate. Default: TLS 1.2 or newer, no certificate.
    public var tls = TLSOptions.default
    /// The most bytes a second of one operation: those of bodies, before decoding, in both directions together. Default
    /// nil: no limit.
    ///
    /// Bytes are held back, never dropped. Time in which they are held counts against `timeouts.total` only. A piece of
    /// a response passes as a whole, so up to 16 KiB pass at once, and what follows waits for them.
    public var maximumBytesPerSecond: Int?
    /// The proxy of every hop. Default nil: `proxyConfiguration` decides. Environment variables are not read.
    public var proxy: Proxy?
    /// Decides the proxy of each hop by its URL, where `proxy` is nil. Default nil: none.
    ///
    /// `try .environment` is what the environment says.
    public var proxyConfiguration: ProxyConfiguration?
    /// The HTTP version. Default: HTTP/2 when TLS negotiates it, else HTTP/1.1.
    public var httpVersion = HTTPProtocolVersion.negotiated
    /// How old, how long idle and how often used a connection may be. Default: 118 s idle, no other limit.
    public var connectionLimits = ConnectionLimits()
    /// The path of a Unix socket to connect to instead of the URL's host (CURLOPT_UNIX_SOCKET_PATH). Default nil.
    public var unixSocketPath: String?
    /// Addresses to connect to, by host (CURLOPT_RESOLVE); TLS still checks the host. Case does not matter, nor does a
    /// dot at the end; an international name may be written in its `xn--` form or as it is. Default empty.
    public var addressOverrides: [String: String] = [:]
    /// The credential that answers a Basic or Digest challenge of the request's own origin, never of another origin.
    /// Default nil.
    public var credential: URLCredential?
    /// The credentials of a `.netrc` file, for hosts that it names. They answer a Basic or Digest challenge of the
    /// request's own origin, and are never sent unasked or to another origin. They do not count where `credential` is
    /// set, and for a request with an `Authorization` field or user information in its URL. Default nil: no such file
    /// is read.
    public var netrc: Netrc?
    /// The credential of some origins, which is applied to each request to them and refreshed for all operations with
    /// the same object. Default nil.
    ///
    /// A request with an `Authorization` field of its own goes out with that one. An archive does not have the
    /// authenticator.
    public var authenticator: SharedAuthenticator?
    /// What changes each request before it is checked and sent, in this order; see `RequestAdapter`. An archive does
    /// not have them. Default none.
    public var requestAdapters: [any RequestAdapter] = []
    /// The cache in which responses are stored and looked up, according to the request's `cachePolicy`. Default nil: no
    /// cache.
    ///
    /// `useProtocolCachePolicy` uses fresh responses. `returnCacheDataElseLoad` and `returnCacheDataDontLoad` use any
    /// stored response; without one, the latter fails with `notCached`. The `reload…` policies use no stored response,
    /// and `reloadIgnoringLocalAndRemoteCacheData` also tells other caches on the way to use none.
    public var responseCache: (any ResponseCache)?
    /// Whether a downloaded file and its folder's entry are synced to disk before the operation succeeds, so that they
    /// survive a loss of power. Default false, because syncing is slow for small files.
    public var syncsFilesToDisk = false
    /// The jar that cookies are sent from and stored in. Default nil: no cookies are sent, and received ones are
    /// dropped.
    ///
    /// The jar is not used for a request whose `httpShouldHandleCookies` is false, for a request with its own `Host`
    /// field, and for hosts that end in a dot. The request's own `Cookie` field is sent together with the jar's
    /// cookies, to its origin only.
    public var cookieJar: CookieJar?
    /// Whether the operation asks `URLCredentialStorage.shared` for a credential when it is challenged and `credential`
    /// is nil. Default true.
    public var usesCredentialStorage = true

    /// The defaults.
    public init() {}

    var poolKey: ConnectionPoolKey {
        ConnectionPoolKey(
            securityPolicy: securityPolicy, proxy: proxy, unixSocketPath: unixSocketPath.map(ByteString.init),
            addressOverrides: normalizedOverrides, tls: tls, connectionLimits: connectionLimits)
    }

    /// The addresses by the names in the form in which they are compared; of two spellings of a name, one.
    private var normalizedOverrides: [String: String] {
        if addressOverrides.isEmpty { return [:] }
        let named = addressOverrides.sorted { $0.key < $1.key }.map { (HostName.normalized($0.key), $0.value) }
        return Dictionary(named) { first, _ in first }
    }

    /// The address to connect to for a host, if one is set.
    func addressOverride(for host: String) -> String? {
        addressOverrides.isEmpty ? nil : normalizedOverrides[HostName.normalized(host)]
    }

    /// The connection pool key of a hop, with the security policy for its host and the proxy for its origin.
    func poolKey(to origin: Origin) -> ConnectionPoolKey {
        var poolKey = poolKey
        // A refused host never gets here; if it did, it would be refused at the handshake.
        poolKey.securityPolicy = securityPolicy.policy(forHost: origin.host) ?? .trustingNobody
        poolKey.proxy = proxy(to: origin)
        return poolKey
    }

    /// The proxy of a hop to an origin; nil when the hop goes to the server itself.
    func proxy(to origin: Origin) -> Proxy? { proxy ?? proxyConfiguration?.proxy(to: origin) }

    /// The credential that answers a challenge of a request's own origin.
    ///
    /// - Parameter hasOwn: whether the request has a credential of its own, so that the netrc file does not count.
    func defaultCredential(for origin: Origin, hasOwn: Bool) -> URLCredential? {
        credential ?? (hasOwn ? nil : netrc?.credential(forHost: origin.host))
    }

    /// All proxies that a hop may go through.
    var possibleProxies: [Proxy] { proxy.map { [$0] } ?? proxyConfiguration?.all ?? [] }
}
