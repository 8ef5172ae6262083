// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The TLS options in an archive, without keys and passwords. The key log is not archived, because the reader of an
/// archive has not asked for a key log.
struct ArchivedTLS: Codable, Sendable {
    private let minimumVersion: TLSProtocolVersion
    private let maximumVersion: TLSProtocolVersion?
    private let ciphers: [String]
    private let cipherSuites: [String]
    private let requiresStapledStatus: Bool
    private let identity: Identity?

    /// The files of a client identity.
    private struct Identity: Codable {
        let certificateFile: String
        let keyFile: String?
    }

    /// - Throws: `invalidRequest` if the client identity cannot be named without a secret.
    init(_ options: TLSOptions) throws(NetworkingError) {
        minimumVersion = options.minimumVersion
        maximumVersion = options.maximumVersion
        ciphers = options.ciphers
        cipherSuites = options.cipherSuites
        requiresStapledStatus = options.requiresStapledStatus
        identity = try options.clientIdentity.map { identity throws(NetworkingError) in try Self.identity(identity) }
    }

    private static func identity(_ identity: ClientIdentity) throws(NetworkingError) -> Identity {
        guard identity.password == nil, case .parts(certificate: .file(let certificate), let key) = identity.form else {
            throw secret
        }
        switch key {
        case .file(let path)?: return Identity(certificateFile: certificate, keyFile: path)
        case nil: return Identity(certificateFile: certificate, keyFile: nil)
        case .data?: throw secret
        }
    }

    private static var secret: NetworkingError {
        NetworkingError(
            .invalidRequest,
            "a client identity with a password or an in-memory key cannot be archived: use files, or archive the "
                + "request without the identity")
    }

    /// Returns the options, after checking them again, because an archive may come from any source.
    func options() throws(NetworkingError) -> TLSOptions {
        var options = try TLSOptions(
            minimumVersion: minimumVersion, maximumVersion: maximumVersion, ciphers: ciphers,
            cipherSuites: cipherSuites)
        options.requiresStapledStatus = requiresStapledStatus
        options.clientIdentity = identity.map { .files(certificate: $0.certificateFile, key: $0.keyFile) }
        return options
    }
}
