// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// Takes certificates out of bytes that are PEM or DER. It judges none of them.
enum PEMReader {
    /// Calls `body` with a BIO that reads the bytes.
    static func reading<Result>(_ data: Data, _ body: (OpaquePointer) -> Result) -> Result {
        data.withUnsafeBytes { bytes in
            let count = CInt(min(bytes.count, Int(CInt.max)))
            guard let bio = BIO_new_mem_buf(bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1), count) else {
                preconditionFailure("OpenSSL is out of memory")
            }
            defer { BIO_free(bio) }
            return body(bio)
        }
    }

    /// The bytes can be nothing else than DER: a sequence with a length of two bytes or more.
    static func looksLikeDER(_ data: Data) -> Bool { data.count > 4 && data.prefix(2).elementsEqual([0x30, 0x82]) }

    /// All certificates, in their order; the caller frees them. Empty when there are none; nil when one is broken.
    static func certificates(in data: Data) -> [OpaquePointer]? {
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        return reading(data) { bio in
            guard PEMText.isPEM(data) else {
                return d2i_X509_bio(bio, nil).map { [$0] } ?? (looksLikeDER(data) ? nil : [])
            }
            var found: [OpaquePointer] = []
            // The empty password keeps OpenSSL from asking for one on the terminal.
            while let next = withEmptyPassword({ PEM_read_bio_X509_AUX(bio, nil, nil, $0) }) { found.append(next) }
            if OpenSSLError.isEndOfPEM { return found }
            for certificate in found { X509_free(certificate) }
            return nil
        }
    }

    private static func withEmptyPassword<Result>(_ body: (UnsafeMutableRawPointer?) -> Result) -> Result {
        var empty: CChar = 0
        return withUnsafeMutablePointer(to: &empty) { body(UnsafeMutableRawPointer($0)) }
    }
}
