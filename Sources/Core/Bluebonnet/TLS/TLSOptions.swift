// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Options of TLS: versions, ciphers and the client's certificate.
///
/// A part of `TransferOptions`. `SecurityPolicy` decides whether a server is trusted, and names the authorities.
/// Connections to an https proxy use the defaults. Connections made with one value are never used with another.
public struct TLSOptions: Sendable, Hashable {
    /// The oldest version accepted. Default TLS 1.2.
    ///
    /// An older version has to be set here; signatures and keys that OpenSSL considers too weak are then accepted too,
    /// because those versions know no others (security level 0).
    public let minimumVersion: TLSProtocolVersion
    /// The newest version offered; nil is the newest that OpenSSL has.
    public let maximumVersion: TLSProtocolVersion?
    /// The ciphers offered for TLS 1.2 and older, best first, by OpenSSL's names (CURLOPT_SSL_CIPHER_LIST); empty is
    /// OpenSSL's own choice.
    public let ciphers: [String]
    /// The cipher suites offered for TLS 1.3, best first (CURLOPT_TLS13_CIPHERS); empty is OpenSSL's own choice.
    public let cipherSuites: [String]
    /// How the client identifies itself to a server that asks. Default nil: it has no certificate.
    ///
    /// The identity is shown to the request's origin only: after a redirect to another scheme, host or port it is not
    /// shown, on later hops neither.
    public var clientIdentity: ClientIdentity?
    /// Whether a server must staple an answer of its authority to the handshake which says that its certificate was not
    /// revoked (OCSP; RFC 6066, 8). Default false.
    ///
    /// Without a good answer the handshake is refused. Sessions are not resumed then, because a resumed session brings
    /// no answer.
    public var requiresStapledStatus = false
    /// A file to which the secrets of all connections are appended, in the format of `SSLKEYLOGFILE`, for a program
    /// that decrypts recorded traffic. Default nil. The environment variable `SSLKEYLOGFILE` is not read.
    public var keyLogFile: String?

    /// TLS 1.2 or newer, OpenSSL's ciphers, no client certificate.
    public static let `default` = TLSOptions()

    /// The defaults.
    public init() {
        minimumVersion = .v12
        maximumVersion = nil
        ciphers = []
        cipherSuites = []
    }

    /// Options with other versions or ciphers; what is left out has its default.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` when there is no such version, when the minimum is
    ///   above the maximum, or when OpenSSL does not know one of the ciphers.
    public init(
        minimumVersion: TLSProtocolVersion = .v12, maximumVersion: TLSProtocolVersion? = nil, ciphers: [String] = [],
        cipherSuites: [String] = []
    ) throws(NetworkingError) {
        for version in [minimumVersion, maximumVersion].compactMap({ $0 })
        where !TLSProtocolVersion.known.contains(version) {
            throw NetworkingError(.invalidSecurityPolicy, "there is no \(version): take TLS 1.0 to 1.3")
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

    /// Hashes only a part of the value, because every request is looked up by it; equality compares the rest.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(minimumVersion)
        hasher.combine(maximumVersion)
        hasher.combine(clientIdentity == nil)
    }
}
