// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Options of TLS: versions, ciphers and the client's certificate.
///
/// Part of `TransferOptions`. `SecurityPolicy` decides whether a server is trusted, and names the certificate
/// authorities. Connections to an https proxy use the default options. Connections made with one value are never used
/// with another.
public struct TLSOptions: Sendable, Hashable {
    /// The oldest version accepted. Default: TLS 1.2.
    ///
    /// With an older version, signatures and keys that OpenSSL considers too weak are accepted too (security level 0),
    /// because those versions have no stronger ones.
    public let minimumVersion: TLSProtocolVersion
    /// The newest version offered; nil is the newest version that OpenSSL supports.
    public let maximumVersion: TLSProtocolVersion?
    /// The ciphers offered for TLS 1.2 and older, best first, by OpenSSL's names (CURLOPT_SSL_CIPHER_LIST). Empty
    /// selects OpenSSL's default ciphers.
    public let ciphers: [String]
    /// The cipher suites offered for TLS 1.3, best first (CURLOPT_TLS13_CIPHERS). Empty selects OpenSSL's default
    /// suites.
    public let cipherSuites: [String]
    /// The client's identity for a server that asks for it. Default: nil, no certificate.
    ///
    /// The identity is presented to the request's origin only. After a redirect to another scheme, host or port it is
    /// not presented, nor on later hops.
    public var clientIdentity: ClientIdentity?
    /// Whether a server must staple a response of its certificate authority to the handshake, stating that its
    /// certificate was not revoked (OCSP; RFC 6066, 8). Default: false.
    ///
    /// Without a good response, the handshake is refused. If the option is on, sessions are not resumed, because a
    /// resumed session carries no response.
    public var requiresStapledStatus = false
    /// A file to which the secrets of all connections are appended in the format of `SSLKEYLOGFILE`, for a program
    /// that decrypts recorded traffic. Default: nil. The environment variable `SSLKEYLOGFILE` is not read.
    public var keyLogFile: String?

    /// The default options: TLS 1.2 or newer, OpenSSL's ciphers, no client certificate.
    public static let `default` = TLSOptions()

    /// Makes the default options.
    public init() {
        minimumVersion = .v12
        maximumVersion = nil
        ciphers = []
        cipherSuites = []
    }

    /// Makes options with other versions or ciphers. Omitted parameters have their default.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` if there is no such version, if the minimum is above
    ///   the maximum, or if OpenSSL does not know one of the ciphers.
    public init(
        minimumVersion: TLSProtocolVersion = .v12, maximumVersion: TLSProtocolVersion? = nil, ciphers: [String] = [],
        cipherSuites: [String] = []
    ) throws(NetworkingError) {
        for version in [minimumVersion, maximumVersion].compactMap({ $0 })
        where !TLSProtocolVersion.known.contains(version) {
            throw NetworkingError(.invalidSecurityPolicy, "there is no \(version): use TLS 1.0 to 1.3")
        }
        if let maximumVersion, minimumVersion > maximumVersion {
            throw NetworkingError(
                .invalidSecurityPolicy, "the minimum, \(minimumVersion), is above the maximum, \(maximumVersion)")
        }
        try CipherNames.check(ciphers: ciphers, suites: cipherSuites)
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.ciphers = ciphers
        self.cipherSuites = cipherSuites
    }

    /// Hashes only a part of the value, because every request looks it up. Equality compares the rest.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(minimumVersion)
        hasher.combine(maximumVersion)
        hasher.combine(clientIdentity == nil)
    }
}
