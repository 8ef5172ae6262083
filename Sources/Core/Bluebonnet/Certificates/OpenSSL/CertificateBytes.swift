// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// Takes certificates, as OpenSSL's objects, out of bytes that are PEM or DER. It judges none of them.
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

    /// The bytes can be nothing else than DER: a sequence with a length of two bytes or more.
    static func looksLikeDER(_ data: Data) -> Bool { data.count > 4 && data.prefix(2).elementsEqual([0x30, 0x82]) }

    /// All certificates, in their order; the caller frees them. What else is in PEM, a key for instance, is left alone.
    /// Empty when there are none; nil when one is broken, or the PEM is.
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

    /// What it is trusted for may follow in the same bytes.
    private static func certificate(_ bytes: Data) -> OpaquePointer? {
        bytes.withUnsafeBytes { buffer in
            var next = buffer.bindMemory(to: UInt8.self).baseAddress
            return d2i_X509_AUX(nil, &next, buffer.count)
        }
    }
}
