// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension RequestLine.Security {
    /// Puts what a line says in place of what its batch says.
    ///
    /// - Throws: `invalidSecurityPolicy` when it cannot be used; the operation fails with it, and nothing is sent.
    func apply(to options: inout TransferOptions) throws(NetworkingError) {
        options.securityPolicy = try policy(over: options.securityPolicy)
        if ca != nil { options.tls.authorities = .system }  // the policy names them now
        if let identity = try clientIdentity { options.tls.clientIdentity = identity }
    }

    private func policy(over batch: SecurityPolicy) throws(NetworkingError) -> SecurityPolicy {
        for (name, path) in [("ca", ca)] { try Self.check(path, name) }
        return try SecurityPolicy(
            allowInvalidCertificates: allowInvalidCertificates ?? batch.allowInvalidCertificates,
            validatesDomainName: validatesHost ?? batch.validatesDomainName,
            certificateAuthorityFile: ca ?? batch.certificateAuthorityFile)
    }

    private var clientIdentity: ClientIdentity? {
        get throws(NetworkingError) {
            try Self.check(clientCertificate, "clientCertificate")
            try Self.check(clientKey, "clientKey")
            if let clientCertificate { return .files(certificate: clientCertificate, key: clientKey) }
            guard clientKey == nil else {
                throw NetworkingError(
                    .invalidSecurityPolicy,
                    "\"security.clientKey\" is of no use without \"security.clientCertificate\"")
            }
            return nil
        }
    }

    private static func check(_ path: String?, _ name: String) throws(NetworkingError) {
        guard let path, path.isEmpty || path.utf8.contains(0) else { return }
        throw NetworkingError(
            .invalidSecurityPolicy, "the path in \"security.\(name)\" is empty or has a NUL in it")
    }
}
