# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""The rules of the web's authorities (CA/Browser Forum): x509-limbo's webpki::…."""
import der
from certificates import (
    ANY, CERTIFICATES, CODE, EMAIL, OCSP, PRECERTIFICATE, SERVER, CLIENT, SIGNATURE, STAMP, alternative_names,
    authority, basic_constraints, extended_key_usage, extension, key_usage, leaf,
)
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from table import FAILURE, SUCCESS, case


def make():
    server_names()
    common_names()
    purposes()
    keys()
    digests()
    rest()


def server_names():
    root = authority()
    for identifier, expected, san, host in (
        ("exact-dns-san", SUCCESS, "dns:example.com", "example.com"),
        ("exact-localhost-ip-san", SUCCESS, "ip:127.0.0.1", "127.0.0.1"),
        ("mismatch-domain-san", FAILURE, "dns:example.com", "example2.com"),
        ("mismatch-subdomain-san", FAILURE, "dns:abc.example.com", "def.example.com"),
        ("mismatch-subdomain-apex-san", FAILURE, "dns:example.com", "abc.example.com"),
        ("mismatch-apex-subdomain-san", FAILURE, "dns:abc.example.com", "example.com"),
        ("public-suffix-wildcard-san", FAILURE, "dns:*.com", "example.com"),
        ("leftmost-wildcard-san", SUCCESS, "dns:*.example.com", "foo.example.com"),
        ("wildcard-embedded-leftmost-san", FAILURE, "dns:ba*.example.com", "baz.example.com"),
        ("wildcard-not-in-leftmost-san", FAILURE, "dns:foo.*.example.com", "foo.bar.example.com"),
        ("wildcard-match-across-labels-san", FAILURE, "dns:*.example.com", "foo.bar.example.com"),
        ("wildcard-embedded-ulabel-san", FAILURE, "dns:xn--*-1b3c148a.example.com", "xn--bliss-1b3c148a.example.com"),
        ("unicode-emoji-san", FAILURE, "dns:\U0001F61C.example.com", "xn--628h.example.com"),
    ):
        case("webpki::san::" + identifier, expected, leaf(root, [san]), root, host=host)
    for identifier, expected, san, host in (
        ("wildcard-does-not-stand-for-nothing", FAILURE, "dns:*.example.com", "example.com"),
        ("wildcard-of-a-registry-of-two-labels", FAILURE, "dns:*.co.uk", "example.co.uk"),
        ("wildcard-alone", FAILURE, "dns:*", "example"),
        ("wildcard-twice", FAILURE, "dns:*.*.example.com", "a.b.example.com"),
        ("wildcard-for-an-international-label", SUCCESS, "dns:*.example.com", "xn--bcher-kva.example.com"),
        ("name-in-capitals", SUCCESS, "dns:EXAMPLE.com", "example.com"),
        ("host-in-capitals", SUCCESS, "dns:example.com", "EXAMPLE.com"),
        ("host-with-a-dot-behind", SUCCESS, "dns:example.com", "example.com."),
        ("name-with-a-dot-behind", FAILURE, "dns:example.com.", "example.com"),
        ("name-of-one-label", SUCCESS, "dns:localhost", "localhost"),
        ("address-as-a-name", FAILURE, "dns:192.0.2.1", "192.0.2.1"),
        ("wildcard-for-an-address", FAILURE, "dns:*.0.2.1", "192.0.2.1"),
        ("address-with-another-spelling", SUCCESS, "ip:2001:db8::1", "2001:0DB8:0::0001"),
        ("address-of-the-other-family", FAILURE, "ip:::ffff:192.0.2.1", "192.0.2.1"),
    ):
        case("own::" + identifier, expected, leaf(root, [san]), root, host=host)
    case("webpki::san::no-san", FAILURE, leaf(root, None, subject="CN=example.com"), root)
    case("webpki::san::san-critical-with-nonempty-subject", FAILURE,
         leaf(root, alternative_names("dns:example.com", critical=True), subject="CN=something-else"), root)
    case("own::wrong-san-beside-the-right-common-name", FAILURE,
         leaf(root, ["dns:example.org"], subject="CN=example.com"), root)
    case("own::address-in-the-common-name-only", FAILURE, leaf(root, None, subject="CN=192.0.2.1"), root,
         host="192.0.2.1")


def common_names():
    root = authority()
    for identifier, subject, san, host in (
        ("ipv4-hex-mismatch", "0xC0A80101", "ip:192.168.1.1", "192.168.1.1"),
        ("ipv4-leading-zeros-mismatch", "192.168.001.001", "ip:192.168.1.1", "192.168.1.1"),
        ("ipv6-uppercase-mismatch", "2001:DB8::8A2E:370:7334", "ip:2001:db8::8a2e:370:7334", "2001:db8::8a2e:370:7334"),
        ("ipv6-uncompressed-mismatch", "2001:0db8:0000:0000:0000:0000:0000:0001", "ip:2001:db8::1", "2001:db8::1"),
        ("ipv6-non-rfc5952-mismatch", "2001:db8:0:0:1:0:0:1", "ip:2001:db8::1:0:0:1", "2001:db8::1:0:0:1"),
        ("punycode-not-in-san", "xn--nxasmq6b.com", "dns:xn--n3h.com", "xn--n3h.com"),
        ("utf8-vs-punycode-mismatch", "test-\u6e2c\u8a66.com", "dns:xn--test--wg5h0h.com", "xn--test--wg5h0h.com"),
        ("not-in-san", "notinsan.example.com", "dns:valid.example.com", "valid.example.com"),
        ("case-mismatch", "Example.COM", "dns:example.com", "example.com"),
    ):
        case("webpki::cn::cabf-cn-" + identifier, FAILURE, leaf(root, [san], subject="CN=" + subject), root, host=host)


