// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// A client's certificate and key after they were read, decrypted and checked to belong together, in the format that
/// libcurl takes. Any thread.
struct LoadedIdentity: Sendable {
    /// The certificate with its chain, in PEM.
    let certificates: Data
    /// The unencrypted key, in PEM.
    let key: Data
    /// Identifies the contents of the identity.
    let digest: String

    /// Reads an identity. May block.
    ///
    /// - Throws: `invalidSecurityPolicy` with the reason if the identity cannot be used.
    init(_ identity: ClientIdentity) throws(NetworkingError) {
        let parts = try IdentityParts(identity)
        defer { parts.free() }
        guard X509_check_private_key(parts.certificates[0], parts.key) == 1 else {
            throw NetworkingError(
                .invalidSecurityPolicy, "the key does not belong to the certificate of the \(identity)",
                underlying: OpenSSLError.last)
        }
        certificates = Self.text { bio in for part in parts.certificates { PEM_write_bio_X509(bio, part) } }
        key = Self.text { bio in PEM_write_bio_PrivateKey(bio, parts.key, nil, nil, 0, nil, nil) }
        digest = MessageDigest.hexadecimalDigest(of: certificates + key)
    }

    private static func text(_ write: (OpaquePointer) -> Void) -> Data {
        guard let bio = BIO_new(BIO_s_mem()) else { preconditionFailure("OpenSSL is out of memory") }
        defer { BIO_free(bio) }
        write(bio)
        var bytes: UnsafeMutablePointer<CChar>?
        let count = bluebonnet_written(bio, &bytes)
        return bytes.map { Data(bytes: $0, count: count) } ?? Data()
    }
}
