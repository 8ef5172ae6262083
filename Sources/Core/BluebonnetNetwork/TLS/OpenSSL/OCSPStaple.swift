// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Validates the OCSP response that a server has stapled to its handshake (RFC 6960, RFC 6066, 8). Network thread
/// only. OpenSSL has built and verified the chain before.
enum OCSPStaple {
    /// The tolerated difference between the clocks of client and authority, in seconds.
    private static let tolerance = 300

    /// Returns the reason why the response does not prove that the certificate is valid; nil if it does.
    static func refusal(on connection: OpaquePointer) -> String? {
        var bytes: UnsafePointer<UInt8>?
        let count = bluebonnet_stapled_answer(connection, &bytes)
        guard count > 0, bytes != nil else { return "the server stapled no OCSP response" }
        guard let answer = d2i_OCSP_RESPONSE(nil, &bytes, count) else {
            return "the stapled OCSP response is malformed"
        }
        defer { OCSP_RESPONSE_free(answer) }
        guard OCSP_response_status(answer) == OCSP_RESPONSE_STATUS_SUCCESSFUL,
            let basic = OCSP_response_get1_basic(answer)
        else { return "the stapled OCSP response has an error status" }
        defer { OCSP_BASICRESP_free(basic) }
        guard let chain = SSL_get0_verified_chain(connection), let leaf = certificate(0, of: chain) else {
            return "the server's certificate has no verified chain to check the stapled OCSP response"
        }
        let store = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(connection))
        guard OCSP_basic_verify(basic, chain, store, 0) == 1 else {
            return "the stapled OCSP response is not signed by the certificate's authority"
        }
        return refusal(in: basic, leaf: leaf, issuer: certificate(1, of: chain) ?? leaf)
    }

    private static func refusal(in basic: OpaquePointer, leaf: OpaquePointer, issuer: OpaquePointer) -> String? {
        var (status, reason) = (CInt(V_OCSP_CERTSTATUS_UNKNOWN), CInt(0))
        var (revoked, this, next):
            (
                UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?, UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?,
                UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            )
        // Authorities identify a certificate by digests of their choice, usually SHA-1 (RFC 5019, 2.1.1).
        let found = [EVP_sha1(), EVP_sha256()].contains { digest in
            let name = OCSP_cert_to_id(digest, leaf, issuer)
            defer { OCSP_CERTID_free(name) }
            return OCSP_resp_find_status(basic, name, &status, &reason, &revoked, &this, &next) == 1
        }
        guard found else { return "the stapled OCSP response is for another certificate" }
        guard OCSP_check_validity(this, next, tolerance, -1) == 1 else {
            return "the stapled OCSP response is out of date"
        }
        switch status {
        case V_OCSP_CERTSTATUS_GOOD: return nil
        case V_OCSP_CERTSTATUS_REVOKED: return "the certificate was revoked"
        default: return "the authority does not know the certificate"
        }
    }

    private static func certificate(_ index: CInt, of chain: OpaquePointer) -> OpaquePointer? {
        OPENSSL_sk_value(chain, index).map { OpaquePointer($0) }
    }
}
