// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a `TLSSetup` is made of: the options of a request, with the authorities that its policy names. A value that
/// reads nothing.
struct TLSSetupSource: Sendable, Hashable {
    let options: TLSOptions
    let authorities: TrustedAuthorities
    /// Whether somebody's word counts besides the pins'. If not, a system without a store of authorities will do.
    let needsAuthorities: Bool

    /// - Throws: `invalidSecurityPolicy` when the options contradict the policy.
    init(_ options: TLSOptions, _ policy: SecurityPolicy) throws(NetworkingError) {
        self.options = options
        needsAuthorities = !policy.allowInvalidCertificates
        guard !(options.requiresStapledStatus && policy.allowInvalidCertificates) else {
            throw NetworkingError(
                .invalidSecurityPolicy,
                "accepting invalid certificates contradicts requiring proof that they were not revoked; choose one")
        }
        authorities = policy.authorities
    }

    /// The files that it depends on.
    var files: [String] {
        get throws(NetworkingError) {
            try authorities.files() + (options.clientIdentity?.files ?? [])
        }
    }
}
