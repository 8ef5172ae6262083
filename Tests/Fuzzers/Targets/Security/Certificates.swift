// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

extension FuzzTarget {
    /// Pinned certificates in PEM or DER, and the text of a pinned key.
    static let certificates = FuzzTarget("certificates") { input in
        let data = Data(input.rest)
        if let pin = try? PublicKeyPin(input.remainder) {
            try hold(FieldSyntax.isSameText(pin.description, input.remainder), "a pin is written in one way")
            try holdSame(pin.digest.count, 32, "the bytes of a pin")
        }
        guard let found = try? ServerCertificate.certificates(in: data) else { return }
        try hold(!found.isEmpty, "a list of certificates has some")
        let pins = try PinSet(certificateData: data)
        let unique = found.indices.filter { !found[..<$0].contains(found[$0]) }.map { found[$0] }
        try holdSame(pins.certificates, unique, "the pins are the certificates, each once")
        for certificate in found { try check(certificate) }
        let pem = found.map { certificate in
            "-----BEGIN CERTIFICATE-----\n\(certificate.der.base64EncodedString())\n-----END CERTIFICATE-----\n"
        }
        try holdSame(try ServerCertificate.certificates(in: Data(pem.joined().utf8)), found, "the same in PEM")
    }

    /// Every property of a certificate can be read, and the DER bytes stay the same.
    private static func check(_ certificate: ServerCertificate) throws {
        let again = try ServerCertificate(der: certificate.der)
        try holdSame(again.publicKeyPin, certificate.publicKeyPin, "the pin of the same bytes")
        try holdSame(
            try PublicKeyPin(certificate.publicKeyPin.description), certificate.publicKeyPin, "the pin as text")
        let texts = [certificate.subject, certificate.issuer, certificate.serialNumber, certificate.description]
        try hold(texts.allSatisfy { $0.utf8.count <= 16 * certificate.der.count }, "texts are bounded")
        try hold(certificate.serialNumber.allSatisfy(\.isHexDigit), "the number \(certificate.serialNumber)")
        _ = (certificate.validFrom, certificate.validUntil, certificate.dnsNames)
        for text in certificate.ipAddresses { try hold(IPAddress(text) != nil, "\(text) is an address") }
        let coded = try JSONDecoder().decode(ServerCertificate.self, from: JSONEncoder().encode(certificate))
        try holdSame(coded, certificate, "a certificate stays when it is coded")
    }
}
