# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""RFC 5280's profile of certificates: x509-limbo's rfc5280::…, but names, and pathlen::…."""
from datetime import datetime, timezone

import der
from certificates import (
    CERTIFICATES, CLIENT, ANY, LISTS, SERVER, SIGNATURE, alternative_names, authority, authority_key,
    basic_constraints, ec_key, extended_key_usage, extension, key_identifier, key_usage, leaf, subject_key,
)
from table import FAILURE, SUCCESS, case

UNKNOWN = "1.3.6.1.4.1.55738.666.1"
ACCESS = "1.3.6.1.5.5.7.1.1"


def make():
    issuers()
    constraints_and_usages()
    extensions()
    key_identifiers()
    purposes()
    serial_numbers()
    dates()
    path_lengths()


def issuers():
    root = authority()
    case("rfc5280::ee-empty-issuer", FAILURE, leaf(root, issuer=""), root)
    nameless = authority(subject="")
    case("rfc5280::ca-empty-subject", FAILURE, leaf(nameless), nameless)
    intermediate = authority(parent=root, path_length=0)
    case("rfc5280::chain-untrusted-root", FAILURE, leaf(intermediate), authority(), [root, intermediate])
    case("own::intermediate", SUCCESS, leaf(intermediate), root, [intermediate])
    case("own::intermediate-missing", FAILURE, leaf(intermediate), root)
    intermediate = authority(parent=root)
    below = authority(parent=intermediate)
    case("own::intermediates-in-any-order", SUCCESS, leaf(below), root, [root, below, intermediate])
    case("own::signature-broken", FAILURE, leaf(root, breaks=True), root)
    broken = authority(parent=root, breaks=True)
    case("own::signature-of-intermediate-broken", FAILURE, leaf(broken), root, [broken])
    case("own::signed-with-another-key", FAILURE, leaf(root, signer=ec_key()), root)
    # A root's own signature proves nothing (RFC 5280, 6.1: the root is an input, not a part of the path).
    odd = authority(breaks=True)
    case("own::signature-of-root-broken", SUCCESS, leaf(odd), odd)
    case("rfc5280::mismatching-signature-algorithm", FAILURE,
         leaf(root, outer=der.sequence(der.oid("1.2.840.10045.4.3.3"))), root)
    case("own::trusted-leaf-without-its-issuer", SUCCESS, (alone := leaf(root)), alone)


def constraints_and_usages():
    root = authority()

    def below(identifier, expected, **change):
        intermediate = authority(parent=root, **change)
        case(identifier, expected, leaf(intermediate), root, [intermediate])

    below("rfc5280::intermediate-ca-without-ca-bit", FAILURE, bc=basic_constraints(False))
    below("rfc5280::intermediate-ca-missing-basic-constraints", FAILURE, bc=None)
    below("own::intermediate-noncritical-basic-constraints", FAILURE, bc=basic_constraints(True, critical=False))
    below("rfc5280::ica-ku-keycertsign", FAILURE, path_length=0, ku=key_usage(critical=False))
    below("own::intermediate-usage-of-lists-only", FAILURE, ku=key_usage(LISTS))
    below("own::intermediate-without-usage", SUCCESS, ku=None)
    below("own::intermediate-of-version-1", FAILURE, version=1, bc=None, ku=None, ski=None, aki=None)
    for identifier, change in (
        ("rfc5280::root-missing-basic-constraints", {"bc": None}),
        ("rfc5280::root-non-critical-basic-constraints", {"bc": basic_constraints(True, critical=False)}),
        ("rfc5280::root-inconsistent-ca-extensions", {"ku": key_usage(critical=False)}),
        ("own::root-that-is-no-authority", {"bc": basic_constraints(False), "ku": key_usage(SIGNATURE)}),
    ):
        odd = authority(**change)
        case(identifier, FAILURE, leaf(odd), odd)
    old = authority(version=1, bc=None, ku=None, ski=None, aki=None)
    case("own::root-of-version-1", SUCCESS, leaf(old), old)
    server = leaf(root, bc=basic_constraints(False), subject="CN=server")
    case("cve::cve-2002-0862-server-as-issuer", FAILURE, leaf(server), root, [server])
    case("rfc5280::leaf-ku-keycertsign", FAILURE,
         leaf(root, bc=basic_constraints(False), ku=key_usage(SIGNATURE, CERTIFICATES, critical=False)), root)
    case("rfc5280::no-keyusage", SUCCESS, leaf(root, ku=None), root)
    case("rfc5280::no-basicconstraints", SUCCESS, leaf(root, bc=None), root)
    case("own::leaf-basic-constraints", SUCCESS, leaf(root, bc=basic_constraints(False)), root)
    case("own::leaf-path-length", FAILURE, leaf(root, bc=basic_constraints(False, 0)), root)