def purposes():
    root = authority()
    for identifier, expected, usage in (
        ("ee-anyeku", FAILURE, extended_key_usage(SERVER, ANY)),
        ("ee-critical-eku", FAILURE, extended_key_usage(SERVER, critical=True)),
        ("ee-without-eku", FAILURE, None),
        ("ee-clientauth-only", FAILURE, extended_key_usage(CLIENT)),
        ("ee-precertificate-only", FAILURE, extended_key_usage(PRECERTIFICATE)),
        ("ee-precertificate-with-serverauth", FAILURE, extended_key_usage(SERVER, PRECERTIFICATE)),
        ("ee-serverauth-with-additional", SUCCESS, extended_key_usage(SERVER, CLIENT)),
        ("ee-codesigning-with-serverauth", FAILURE, extended_key_usage(SERVER, CODE)),
        ("ee-emailprotection-with-serverauth", FAILURE, extended_key_usage(SERVER, EMAIL)),
        ("ee-timestamping-with-serverauth", FAILURE, extended_key_usage(SERVER, STAMP)),
        ("ee-ocspsigning-with-serverauth", FAILURE, extended_key_usage(SERVER, OCSP)),
    ):
        case("webpki::eku::" + identifier, expected, leaf(root, eku=usage), root)
    odd = authority(eku=extended_key_usage(SERVER))
    case("webpki::eku::root-has-eku", FAILURE, leaf(odd), odd)
    case("own::anyeku-only", FAILURE, leaf(root, eku=extended_key_usage(ANY)), root)


def keys():
    root = authority()
    short, odd = rsa.generate_private_key(65537, 1024), rsa.generate_private_key(65537, 2052)
    good, signer = rsa.generate_private_key(65537, 2048), dsa.generate_private_key(2048)
    for identifier, expected, key in (
        ("webpki::forbidden-p192-leaf", FAILURE, ec.generate_private_key(ec.SECP192R1())),
        ("webpki::forbidden-dsa-leaf", FAILURE, signer),
        ("webpki::forbidden-weak-rsa-in-leaf", FAILURE, short),
        ("webpki::forbidden-rsa-key-not-divisable-by-8-in-leaf", FAILURE, odd),
        ("own::key-rsa-2048", SUCCESS, good),
        ("own::key-p384", SUCCESS, ec.generate_private_key(ec.SECP384R1())),
        ("own::key-p224", FAILURE, ec.generate_private_key(ec.SECP224R1())),
        ("own::key-ed25519", SUCCESS, ed25519.Ed25519PrivateKey.generate()),
    ):
        case(identifier, expected, leaf(root, key=key), root)
    for identifier, expected, key in (
        ("webpki::forbidden-p192-root", FAILURE, ec.generate_private_key(ec.SECP192R1())),
        ("webpki::forbidden-dsa-root", FAILURE, signer),
        ("webpki::forbidden-weak-rsa-key-in-root", FAILURE, short),
        ("webpki::forbidden-rsa-not-divisable-by-8-in-root", FAILURE, odd),
        ("own::root-rsa-2048", SUCCESS, good),
    ):
        authority_ = authority(key=key)
        case(identifier, expected, leaf(authority_), authority_)
    intermediate = authority(parent=root, key=short)
    case("own::intermediate-rsa-1024", FAILURE, leaf(intermediate), root, [intermediate])


def digests():
    key = rsa.generate_private_key(65537, 2048)
    root, small = authority(), authority(key=key)
    case("own::sha1-leaf-ecdsa", FAILURE, leaf(root, digest="sha1"), root)
    case("own::sha1-leaf-rsa", FAILURE, leaf(small, digest="sha1"), small)
    case("own::md5-leaf-rsa", FAILURE, leaf(small, digest="md5"), small)
    intermediate = authority(parent=root, digest="sha1")
    case("own::sha1-intermediate", FAILURE, leaf(intermediate), root, [intermediate])
    old = authority(digest="sha1")
    case("own::sha1-root", SUCCESS, leaf(old), old)


def rest():
    root = authority()
    case("webpki::v1-cert", FAILURE, leaf(root, version=1, bare=True), root)
    case("own::v1-cert-without-a-name-to-compare", FAILURE, leaf(root, version=1, bare=True), root, host=None)
    case("own::v3-extensions-in-version-1", FAILURE, leaf(root, version=1), root)
    case("webpki::ee-basicconstraints-ca", FAILURE, leaf(root, bc=basic_constraints(True)), root)
    case("own::leaf-that-is-an-authority", FAILURE,
         leaf(root, bc=basic_constraints(True), ku=key_usage(SIGNATURE, CERTIFICATES)), root)
    case("webpki::malformed-aia", FAILURE, leaf(root, extra=[extension("1.3.6.1.5.5.7.1.1", b"malformed")]), root)
    empty = extension("1.3.6.1.5.5.7.1.1", der.sequence())
    case("own::aia-empty", FAILURE, leaf(root, extra=[empty]), root)
    case("own::self-signed-and-not-trusted", FAILURE, (alone := authority(
        ku=key_usage(SIGNATURE, CERTIFICATES), san=alternative_names("dns:example.com"))), root)
    case("own::self-signed-and-trusted", SUCCESS, alone, alone)
