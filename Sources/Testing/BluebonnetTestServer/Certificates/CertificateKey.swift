// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension TestCertificate {
    /// The kind of a private key.
    public enum Key: Sendable, Hashable {
        /// ECDSA on P-256.
        case ecdsa
        /// ECDSA on P-384.
        case ecdsa384
        /// RSA with 2048 bits.
        case rsa
        /// RSA with this number of bits. From 4096 bits, the key has more than two primes, which are found faster;
        /// BoringSSL does not accept such keys.
        case rsaOf(bitCount: Int)

        var isRSA: Bool {
            switch self {
            case .ecdsa, .ecdsa384: false
            case .rsa, .rsaOf: true
            }
        }

        /// The arguments of `openssl req`.
        var arguments: [String] {
            switch self {
            case .ecdsa: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
            case .ecdsa384: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"]
            case .rsa: ["-newkey", "rsa:2048"]
            case .rsaOf(let bitCount):
                ["-newkey", "rsa:\(bitCount)"]
                    + (bitCount < 4096 ? [] : ["-pkeyopt", "rsa_keygen_primes:\(bitCount < 8192 ? 4 : 5)"])
            }
        }
    }
}
