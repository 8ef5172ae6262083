// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// Reads the contents of a certificate with OpenSSL. It decides nothing.
struct CertificateReader {
    private let certificate: ParsedCertificate

    /// Returns what `read` finds in a certificate. Any thread. The certificate was parsed before, so parsing it again
    /// succeeds.
    static func reading<Value>(_ certificate: ServerCertificate, _ read: (CertificateReader) -> Value) -> Value {
        usingOpenSSL {
            guard let parsed = ParsedCertificate(der: certificate.der) else {
                preconditionFailure("a certificate that OpenSSL has read cannot be read a second time")
            }
            return read(CertificateReader(certificate: parsed))
        }
    }

    /// - Throws: `invalidSecurityPolicy` if the bytes are not exactly one certificate.
    static func publicKeyPin(ofDER der: Data) throws(NetworkingError) -> PublicKeyPin {
        let pin = usingOpenSSL { ParsedCertificate(der: der).flatMap { publicKeyPin(of: $0.raw) } }
        guard let pin else {
            throw NetworkingError(.invalidSecurityPolicy, "the \(der.count) bytes are not a single DER certificate")
        }
        return pin
    }

    /// Converts an OpenSSL certificate to a value; nil if it cannot be encoded.
    static func value(of raw: OpaquePointer) -> ServerCertificate? {
        guard let der = encode({ i2d_X509(raw, $0) }), let pin = publicKeyPin(of: raw) else { return nil }
        return ServerCertificate(der: der, publicKeyPin: pin)
    }

    private static func publicKeyPin(of raw: OpaquePointer) -> PublicKeyPin? {
        let key = X509_get_X509_PUBKEY(raw)
        return encode { i2d_X509_PUBKEY(key, $0) }.map(PublicKeyPin.init(publicKeyDER:))
    }

    /// Calls an encoder of OpenSSL twice: first for the length, then for the bytes.
    private static func encode(_ body: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt) -> Data? {
        let count = body(nil)
        guard count > 0 else { return nil }
        var data = Data(count: Int(count))
        let written = data.withUnsafeMutableBytes { buffer in
            var next = buffer.bindMemory(to: UInt8.self).baseAddress
            return body(&next)
        }
        return written == count ? data : nil
    }
}

// MARK: - Contents

extension CertificateReader {
    var subject: String { Self.text(of: X509_get_subject_name(certificate.raw)) }
    var issuer: String { Self.text(of: X509_get_issuer_name(certificate.raw)) }

    var serialNumber: String {
        guard let number = X509_get0_serialNumber(certificate.raw) else { return "" }
        return Self.bytes(of: number).map { String(format: "%02X", $0) }.joined()
    }

    var validFrom: Date { Self.date(X509_get0_notBefore(certificate.raw)) }
    var validUntil: Date { Self.date(X509_get0_notAfter(certificate.raw)) }

    var dnsNames: [String] { Self.dnsNames(of: certificate.raw) }
    var ipAddresses: [String] { Self.ipAddresses(of: certificate.raw) }

    /// Returns the hosts in the subjectAltName of an OpenSSL certificate: DNS names first, then IP addresses.
    static func hosts(of raw: OpaquePointer) -> [String] { dnsNames(of: raw) + ipAddresses(of: raw) }

    private static func dnsNames(of raw: OpaquePointer) -> [String] {
        alternativeNames(GEN_DNS, of: raw).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func ipAddresses(of raw: OpaquePointer) -> [String] {
        alternativeNames(GEN_IPADD, of: raw).compactMap { IPAddress(bytes: $0)?.description }
    }

    /// Returns a name in the form of RFC 2253, as OpenSSL prints it into memory.
    private static func text(of name: OpaquePointer?) -> String {
        guard let name, let output = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(output) }
        X509_NAME_print_ex(output, name, 0, bluebonnet_name_flags())
        var start: UnsafeMutablePointer<CChar>?
        let count = BIO_ctrl(output, BIO_CTRL_INFO, 0, &start)
        guard let start, count > 0 else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// Converts a time. OpenSSL counts the seconds since 1970.
    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date {
        guard let epoch = ASN1_TIME_set(nil, 0) else { preconditionFailure("OpenSSL is out of memory") }
        defer { ASN1_TIME_free(epoch) }
        var (days, seconds): (CInt, CInt) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return .distantPast }
        return Date(timeIntervalSince1970: Double(days) * 86_400 + Double(seconds))
    }

    private static func bytes(of string: UnsafePointer<ASN1_STRING>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
    }

    /// Returns the values of one type in subjectAltName (RFC 5280, 4.2.1.6).
    private static func alternativeNames(_ type: CInt, of raw: OpaquePointer) -> [Data] {
        let names = X509_get_ext_d2i(raw, NID_subject_alt_name, nil, nil).map { OpaquePointer($0) }
        guard let names else { return [] }
        defer { GENERAL_NAMES_free(names) }
        return CertificateStack.elements(of: names).compactMap { element in
            var kind: CInt = -1
            let value = GENERAL_NAME_get0_value(
                UnsafeMutableRawPointer(element).assumingMemoryBound(to: GENERAL_NAME.self), &kind)
            guard kind == type, let value else { return nil }
            return Data(bytes(of: UnsafePointer(value.assumingMemoryBound(to: ASN1_STRING.self))))
        }
    }
}

/// An OpenSSL certificate, freed with this object.
final class ParsedCertificate {
    let raw: OpaquePointer

    /// Nil if the bytes are not exactly one certificate.
    init?(der: Data) {
        guard let parsed = usingOpenSSL({ Self.parse(der) }) else { return nil }
        raw = parsed
    }

    deinit { usingOpenSSL { X509_free(raw) } }

    private static func parse(_ der: Data) -> OpaquePointer? {
        defer { ERR_clear_error() }  // libcurl would take a remaining error for its own
        return der.withUnsafeBytes { bytes in
            var next = bytes.bindMemory(to: UInt8.self).baseAddress
            guard next != nil, let found = d2i_X509(nil, &next, bytes.count) else { return nil }
            guard next == bytes.bindMemory(to: UInt8.self).baseAddress.map({ $0 + bytes.count }) else {
                X509_free(found)
                return nil
            }
            return found
        }
    }
}