def extensions():
    root = authority()
    critical, passing = extension(UNKNOWN, b"", True), extension(UNKNOWN, b"")
    case("rfc5280::unknown-critical-extension-ee", FAILURE, leaf(root, extra=[critical]), root)
    case("own::unknown-extension-ee", SUCCESS, leaf(root, extra=[passing]), root)
    odd = authority(extra=[critical])
    case("rfc5280::unknown-critical-extension-root", FAILURE, leaf(odd), odd)
    intermediate = authority(parent=root, path_length=0, extra=[critical])
    case("rfc5280::unknown-critical-extension-intermediate", FAILURE, leaf(intermediate), root, [intermediate])
    access = der.sequence(der.sequence(
        der.oid("1.3.6.1.5.5.7.48.2"), der.context(2, b"example.com", constructed=False)))
    case("rfc5280::ee-aia", SUCCESS, leaf(root, extra=[extension(ACCESS, access)]), root)
    case("rfc5280::ee-critical-aia-invalid", FAILURE, leaf(root, extra=[extension(ACCESS, access, True)]), root)
    twice = alternative_names("dns:example.com")
    case("rfc5280::duplicate-extensions", FAILURE, leaf(root, twice, extra=[twice]), root)
    case("own::duplicate-unknown-extension", FAILURE, leaf(root, extra=[passing, passing]), root)
    policies = extension("2.5.29.36", der.sequence(der.context(0, b"\x00", constructed=False)))
    intermediate = authority(parent=root, extra=[policies])
    case("rfc5280::pc::ica-noncritical-pc", FAILURE, leaf(intermediate), root, [intermediate])
    case("own::extension-of-no-bytes", FAILURE, leaf(root, bc=extension("2.5.29.19", b"", True)), root)


def key_identifiers():
    root = authority()

    def of_root(identifier, expected, **change):
        odd = authority(**change)
        case(identifier, expected, leaf(odd), odd)

    key = ec_key()
    own = key_identifier(key)
    of_root("rfc5280::aki::critical-aki", FAILURE, key=key, aki=authority_key(own, critical=True))
    case("rfc5280::aki::leaf-missing-aki", FAILURE, leaf(root, aki=None), root)
    intermediate = authority(parent=root, path_length=0, aki=None)
    case("rfc5280::aki::intermediate-missing-aki", FAILURE, leaf(intermediate), root, [intermediate])
    of_root("rfc5280::aki::self-signed-root-missing-aki", SUCCESS, aki=None)
    crossed = authority(parent=root, path_length=0, aki=None)
    case("rfc5280::aki::cross-signed-root-missing-aki", FAILURE, leaf(crossed), crossed)
    case("own::leaf-aki-of-another-key", FAILURE, leaf(root, aki=authority_key(b"another key")), root)
    case("own::leaf-aki-of-another-serial-number", FAILURE,
         leaf(root, aki=authority_key(issuer="dn:" + root.subject, serial=root.serial + 1)), root)
    of_root("rfc5280::ski::critical-ski", FAILURE, key=key, ski=subject_key(own, critical=True))
    of_root("rfc5280::ski::root-missing-ski", FAILURE, ski=None)
    intermediate = authority(parent=root, ski=None)
    case("rfc5280::ski::intermediate-missing-ski", FAILURE, leaf(intermediate), root, [intermediate])
    of_root("webpki::aki::root-with-aki-missing-keyidentifier", FAILURE, key=key, subject="CN=root",
            aki=authority_key(issuer="dn:CN=root", serial=77), serial=77)
    of_root("webpki::aki::root-with-aki-authoritycertissuer", FAILURE, key=key, subject="CN=root",
            aki=authority_key(own, issuer="dn:CN=root"))
    of_root("webpki::aki::root-with-aki-authoritycertserialnumber", FAILURE, key=key, serial=77,
            aki=authority_key(own, serial=77))
    of_root("webpki::aki::root-with-aki-all-fields", FAILURE, key=key, subject="CN=root", serial=77,
            aki=authority_key(own, issuer="dn:CN=root", serial=77))
    of_root("webpki::aki::root-with-aki-ski-mismatch", FAILURE, aki=authority_key(b"another key"))


