// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides whether a server is trusted.
///
/// This release checks certificates against a store and names against the host; pinning comes with a later one. A
/// policy that contradicts itself cannot be made.
public struct SecurityPolicy: Sendable, Hashable {
    /// Whether certificates that no trusted authority vouches for are accepted.
    public let allowInvalidCertificates: Bool
    /// Whether the certificate must name the host.
    public let validatesDomainName: Bool
    /// A PEM file of the authorities to trust instead of the system's (CURLOPT_CAINFO); nil is the system's.
    public let certificateAuthorityFile: String?

    /// The system's store, host names checked.
    public static let `default` = SecurityPolicy()

    private init() {
        allowInvalidCertificates = false
        validatesDomainName = true
        certificateAuthorityFile = nil
    }

    /// Makes a policy.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` when invalid certificates are to be accepted while the
    ///   host is to be validated: without a pinned certificate a name in an invalid one proves nothing.
    public init(
        allowInvalidCertificates: Bool = false, validatesDomainName: Bool = true,
        certificateAuthorityFile: String? = nil
    ) throws(NetworkingError) {
        guard !(allowInvalidCertificates && validatesDomainName) else {
            throw NetworkingError(
                .invalidSecurityPolicy,
                "accepting invalid certificates contradicts validating the host: a name in a certificate that nobody "
                    + "vouches for proves nothing; turn host validation off too, or name the authority to trust")
        }
        self.allowInvalidCertificates = allowInvalidCertificates
        self.validatesDomainName = validatesDomainName
        self.certificateAuthorityFile = certificateAuthorityFile
    }
}
