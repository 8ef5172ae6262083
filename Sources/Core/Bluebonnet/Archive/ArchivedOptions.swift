// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The transfer options in an archive. A value type, independent of operations.
struct ArchivedOptions: Codable, Sendable {
    private let timeouts: Timeouts
    private let waitsForConnectivity: Bool
    private let maximumBodyByteCount: Int
    private let maximumExpansionRatio: Int
    private let maximumHeaderByteCount: Int
    private let maximumRedirectCount: Int
    private let allowsInsecureRedirects: Bool
    private let policy: SecurityPolicy
    private let tls: ArchivedTLS?
    /// Nil also in archives made before this option existed.
    private let maximumBytesPerSecond: Int?
    private let lowSpeedLimit: LowSpeedLimit?
    private let connectionLimits: ConnectionLimits?
    private let proxy: ArchivedProxy?
    /// Nil also in archives made before this option existed.
    private let proxyConfiguration: ArchivedProxyConfiguration?
    private let httpVersion: HTTPProtocolVersion
    private let unixSocketPath: String?
    private let addressOverrides: [String: String]
    private let credential: Credential?
    /// The path of the netrc file. The file is read again.
    private let netrc: String?
    /// Nil also in archives made before this option existed.
    private let netrcMayBeReadByOthers: Bool?
    private let usesCredentialStorage: Bool
    private let syncsFilesToDisk: Bool
    /// Nil in archives made before this option existed.
    private let keepsDotSegments: Bool?
    /// Nil in archives made before this option existed.
    private let decodesContent: Bool?
    private let retryPolicy: RetryPolicy?
    /// Nil in archives made before this option existed.
    private let cachePolicy: CachePolicy?

    /// A proxy in an archive.
    private struct ArchivedProxy: Codable {
        let url: String
        let user: String?
        let password: String?
        let policy: SecurityPolicy

        init(_ proxy: Proxy) {
            (url, user, password, policy) = (proxy.url, proxy.user, proxy.password, proxy.securityPolicy)
        }

        func proxy() throws(NetworkingError) -> Proxy {
            var made = try Proxy(url, user: user, password: password)
            try policy.validate()
            made.securityPolicy = policy
            return made
        }
    }

    /// A proxy configuration in an archive.
    private struct ArchivedProxyConfiguration: Codable {
        let http: ArchivedProxy?
        let https: ArchivedProxy?
        let exceptions: [String]

        init(_ configuration: ProxyConfiguration) {
            http = configuration.http.map(ArchivedProxy.init)
            https = configuration.https.map(ArchivedProxy.init)
            exceptions = configuration.exceptions
        }

        func configuration() throws(NetworkingError) -> ProxyConfiguration {
            ProxyConfiguration(http: try http?.proxy(), https: try https?.proxy(), exceptions: exceptions)
        }
    }

    /// A user name and a password.
    private struct Credential: Codable {
        let user: String
        let password: String
    }

    /// - Throws: `invalidRequest` if the archive would have to contain a secret.
    init(_ options: TransferOptions) throws(NetworkingError) {
        timeouts = options.timeouts
        waitsForConnectivity = options.waitsForConnectivity
        maximumBodyByteCount = options.maximumBodyByteCount
        maximumExpansionRatio = options.maximumExpansionRatio
        maximumHeaderByteCount = options.maximumHeaderByteCount
        maximumRedirectCount = options.maximumRedirectCount
        allowsInsecureRedirects = options.allowsInsecureRedirects
        policy = options.securityPolicy
        tls = try ArchivedTLS(options.tls)
        maximumBytesPerSecond = options.maximumBytesPerSecond
        lowSpeedLimit = options.lowSpeedLimit
        connectionLimits = options.connectionLimits
        proxy = options.proxy.map(ArchivedProxy.init)
        proxyConfiguration = options.proxyConfiguration.map(ArchivedProxyConfiguration.init)
        httpVersion = options.httpVersion
        unixSocketPath = options.unixSocketPath
        addressOverrides = options.addressOverrides
        credential = options.credential.flatMap { credential in
            credential.user.map { Credential(user: $0, password: credential.password ?? "") }
        }
        if let netrc = options.netrc, netrc.path == nil {
            throw NetworkingError(
                .invalidRequest, "an archive cannot contain credentials from netrc text: read them from a file")
        }
        netrc = options.netrc?.path
        netrcMayBeReadByOthers = options.netrc?.mayBeReadByOthers
        usesCredentialStorage = options.usesCredentialStorage
        syncsFilesToDisk = options.syncsFilesToDisk
        keepsDotSegments = options.keepsDotSegments
        decodesContent = options.decodesContent
        retryPolicy = options.retryPolicy
        cachePolicy = options.cachePolicy
    }

    /// Returns the options, after checking them again, because an archive may come from any source.
    func options() throws(NetworkingError) -> TransferOptions {
        var options = TransferOptions()
        options.timeouts = timeouts
        options.waitsForConnectivity = waitsForConnectivity
        options.maximumBodyByteCount = maximumBodyByteCount
        options.maximumExpansionRatio = maximumExpansionRatio
        options.maximumHeaderByteCount = maximumHeaderByteCount
        options.maximumRedirectCount = maximumRedirectCount
        options.allowsInsecureRedirects = allowsInsecureRedirects
        try policy.validate()
        options.securityPolicy = policy
        options.tls = try tls?.options() ?? .default
        options.connectionLimits = connectionLimits ?? ConnectionLimits()
        options.lowSpeedLimit = lowSpeedLimit
        options.maximumBytesPerSecond = maximumBytesPerSecond
        options.proxy = try proxy?.proxy()
        options.proxyConfiguration = try proxyConfiguration?.configuration()
        options.httpVersion = httpVersion
        options.unixSocketPath = unixSocketPath
        options.addressOverrides = addressOverrides
        options.credential = credential.map {
            URLCredential(user: $0.user, password: $0.password, persistence: .none)
        }
        options.netrc = netrc.map {
            Netrc(archivedFile: $0, mayBeReadByOthers: netrcMayBeReadByOthers ?? false)
        }
        options.usesCredentialStorage = usesCredentialStorage
        options.syncsFilesToDisk = syncsFilesToDisk
        options.keepsDotSegments = keepsDotSegments ?? false
        options.decodesContent = decodesContent ?? true
        options.retryPolicy = retryPolicy
        options.cachePolicy = cachePolicy ?? .useProtocol
        return options
    }
}

/// Encoded as in an `OperationArchive`: without cookie jar, response cache, authenticator, request adapters and key
/// log; with the paths of a client identity's files; with credentials in plain text.
extension TransferOptions: Codable {
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` or `invalidRequest` if the contents contradict each
    ///   other.
    public init(from decoder: any Decoder) throws { self = try ArchivedOptions(from: decoder).options() }

    /// - Throws: `NetworkingError` with `invalidRequest` if the client identity has a password or a key in memory.
    public func encode(to encoder: any Encoder) throws { try ArchivedOptions(self).encode(to: encoder) }
}
