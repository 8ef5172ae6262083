// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

extension TestCertificate {
    /// What an authority says of a certificate's revocation (RFC 6960).
    public enum RevocationStatus: Sendable, Hashable, CaseIterable {
        case good, revoked, unknown
    }

    /// A DER file of its issuer's answer about it, as servers staple it to the handshake. It is valid for a day.
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

    /// A line of `openssl ca`'s list: status, expiry, revocation, serial number, file, subject.
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
