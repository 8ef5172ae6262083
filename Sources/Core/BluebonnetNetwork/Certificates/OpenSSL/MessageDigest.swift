// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
package import Foundation

/// A message digest, computed piece by piece with OpenSSL's EVP interface.
package final class MessageDigest {
    /// A digest algorithm.
    package enum Algorithm {
        case md5, sha256

        fileprivate var implementation: OpaquePointer? {
            switch self {
            case .md5: Self.md5Implementation
            case .sha256: Self.sha256Implementation
            }
        }

        // Fetched once each, because fetching takes longer than a short digest. Access these only inside
        // `usingOpenSSL`, which may stop a thread while the process exits: a thread that stopped inside an initializer
        // would block all other threads that need it.
        private nonisolated(unsafe) static let md5Implementation = fetch("MD5")  // safe: OpenSSL never changes it
        private nonisolated(unsafe) static let sha256Implementation = fetch("SHA256")  // safe: OpenSSL never changes it

        /// Whether OpenSSL provides this digest. MD5 is not available if OpenSSL is configured for FIPS 140.
        package var isAvailable: Bool { usingOpenSSL { implementation != nil } }

        /// Clears the error of a failed fetch, which would be taken for an error of a connection.
        private static func fetch(_ name: String) -> OpaquePointer? {
            let implementation = EVP_MD_fetch(nil, name, nil)
            if implementation == nil { ERR_clear_error() }
            return implementation
        }
    }

    private let context: OpaquePointer

    /// - Parameter algorithm: an available algorithm. Every OpenSSL has SHA-256.
    package init(_ algorithm: Algorithm) {
        context = usingOpenSSL {
            guard let context = EVP_MD_CTX_new() else { preconditionFailure("OpenSSL is out of memory") }
            guard let type = algorithm.implementation, EVP_DigestInit_ex(context, type, nil) == 1 else {
                preconditionFailure(
                    "OpenSSL is out of memory, or lacks \(algorithm), which a FIPS configuration may disable")
            }
            return context
        }
    }

    private init(context: OpaquePointer) { self.context = context }

    /// Returns a digest with the same algorithm and the same state.
    func copy() -> MessageDigest {
        usingOpenSSL {
            guard let copy = EVP_MD_CTX_new(), EVP_MD_CTX_copy_ex(copy, context) == 1 else {
                preconditionFailure("OpenSSL is out of memory")
            }
            return MessageDigest(context: copy)
        }
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        _ = usingOpenSSL { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }
    }

    /// Returns the digest in lower-case hexadecimal. The object must not be used afterwards.
    package func finish() -> String { Self.hexadecimal(finishBytes()) }

    private func finishBytes() -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: CUnsignedInt = 0
        _ = usingOpenSSL { EVP_DigestFinal_ex(context, &bytes, &count) }
        return bytes.prefix(Int(count))
    }

    deinit { usingOpenSSL { EVP_MD_CTX_free(context) } }

    /// Returns the digest of complete data.
    package static func hexadecimalDigest(of data: some ContiguousBytes, _ algorithm: Algorithm = .sha256) -> String {
        let digest = MessageDigest(algorithm)
        data.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }

    /// Returns the SHA-256 of complete data.
    static func bytes(of data: Data) -> Data {
        let digest = MessageDigest(.sha256)
        data.withUnsafeBytes { digest.update($0) }
        return Data(digest.finishBytes())
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                text[index * 2] = digit(byte >> 4)
                text[index * 2 + 1] = digit(byte & 15)
            }
            return bytes.count * 2
        }
    }
}
