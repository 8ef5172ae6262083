// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Cases with a result other than expected, and the reason. OpenSSL 3.0 decides these cases.
struct ChainDifference: Sendable {
    let reason: String
    let identifiers: Set<String>

    private init(_ reason: String, _ prefix: String = "", _ identifiers: String...) {
        self.reason = reason
        self.identifiers = Set(identifiers.map { $0.contains("::") ? $0 : prefix + $0 })
    }

    /// The difference that lists a case.
    static func of(_ one: ChainCase) -> ChainDifference? {
        all.first { $0.identifiers.contains(one.identifier) }
    }

    static let all = stricter + formsOfAuthorities + formsOfServers

    private static let stricter = [
        ChainDifference(
            "only one chain is built, with the first issuer that matches by name, key identifier and dates; if it is "
                + "refused, no other chain is tried",
            "bettertls::pathbuilding::", "unknown-root-first", "path-too-short-first",
            "unknown-critical-extension-first", "name-constraints-first", "sha1-first", "broken-signature-first",
            "no-authority-first", "no-basic-constraints-first", "no-usage-first",
            "rfc5280::nc::nc-forbids-alternate-chain-ica", "rfc5280::nc::nc-forbids-same-chain-ica"),
        ChainDifference(
            "a certificate has expired in its last second",
            "rfc5280::validity::", "notafter-exact", "notafter-fractional"),
        ChainDifference(
            "a key that may only sign certificates is not accepted for a server",
            "pathlen::", "validation-ignores-pathlen-in-leaf"
        ),
        ChainDifference(
            "without a dNSName, a common name in the form of a host name is compared with name constraints", "own::",
            "nc-common-name-beside-an-address"),
    ]

    private static let formsOfAuthorities = [
        ChainDifference(
            "key identifiers are optional; an identifier that is present must match the issuer; a root's identifiers "
                + "of itself are not read",
            "webpki::aki::", "root-with-aki-missing-keyidentifier",
            "root-with-aki-authoritycertissuer", "root-with-aki-authoritycertserialnumber", "root-with-aki-all-fields",
            "root-with-aki-ski-mismatch", "rfc5280::aki::leaf-missing-aki", "rfc5280::aki::intermediate-missing-aki",
            "rfc5280::aki::cross-signed-root-missing-aki", "rfc5280::ski::root-missing-ski",
            "rfc5280::ski::intermediate-missing-ski"),
        ChainDifference(
            "basic constraints need not be critical, a root may have key usage instead, and an authority needs no name",
            "rfc5280::", "ca-empty-subject", "root-missing-basic-constraints",
            "root-non-critical-basic-constraints", "own::intermediate-noncritical-basic-constraints"),
        ChainDifference(
            "name constraints count in every form that can be compared, also when they are not critical, and empty "
                + "ones permit everything",
            "rfc5280::nc::", "invalid-dnsname-leading-period",
            "permitted-dns-match-noncritical",
            "nc-permits-invalid-dns-san", "own::nc-mask-with-holes",
            "webpki::nc::intermediate-permitted-excluded-subtrees-both-null",
            "webpki::nc::intermediate-permitted-excluded-subtrees-both-empty-sequences"),
        ChainDifference(
            "a key of any kind and length is accepted if it has 112 bits of strength (Debian's level 2)", "webpki::",
            "forbidden-dsa-root", "forbidden-dsa-leaf", "forbidden-rsa-not-divisable-by-8-in-root",
            "forbidden-rsa-key-not-divisable-by-8-in-leaf", "own::key-p224"),
    ]

    private static let formsOfServers = [
        ChainDifference(
            "common names are not read", "webpki::cn::cabf-cn-", "ipv4-hex-mismatch",
            "ipv4-leading-zeros-mismatch",
            "ipv6-uppercase-mismatch", "ipv6-uncompressed-mismatch", "ipv6-non-rfc5952-mismatch", "punycode-not-in-san",
            "utf8-vs-punycode-mismatch", "not-in-san", "case-mismatch"),
        ChainDifference(
            "a server's certificate may have further purposes, and has all if it names none (as in "
                + "`rfc5280::eku::ee-without-eku`)",
            "webpki::eku::", "ee-anyeku", "ee-critical-eku", "ee-without-eku",
            "ee-precertificate-with-serverauth", "ee-codesigning-with-serverauth", "ee-emailprotection-with-serverauth",
            "ee-timestamping-with-serverauth", "ee-ocspsigning-with-serverauth", "root-has-eku"),
        ChainDifference(
            "a server's certificate may be marked as an authority; certificates that it issues are checked separately",
            "own::",
            "leaf-path-length", "leaf-that-is-an-authority", "rfc5280::leaf-ku-keycertsign",
            "webpki::ee-basicconstraints-ca"),
        ChainDifference(
            "extensions without influence on the decision are not read, nor is the version of a certificate with "
                + "extensions",
            "own::",
            "duplicate-unknown-extension", "aia-empty", "v3-extensions-in-version-1",
            "v1-cert-without-a-name-to-compare",
            "webpki::malformed-aia", "rfc5280::pc::ica-noncritical-pc", "rfc5280::nc::not-allowed-in-ee-noncritical",
            "rfc5280::nc::not-allowed-in-ee-critical"),
        ChainDifference(
            "serial numbers are not checked", "rfc5280::serial::", "too-long", "zero", "own::serial-negative"),
        ChainDifference(
            "whether alternative names are critical is not compared with the subject", "rfc5280::san::",
            "noncritical-with-empty-subject", "webpki::san::san-critical-with-nonempty-subject"),
        ChainDifference(
            "a wildcard must be followed by two labels, which may be a public suffix", "own::",
            "wildcard-of-a-registry-of-two-labels"),
    ]
}
