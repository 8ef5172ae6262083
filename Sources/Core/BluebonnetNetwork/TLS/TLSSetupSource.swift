// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The sources of a `TLSSetup`: the options of a request, and the certificate authorities that its policy names. A
/// value that reads no files.
package struct TLSSetupSource: Sendable, Hashable {
    let options: TLSOptions
    let authorities: TrustedAuthorities
    /// Whether certificate authorities decide in addition to pins. If false, a system without a store of authorities
    /// is sufficient.
    let needsAuthorities: Bool

    /// - Throws: `invalidSecurityPolicy` if the options contradict the policy.
    package init(_ options: TLSOptions, _ policy: SecurityPolicy) throws(NetworkingError) {
        self.options = options
        needsAuthorities = !policy.allowInvalidCertificates
        guard !(options.requiresStapledStatus && policy.allowInvalidCertificates) else {
            throw NetworkingError(
                .invalidSecurityPolicy,
                "accepting invalid certificates contradicts requiring a stapled OCSP response; choose one")
        }
        authorities = policy.authorities
    }

    /// The files that the setup depends on.
    var files: [String] {
        get throws(NetworkingError) {
            try authorities.files() + (options.clientIdentity?.files ?? [])
        }
    }
}
