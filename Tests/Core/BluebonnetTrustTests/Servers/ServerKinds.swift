// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers

@testable import Bluebonnet

// The chains of badssl.com that can be made here, and more that OpenSSL is known to distinguish: row D2 of the
// reliability rules. The expected reasons follow the manuals: X509_STORE_CTX_get_error(3) and
// openssl-verification-options(1) for chains, SSL_CTX_set_security_level(3) for keys and digests. Debian's level 2
// requires 112 bits of security: RSA and DH keys of at least 2048 bits, no SHA-1, no MD5.
extension ServerKind {
    static let accepted: [ServerKind] = [
        ServerKind("ecc256", .localhost),
        ServerKind("ecc384", .ecdsa384),
        ServerKind("rsa2048", .rsa),
        ServerKind("rsa4096", openssl: [], .rsa4096),
        ServerKind("rsa8192", openssl: [], .rsa8192),
        ServerKind("sha384", .sha384),
        ServerKind("sha512", .sha512),
        ServerKind("no common name", .noCommonName),
        ServerKind("no subject", .noSubject),
        ServerKind("negative serial number", .negativeSerialNumber),  // RFC 5280, 4.1.2.2: to be handled gracefully
        ServerKind("serial number 0", .zeroSerialNumber),
        ServerKind("intermediate", .chained),
        ServerKind("two intermediates", .belowTwo),
        ServerKind("name constraints kept", .constraintKept),
        ServerKind("unknown extension that is not critical", .unknownExtension),
        ServerKind("server's purpose said", .serverPurpose),
    ]

    static let chainsRefused: [ServerKind] = [
        ServerKind("expired", .expired, .chainRefused(.expired)),
        ServerKind("not yet valid", .future, .chainRefused(.notYetValid)),
        ServerKind("expired intermediate", .belowExpired, .chainRefused(.expired)),
        ServerKind("expired root", .chainRefused(.expired)) {
            ($0.certificate, $0.trusted) = (.belowExpiredRoot, .belowExpiredRoot)
        },
        ServerKind("self-signed", .selfSigned, .chainRefused(.selfSigned)),
        ServerKind("untrusted root", .untrusted, .chainRefused(.noIssuer)),
        ServerKind(
            "untrusted root, sent along", .untrusted.appending(.Authority.otherRoot.certificate),
            .chainRefused(.selfSignedInChain)),
        ServerKind("incomplete chain", .incomplete, .chainRefused(.noIssuer)),
        ServerKind("issuer of the same name", .ofAnyImpostor, .chainRefused(.signatureFailure)),
        // A certificate with a key other than the named one is not an issuer: X509_check_issued(3).
        ServerKind("issuer of the same name, key named", .ofImpostor, .chainRefused(.noIssuer)),
        ServerKind("wrong key of the issuer", .wrongIssuerKey, .chainRefused(.noIssuer)),
        ServerKind("issued by a server", .ofServer, .chainRefused(.noAuthority)),
        ServerKind("issued by what is no authority", .ofNoAuthority, .chainRefused(.noAuthority)),
        ServerKind("intermediate of version 1", .ofVersionOne, .chainRefused(.noAuthority)),
        ServerKind("path too long", .belowTheLast, .chainRefused(.pathLengthExceeded)),
        ServerKind("name constraints violated", .constraintViolated, .chainRefused(.permittedViolation)),
        ServerKind("unknown critical extension", .unknownCriticalExtension, .chainRefused(.unhandledCriticalExtension)),
        ServerKind("a client's purpose", .clientPurpose, .chainRefused(.invalidPurpose)),
        ServerKind("an authority's key usage", openssl: [], .authorityUsage, .chainRefused(.invalidPurpose)),
        ServerKind("an authority for clients", .ofClientsOnly, .chainRefused(.invalidPurpose)),
        ServerKind("sha1-intermediate", .ofSHA1, .chainRefused(.digestTooWeak)),
        ServerKind("sha1", .sha1, .chainRefused(.digestTooWeak)),
        ServerKind("md5", .md5, .chainRefused(.digestTooWeak)),
        ServerKind("rsa1024 intermediate", .ofShortKey, .chainRefused(.authorityKeyTooSmall)),
        ServerKind("rsa1024", openssl: anyStrength, .rsa1024, .chainRefused(.leafKeyTooSmall)),
        ServerKind("rsa512", openssl: anyStrength, .rsa512, .chainRefused(.leafKeyTooSmall)),
    ]

    /// A wildcard certificate whose authority may not issue for one of the hosts that the wildcard matches.
    static let excluded = [
        ServerKind("wildcard under an exclusion", .accepted) {
            ($0.certificate, $0.host) = (.notSecret, "open.example.test")
        },
        ServerKind("wildcard for an excluded host", .chainRefused(.excludedViolation)) {
            ($0.certificate, $0.host) = (.notSecret, "secret.example.test")
        },
    ]

    /// Host names that badssl.com uses to test long names.
    static let named: [ServerKind] = [
        "long-extended-subdomain-name-containing-many-letters-and-dashes",
        "longextendedsubdomainnamewithoutdashesinordertotestwordwrapping",
        "a--b", "1000-sans", "x",
    ].map { label in
        ServerKind("name \(label)", .accepted) {
            ($0.certificate, $0.host) = (.wildcard, label + ".example.test")
        }
    }

    static let judgedByOptions: [ServerKind] = [
        ServerKind("wrong host", .wrongHost, .refused(.serverNotTrusted, "does not name it")),
        ServerKind("common name only", .commonNameOnly, .refused(.serverNotTrusted, "does not name it")),
        ServerKind("pinning-test", .refused(.pinMismatch, "matches none of 1 pinned key")) {
            $0.change = {
                $0.securityPolicy = try SecurityPolicy(
                    pinningMode: .publicKey, pins: PinSet(certificateData: TestCertificate.otherKey.der),
                    authorities: .file(TestCertificate.localhost.caPath))
            }
        },
        ServerKind("client-cert-missing", .refused(.clientCertificateRejected, "certificate required")) {
            var server = TestServer.Options()
            (server.requiresClientCertificate, server.tlsVersion) = (true, .v13)
            $0.peer = .scripted(server)
        },
        ServerKind("revoked", .refused(.serverNotTrusted, "was revoked")) {
            $0.certificate = .revoked
            $0.peer = .openssl { ["-status_file", try TestCertificate.revoked.ocspAnswer(.revoked)] }
            $0.change = { $0.tls.requiresStapledStatus = true }
        },
        ServerKind("revoked, without asking for proof", .accepted) {
            $0.certificate = .revoked
            $0.peer = .openssl { ["-status_file", try TestCertificate.revoked.ocspAnswer(.revoked)] }
        },
    ]

    /// `s_server` uses weak parameters only at its lowest security level.
    static let anyStrength = ["-tls1_2", "-cipher", "ALL:@SECLEVEL=0"]
}
