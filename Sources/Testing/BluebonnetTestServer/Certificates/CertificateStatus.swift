// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

extension TestCertificate {
    /// The revocation status of a certificate according to its issuer (RFC 6960).
    public enum RevocationStatus: Sendable, Hashable, CaseIterable {
        case good, revoked, unknown
    }

    /// Makes a DER file of the issuer's OCSP response, as servers staple it to the handshake. The response is valid
    /// for one day.
    public func ocspAnswer(_ status: RevocationStatus) throws -> String {
        let folder = try CertificateFolder.shared.get()
        guard let issuer = recipe.issuer?.certificate else { throw TestServerError("\(name) has no issuer") }
        let index = try folder.write("ocsp.index", try indexLine(status))
        let question = try folder.make("question.der") { path in
            ["ocsp", "-issuer", try issuer.leafPath, "-cert", try leafPath, "-no_nonce", "-reqout", path]
        }
        return try folder.make("answer.der") { path in
            ["ocsp", "-index", index, "-CA", try issuer.leafPath, "-rsigner", try issuer.leafPath]
                + ["-rkey", try issuer.keyPath, "-reqin", question, "-ndays", "1", "-respout", path]
        }
    }

    /// Makes a DER file of the issuer's OCSP response with status good, which was valid only in the first second of
    /// 2024.
    public func outdatedOCSPAnswer() throws -> String {
        let response = try DERElement(try Data(contentsOf: URL(fileURLWithPath: try ocspAnswer(.good))))
        // OCSPResponse, ResponseBytes and BasicOCSPResponse of RFC 6960, 4.2.1.
        let (outer, inner) = (try response.elements, try DERElement(try response.elements[1].content).elements)
        var basic = try DERElement(inner[1].content).elements
        basic[0] = try basic[0].changed { element in
            element.tag == 0x18 ? DERElement(0x18, Data("20240101000000Z".utf8)) : element
        }
        basic[2] = DERElement(0x03, Data([0]) + (try signature(of: basic[0].bytes)))
        let answer = Self.sequence(basic)
        let bytes = Self.sequence([inner[0], DERElement(0x04, answer.bytes)])
        let path = try CertificateFolder.shared.get().write("answer.der", "")
        try Self.sequence([outer[0], DERElement(outer[1].tag, bytes.bytes)]).bytes.write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func sequence(_ elements: [DERElement]) -> DERElement {
        DERElement(0x30, elements.reduce(into: Data()) { $0.append($1.bytes) })
    }

    /// Returns the signature of the bytes by the issuer's key.
    private func signature(of bytes: Data) throws -> Data {
        let folder = try CertificateFolder.shared.get()
        guard let issuer = recipe.issuer?.certificate else { throw TestServerError("\(name) has no issuer") }
        let input = try folder.write("signed", "")
        try bytes.write(to: URL(fileURLWithPath: input))
        let output = try folder.make("signature") {
            ["dgst", "-sha256", "-sign", try issuer.keyPath, "-out", $0, input]
        }
        return try Data(contentsOf: URL(fileURLWithPath: output))
    }

    /// Returns a line of the list that `openssl ca` keeps: status, expiry, revocation, serial number, file, subject.
    private func indexLine(_ status: RevocationStatus) throws -> String {
        let serial = try CertificateFolder.shared.get().serialNumber(of: leafPath)
        switch status {
        case .unknown: return ""
        case .good: return "V\t\(recipe.end)\t\t\(serial)\tunknown\t/CN=\(recipe.commonName)\n"
        case .revoked:
            return "R\t\(recipe.end)\t240201000000Z,keyCompromise\t\(serial)\tunknown\t/CN=\(recipe.commonName)\n"
        }
    }
}
