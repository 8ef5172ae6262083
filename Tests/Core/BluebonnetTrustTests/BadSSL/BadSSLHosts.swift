// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import RealServers

@testable import Bluebonnet

extension BadSSLHost {
    static let all = certificates + goodCertificates + knownKeys + clients + plain + ciphers + groups + versions

    private static let certificates = [
        BadSSLHost(
            "expired", wish: .refuse, made: "ended in 2021", ServerKind("expired", .expired, .chainRefused(.expired))),
        BadSSLHost(
            "wrong.host", wish: .refuse, made: "names another host",
            ServerKind("wrong host", .wrongHost, .refused(.serverNotTrusted, "does not name it"))),
        BadSSLHost(
            "self-signed", wish: .refuse, made: "signs itself",
            ServerKind("self-signed", .selfSigned, .chainRefused(.selfSigned))),
        BadSSLHost(
            "untrusted-root", wish: .refuse, made: "an untrusted authority, which is sent along",
            ServerKind(
                "untrusted root", .untrusted.appending(TestCertificate.Authority.otherRoot.certificate),
                .chainRefused(.selfSignedInChain))),
        BadSSLHost(
            "revoked", wish: .refuse, made: "a stapled answer says so; `requiresStapledStatus`",
            ServerKind("revoked", .refused(.serverNotTrusted, "was revoked")) {
                $0.certificate = .revoked
                $0.peer = .openssl { ["-status_file", try TestCertificate.revoked.ocspAnswer(.revoked)] }
                $0.change = { $0.tls.requiresStapledStatus = true }
            }),
        BadSSLHost(
            "revoked", wish: .refuse, made: "a stapled answer says so; default options",
            ServerKind("revoked, not asked", .accepted) {
                $0.certificate = .revoked
                $0.peer = .openssl { ["-status_file", try TestCertificate.revoked.ocspAnswer(.revoked)] }
            }, remark: "no status is requested, and no revocation list is fetched"),
        BadSSLHost(
            "pinning-test", wish: .refuse, made: "the key of another certificate is pinned",
            ServerKind("pinning-test", .refused(.pinMismatch, "matches none of 1 pinned key")) {
                $0.change = {
                    $0.securityPolicy.pinningMode = .publicKey
                    $0.securityPolicy.pins = try PinSet(certificateData: TestCertificate.otherKey.der)
                }
            }),
        BadSSLHost(
            "no-common-name", wish: .either, made: "the subject is an organization", ServerKind("O", .noCommonName)),
        BadSSLHost("no-subject", wish: .either, made: "an empty subject", ServerKind("empty", .noSubject)),
        BadSSLHost(
            "incomplete-chain", wish: .refuse, made: "the intermediate is not sent",
            ServerKind("incomplete chain", .incomplete, .chainRefused(.noIssuer))),
        BadSSLHost(
            "sha1-intermediate", wish: .refuse, made: "an intermediate signed with SHA-1",
            ServerKind("sha1-intermediate", .ofSHA1, .chainRefused(.digestTooWeak))),
        BadSSLHost(
            "sha1-2016", "sha1-2017", wish: .refuse, made: "signed with SHA-1",
            ServerKind("sha1", .sha1, .chainRefused(.digestTooWeak))),
        BadSSLHost(
            "no-sct", wish: .refuse, made: "no timestamps of certificate transparency",
            ServerKind("no SCT", .localhost),
            remark: "timestamps are not checked: the library has no list of logs"),
        BadSSLHost(
            "invalid-expected-sct", wish: .refuse, made: "an empty list of timestamps",
            ServerKind("empty SCT", .emptyTimestamps), remark: "timestamps are not checked"),
        BadSSLHost(
            "subdomain.preloaded-hsts", wish: .refuse, made: "names another host",
            ServerKind("wrong host below", .wrongHost, .refused(.serverNotTrusted, "does not name it"))),
    ]

