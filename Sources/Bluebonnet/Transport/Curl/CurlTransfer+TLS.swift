// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

extension CurlTransfer {
    /// How TLS is spoken with the server itself. What libcurl has no option for is set at the handshake (`TLSContext`).
    func setTLS() throws(CurlError) {
        // The authorities are ours: libcurl would read them on the network thread, for each connection.
        try handle.set(CURLOPT_CAINFO, pointer: nil)
        try handle.set(CURLOPT_CAPATH, pointer: nil)
        let options = request.poolKey.tls
        try handle.set(
            CURLOPT_SSLVERSION, options.minimumVersion.curlMinimum | (options.maximumVersion?.curlMaximum ?? 0))
        if !options.ciphers.isEmpty {
            try handle.set(CURLOPT_SSL_CIPHER_LIST, options.ciphers.joined(separator: ":"))
        }
        if !options.cipherSuites.isEmpty {
            try handle.set(CURLOPT_TLS13_CIPHERS, options.cipherSuites.joined(separator: ":"))
        }
        if options.requiresStapledStatus { try handle.set(CURLOPT_SSL_SESSIONID_CACHE, false) }
        guard let identity = request.poolKey.setup?.identity else { return }
        try handle.set(CURLOPT_SSLCERT_BLOB, blob: identity.certificates)
        try handle.set(CURLOPT_SSLKEY_BLOB, blob: identity.key)
    }
}

extension TLSVersion {
    /// CURL_SSLVERSION_TLSv1_0 and what follows it.
    fileprivate var curlMinimum: Int { Int(CURL_SSLVERSION_TLSv1_0) + minor }
    /// CURL_SSLVERSION_MAX_TLSv1_0 and what follows it.
    fileprivate var curlMaximum: Int { curlMinimum << 16 }
}
