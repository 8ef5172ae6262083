// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import COpenSSL
internal import Foundation

/// The names that the authorities of a chain must not certify (RFC 5280, 4.2.1.10), compared with the host itself.
///
/// OpenSSL compares them with the names in the certificate: `*.example.com` passes where `secret.example.com` is
/// excluded, although the wildcard matches that host too (CVE-2025-61727 was this flaw in another library).
enum ExcludedNames {
    /// - Parameters:
    ///   - name: a host's name as in certificates, or an address, which no wildcard matches.
    ///   - authorities: the certificates of a verified chain, without the server's own certificate.
    static func contain(_ name: String, of authorities: some Sequence<OpaquePointer>) -> Bool {
        guard !bluebonnet_is_address(name) else { return false }
        let host = name.lowercased()
        return authorities.contains { authority in
            X509_get_ext_by_NID(authority, NID_name_constraints, -1) >= 0
                && names(authority).contains { covers($0, host) }
        }
    }

    /// Whether a name is the host or one of its parent domains. With a leading dot, the name itself does not match, as
    /// in OpenSSL.
    private static func covers(_ name: String, _ host: String) -> Bool {
        name.isEmpty || name == host || host.hasSuffix(name.hasPrefix(".") ? name : "." + name)
    }

    /// The excluded DNS names, in lower case.
    private static func names(_ authority: OpaquePointer) -> [String] {
        guard let found = X509_get_ext_d2i(authority, NID_name_constraints, nil, nil) else { return [] }
        let constraints = found.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(constraints) }
        return CertificateStack.elements(of: constraints.pointee.excludedSubtrees).compactMap { tree in
            name(UnsafeMutableRawPointer(tree).assumingMemoryBound(to: GENERAL_SUBTREE.self).pointee.base)
        }
    }

    private static func name(_ base: UnsafeMutablePointer<GENERAL_NAME>?) -> String? {
        var kind: CInt = -1
        guard let base, let value = GENERAL_NAME_get0_value(base, &kind), kind == GEN_DNS else { return nil }
        let text = value.assumingMemoryBound(to: ASN1_STRING.self)
        let bytes = UnsafeRawBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text)))
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }
}
