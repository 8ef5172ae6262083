// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Checks with OpenSSL that it knows the ciphers that a user has named. Makes no connection.
enum CipherNames {
    /// - Throws: `invalidSecurityPolicy` that names the first unknown cipher.
    static func check(ciphers: [String], suites: [String]) throws(NetworkingError) {
        if ciphers.isEmpty && suites.isEmpty { return }
        try usingOpenSSL { () throws(NetworkingError) in try checkEach(ciphers, suites) }
    }

    private static func checkEach(_ ciphers: [String], _ suites: [String]) throws(NetworkingError) {
        for name in ciphers where !isKnown(name, SSL_CTX_set_cipher_list) {
            throw unknown(name, "cipher of TLS 1.2", "openssl ciphers -s -tls1_2")
        }
        for name in suites where !isKnown(name, SSL_CTX_set_ciphersuites) {
            throw unknown(name, "cipher suite of TLS 1.3", "openssl ciphers -s -tls1_3")
        }
    }

    private static func unknown(_ name: String, _ kind: String, _ command: String) -> NetworkingError {
        NetworkingError(
            .invalidSecurityPolicy,
            "OpenSSL has no \(kind) named \"\(name)\"; list the names with \"\(command)\"")
    }

    /// Returns whether OpenSSL knows a cipher. OpenSSL also accepts expressions and skips unknown suites, so the name
    /// must be in the resulting list.
    private static func isKnown(
        _ name: String, _ set: (OpaquePointer?, UnsafePointer<CChar>?) -> CInt
    ) -> Bool {
        guard !name.contains("\0"), let context = SSL_CTX_new(TLS_client_method()) else { return false }
        defer { SSL_CTX_free(context) }
        OpenSSLError.clear()
        guard set(context, name) == 1, let list = SSL_CTX_get_ciphers(context) else { return false }
        return (0..<OPENSSL_sk_num(list)).contains { index in
            let cipher = OPENSSL_sk_value(list, index).map { OpaquePointer($0) }
            return SSL_CIPHER_get_name(cipher).map { String(cString: $0) } == name
        }
    }
}
