// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// Parses PEM or DER bytes to certificates as OpenSSL objects. It does not validate them.
enum CertificateBytes {
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

    /// Returns whether the bytes can only be DER: a sequence whose length is encoded in two bytes.
    static func looksLikeDER(_ data: Data) -> Bool { data.count > 4 && data.prefix(2).elementsEqual([0x30, 0x82]) }

    /// Returns all certificates in their order; the caller frees them. Other content of PEM, such as a key, is ignored.
    /// Empty if there are no certificates; nil if a certificate or the PEM is malformed.
    static func certificates(in data: Data) -> [OpaquePointer]? {
        defer { OpenSSLError.clear() }
        guard PEMText.isPEM(data) else {
            return reading(data) { d2i_X509_bio($0, nil) }.map { [$0] } ?? (looksLikeDER(data) ? nil : [])
        }
        guard let blocks = try? PEMText(data).blocks() else { return nil }
        let wanted = blocks.filter { $0.isCertificate || $0.isTrustedCertificate }
        let found = wanted.compactMap { $0.bytes.flatMap(certificate) }
        if found.count == wanted.count { return found }
        for certificate in found { X509_free(certificate) }
        return nil
    }

    /// Parses a certificate. Its trust settings may follow in the same bytes.
    private static func certificate(_ bytes: Data) -> OpaquePointer? {
        bytes.withUnsafeBytes { buffer in
            var next = buffer.bindMemory(to: UInt8.self).baseAddress
            return d2i_X509_AUX(nil, &next, buffer.count)
        }
    }
}