    private static let goodCertificates = [
        BadSSLHost("sha256", wish: .accept, made: "signed with SHA-256", ServerKind("sha256", .localhost)),
        BadSSLHost("sha384", wish: .accept, made: "signed with SHA-384", ServerKind("sha384", .sha384)),
        BadSSLHost("sha512", wish: .accept, made: "signed with SHA-512", ServerKind("sha512", .sha512)),
        BadSSLHost("1000-sans", wish: .accept, made: "1,003 names", ServerKind("1000 names", .thousandNames)),
        BadSSLHost(
            "10000-sans", wish: .either, made: "10,000 names in 240 kB",
            ServerKind("10000 names", .refused(.secureConnectionFailed, "excessive message size")) {
                ($0.certificate, $0.host) = (.tenThousandLongNames, "many-9999.example.test")
            }, remark: "OpenSSL takes certificates of up to 100 kB"),
        BadSSLHost("ecc256", wish: .accept, made: "ECDSA on P-256", ServerKind("ecc256", .localhost)),
        BadSSLHost("ecc384", wish: .accept, made: "ECDSA on P-384", ServerKind("ecc384", .ecdsa384)),
        BadSSLHost("rsa2048", wish: .accept, made: "RSA, 2,048 bits", ServerKind("rsa2048", .rsa)),
        BadSSLHost("rsa4096", wish: .accept, made: "RSA, 4,096 bits", ServerKind("rsa4096", openssl: [], .rsa4096)),
        BadSSLHost("rsa8192", wish: .accept, made: "RSA, 8,192 bits", ServerKind("rsa8192", openssl: [], .rsa8192)),
        BadSSLHost(
            "extended-validation", wish: .accept, made: "the policy of extended validation",
            ServerKind("extended validation", .extendedValidation), remark: "accepted like any other"),
        BadSSLHost(
            "long-extended-subdomain-name-containing-many-letters-and-dashes", wish: .accept, made: "a wildcard",
            named("long-extended-subdomain-name-containing-many-letters-and-dashes")),
        BadSSLHost(
            "longextendedsubdomainnamewithoutdashesinordertotestwordwrapping", wish: .accept, made: "a wildcard",
            named("longextendedsubdomainnamewithoutdashesinordertotestwordwrapping")),
    ]

    private static func named(_ label: String) -> ServerKind {
        ServerKind("name \(label)", .accepted) { ($0.certificate, $0.host) = (.wildcard, label + ".example.test") }
    }

    private static let knownKeys = [
        BadSSLHost(
            "superfish", "edellroot", "dsdtestprovider", "preact-cli", "webpack-dev-server", wish: .refuse,
            made: "an authority that is not in the store",
            ServerKind("known key", .untrusted, .chainRefused(.noIssuer)),
            remark: "the system's store decides; a store with such an authority is a fault of the machine"),
        BadSSLHost(
            "captive-portal", "mitm-software", wish: .refuse, made: "an authority that is not in the store",
            ServerKind("intercepted", .untrusted, .chainRefused(.noIssuer)),
            remark: "treated like any other unknown authority"),
    ]

    private static let clients = [
        BadSSLHost(
            "client", wish: .accept, made: "the server wants a certificate and gets one",
            ServerKind("client", .accepted) {
                $0.peer = .scripted(wantingClients)
                $0.change = {
                    $0.tls.clientIdentity = .files(
                        certificate: try TestCertificate.client.certificatePath, key: try TestCertificate.client.keyPath
                    )
                }
            }),
        BadSSLHost(
            "client-cert-missing", wish: .refuse, made: "the server wants a certificate and gets none",
            ServerKind("client-cert-missing", .refused(.clientCertificateRejected, "certificate required")) {
                $0.peer = .scripted(wantingClients)
            }),
    ]

    private static var wantingClients: TestServer.Options {
        var options = TestServer.Options()
        (options.requiresClientCertificate, options.tlsVersion) = (true, .v13)
        return options
    }

    private static let plain = [
        BadSSLHost(
            "http", "http-textarea", "http-password", "http-login", "http-dynamic-login", "http-credit-card",
            wish: .either,
            made: "no TLS", ServerKind("http", .accepted) { $0.peer = .plain },
            remark: "a URL with http is requested as it is; https never becomes http by a redirect"),
        BadSSLHost(
            notApplicable: "hsts", "upgrade", "preloaded-hsts", "https-everywhere",
            because: "the library has no list of hosts that require https, and ignores it in responses"),
        BadSSLHost(
            notApplicable: "mixed", "mixed-script", "very", "mixed-favicon", "mixed-form", "spoofed-favicon",
            "lock-title",
            because: "pages are not shown, and their resources are not loaded"),
    ]
}