def purposes():
    root = authority()
    for identifier, expected, usage in (
        ("ee-anyeku", SUCCESS, extended_key_usage(SERVER, ANY)),
        ("ee-critical-eku", SUCCESS, extended_key_usage(SERVER, critical=True)),
        ("ee-wrong-eku", FAILURE, extended_key_usage(CLIENT)),
        ("ee-without-eku", SUCCESS, None),
        ("ee-eku-empty", FAILURE, extended_key_usage()),
    ):
        case("rfc5280::eku::" + identifier, expected, leaf(root, eku=usage), root)
    for identifier, expected, usage in (
        ("intermediate-for-servers", SUCCESS, extended_key_usage(SERVER)),
        ("intermediate-for-clients", FAILURE, extended_key_usage(CLIENT)),
    ):
        intermediate = authority(parent=root, eku=usage)
        case("own::" + identifier, expected, leaf(intermediate), root, [intermediate])
    case("own::leaf-usage-of-certificates-only", FAILURE, leaf(root, ku=key_usage(CERTIFICATES)), root)


def serial_numbers():
    root = authority()
    for identifier, number in (
        ("rfc5280::serial::too-long", 1 << 168), ("rfc5280::serial::zero", 0), ("own::serial-negative", -1),
    ):
        case(identifier, FAILURE, leaf(root, serial=number), root)
    case("own::serial-of-20-bytes", SUCCESS, leaf(root, serial=(1 << 159) - 1), root)


def dates():
    def year(number, month=1):
        return datetime(number, month, 1, tzinfo=timezone.utc)

    for identifier, ends in (
        ("expired-root", (2020, 2026, 2023)), ("expired-intermediate", (2026, 2020, 2023)),
        ("expired-leaf", (2026, 2026, 2021)),
    ):
        root = authority(begin=year(2016), end=year(ends[0]))
        intermediate = authority(parent=root, begin=year(2016), end=year(ends[1]))
        peer = leaf(intermediate, begin=year(2018), end=year(ends[2]))
        case("rfc5280::validity::" + identifier, FAILURE, peer, root, [intermediate], at=year(2022).timestamp())
    begin, end = year(2024, 3), year(2024, 4)
    root = authority(begin=begin, end=end)
    intermediate = authority(parent=root, begin=begin, end=end)
    peer = leaf(intermediate, begin=begin, end=end)
    for identifier, expected, at in (
        ("rfc5280::validity::notbefore-exact", SUCCESS, begin.timestamp()),
        ("rfc5280::validity::notbefore-fractional", FAILURE, begin.timestamp() - 0.001),
        ("rfc5280::validity::notafter-exact", SUCCESS, end.timestamp()),
        ("rfc5280::validity::notafter-fractional", SUCCESS, end.timestamp() + 0.005),
        ("own::validity-a-second-too-early", FAILURE, begin.timestamp() - 1),
        ("own::validity-a-second-too-late", FAILURE, end.timestamp() + 1),
        ("own::validity-now-of-what-is-over", FAILURE, None),
    ):
        case(identifier, expected, peer, root, [intermediate], at=at)
    root = authority(end=year(9999))
    case("own::validity-until-9999", SUCCESS, leaf(root, end=year(9999)), root, at=year(2080).timestamp())
    case("own::validity-turned-round", FAILURE, leaf(root, begin=year(2030), end=year(2020)), root)


def path_lengths():
    root = authority()

    def chain(identifier, expected, *lengths):
        parents = [root]
        for length in lengths:
            parents.append(authority(parent=parents[-1], path_length=length))
        case("pathlen::" + identifier, expected, leaf(parents[-1]), root, parents[1:])

    for length in range(3):
        chain(f"ee-with-intermediate-pathlen-{length}", SUCCESS, length)
    chain("intermediate-violates-pathlen-0", FAILURE, 0, 0)
    chain("intermediate-pathlen-may-increase", SUCCESS, 1, 2)
    chain("intermediate-pathlen-too-long", FAILURE, 1, 0, 0)
    first = authority(parent=root, path_length=0)
    second = authority(parent=first, path_length=0, san=alternative_names("dns:example.com"))
    case("pathlen::validation-ignores-pathlen-in-leaf", SUCCESS, second, root, [first])
    first = authority(parent=root, path_length=1)
    second = authority(first.subject, first, path_length=1)
    third = authority(parent=second, path_length=0)
    case("pathlen::self-issued-certs-pathlen", SUCCESS, leaf(third), root, [first, second, third])
    short = authority(path_length=0)
    first = authority(parent=short)
    case("own::path-length-of-the-root", FAILURE, leaf(first), short, [first])
