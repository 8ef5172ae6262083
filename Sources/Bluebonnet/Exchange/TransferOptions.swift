// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// How an operation's transfers are made: time limits, size limits, trust, proxy. Copied when the operation is made.
public struct TransferOptions: Sendable {
    /// Gives up when a connection, TLS handshake included, is not there in this time. Default 10 s; zero waits for
    /// ever.
    public var connectTimeout: Duration = .seconds(10)
    /// Gives up when no byte has moved for this long. Default nil: the request's `timeoutInterval`, which is 60 s
    /// unless it was set; zero waits for ever. After a body's bytes have left, up to an eighth longer.
    public var idleTimeout: Duration?
    /// Gives up when the whole request, redirects included, takes longer than this. Waiting for admission and pauses do
    /// not count. Default nil: no limit.
    public var timeout: Duration?
    /// Whether a transfer waits while the kernel has no way to the server, instead of failing at once: before it waits
    /// for admission, so that it takes no place. Default false.
    ///
    /// Where the kernel does not tell, nothing waits.
    public var waitsForConnectivity = false
    /// Fails with `notConnected` when there was no way for this long; counted afresh for each transfer of a request.
    /// Default 60 s; zero waits for ever.
    public var connectivityTimeout: Duration = .seconds(60)
    /// The largest body kept in memory, after decoding. Default 64 MiB. A body that goes to a file has no limit.
    public var maximumBodyByteCount = 64 * 1024 * 1024
    /// The largest factor by which a content coding may expand a body, looked at from 1 MiB on. Default 500.
    public var maximumExpansionRatio = 500
    /// The largest header section of a response. Default 256 KiB.
    public var maximumHeaderByteCount = 256 * 1024
    /// The most redirects followed; 0 delivers the redirect itself. Default 20.
    public var maximumRedirectCount = 20
    /// Whether a redirect may lead from https to http. Default false.
    public var allowsInsecureRedirects = false
    /// Whether the segments `.` and `..` of a URL's path are sent as they are (`curl --path-as-is`), those of an
    /// absolute URL or path in a redirect's `Location` too. Default false: they are removed (RFC 3986, 5.2.4), also
    /// where a dot is written `%2e`.
    ///
    /// What a relative path means beside its base is worked out in any case.
    public var keepsDotSegments = false
    /// Whom to trust. Default: the system's certificate store, host names checked.
    public var securityPolicy = SecurityPolicy.default
    /// How TLS is spoken with servers: versions, ciphers, authorities, the client's certificate. Default: TLS 1.2 or
    /// newer, the system's authorities, no certificate.
    public var tls = TLSOptions.default
    /// The proxy to go through. Default nil: none. The environment is not read.
    public var proxy: Proxy?
    /// Which HTTP version to speak. Default: HTTP/2 when TLS negotiates it, else HTTP/1.1.
    public var httpVersion = HTTPVersion.negotiated
    /// Connect to this socket instead of to the URL's host (CURLOPT_UNIX_SOCKET_PATH).
    public var unixSocketPath: String?
    /// Connect to this address for that host; TLS still checks the host (CURLOPT_RESOLVE). International names in their
    /// `xn--` form.
    public var addressOverrides: [String: String] = [:]
    /// Answers a Basic or Digest challenge of the request's own origin, never of another.
    public var credential: URLCredential?
    /// Where responses are kept and looked up, as the request's `cachePolicy` says. Default nil: none is kept.
    ///
    /// `useProtocolCachePolicy` takes what is fresh; `returnCacheDataElseLoad` and `returnCacheDataDontLoad` take what
    /// is there, the latter fails with `notCached` when nothing is; the `reload…` policies take nothing, and
    /// `reloadIgnoringLocalAndRemoteCacheData` tells caches on the way to do the same.
    public var responseCache: (any ResponseCache)?
    /// Whether a download is synced to its disk, and its folder's entry too, before the operation succeeds, so that it
    /// outlives a loss of power. Default false: it costs small files dearly, and only a loss of power makes the
    /// difference.
    public var syncsFilesToDisk = false
    /// Where cookies come from and are kept. Default nil: none are sent, and those that come are dropped.
    ///
    /// Not used for a request whose `httpShouldHandleCookies` is false, for one with a `Host` field of its own, and for
    /// hosts that end in a dot. A `Cookie` field of the request's own is sent beside the jar's cookies, to its origin
    /// only.
    public var cookieJar: CookieJar?
    /// Whether `URLCredentialStorage.shared` is asked for a credential when a challenge comes and `credential` is nil.
    /// Default true.
    public var usesCredentialStorage = true

    /// The defaults.
    public init() {}

    var poolKey: ConnectionPoolKey {
        ConnectionPoolKey(
            securityPolicy: securityPolicy, proxy: proxy, unixSocketPath: unixSocketPath,
            addressOverrides: addressOverrides, tls: tls)
    }

    /// The identity of a hop, with the policy that is for its host.
    func poolKey(forHost host: String) -> ConnectionPoolKey {
        var poolKey = poolKey
        // A host that is refused never comes so far; a table that does would refuse it at the handshake.
        if let policy = securityPolicy.policy(forHost: host) { poolKey.securityPolicy = policy }
        return poolKey
    }
}
