// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import COpenSSL

/// Makes OpenSSL itself match the server's name, against subjectAltName only: libcurl falls back to the common name, which
/// RFC 9525 (section 2) has done away with.
enum ServerNameCheck {
    /// Requires the certificates of the connections that will be made from an `SSL_CTX` to name `host`.
    static func require(host: String, in context: UnsafeMutableRawPointer) {
        guard let parameters = SSL_CTX_get0_param(OpaquePointer(context)) else { return }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let bare = isBracketed ? String(host.dropFirst().dropLast()) : host
        if bluebonnet_is_address(bare) {
            X509_VERIFY_PARAM_set1_ip_asc(parameters, bare)
        } else {
            let name = bare.hasSuffix(".") ? String(bare.dropLast()) : bare
            X509_VERIFY_PARAM_set_hostflags(
                parameters, CUnsignedInt(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            X509_VERIFY_PARAM_set1_host(parameters, name, 0)
        }
    }
}
