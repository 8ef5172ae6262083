// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import COpenSSL

/// Checks whether a certificate names a host, by subjectAltName only: libcurl falls back to the common name, which RFC
/// 9525 (section 2) has removed.
enum ServerNameCheck {
    /// - Parameters:
    ///   - host: the host as in the URL; an IPv6 address in brackets.
    ///   - sentName: the name in the handshake (SNI), which represents a host that is not ASCII.
    static func passes(_ certificate: OpaquePointer, host: String, sentName: String?) -> Bool {
        guard let name = name(ofHost: host, sentName: sentName) else { return false }
        if bluebonnet_is_address(name) { return X509_check_ip_asc(certificate, name, 0) == 1 }
        let flags = CUnsignedInt(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
        return X509_check_host(certificate, name, name.utf8.count, flags, nil) == 1
    }

    /// Returns the host as in certificates: an address without brackets, or a name in ASCII without a trailing dot.
    /// Returns nil if it is neither.
    static func name(ofHost host: String, sentName: String?) -> String? {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let bare = isBracketed ? String(host.dropFirst().dropLast()) : host
        if bluebonnet_is_address(bare) { return bare }
        guard let ascii = bare.utf8.allSatisfy({ $0 < 0x80 }) ? bare : sentName else { return nil }
        let name = ascii.hasSuffix(".") ? String(ascii.dropLast()) : ascii
        return name.isEmpty || name.utf8.contains(0) ? nil : name
    }
}
