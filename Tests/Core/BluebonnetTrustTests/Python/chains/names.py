# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""Name constraints and alternative names: x509-limbo's rfc5280::nc::… and rfc5280::san::…."""
import der
from certificates import alternative_names, authority, ec_key, extension, general_name, leaf, name_constraints
from table import FAILURE, SUCCESS, case


def make():
    of_the_root()
    odd_constraints()
    of_intermediates()
    two_ways()
    alternative()


def constrained(identifier, expected, permitted, excluded, names, host, prefix="rfc5280::nc::", **change):
    """A root with constraints, and a server under it with these names."""
    root = authority(nc=name_constraints(permitted, excluded))
    case(prefix + identifier, expected, leaf(root, names, **change), root, host=host)


def of_the_root():
    domain, host = ["dns:example.com"], "example.com"
    constrained("permitted-dns-mismatch", FAILURE, domain, None, ["dns:not-example.com"], "not-example.com")
    constrained("permitted-dns-match", SUCCESS, domain, None, domain, host)
    constrained("permitted-dns-match-more", SUCCESS, domain, None, ["dns:foo.bar.example.com"], "foo.bar.example.com")
    constrained("excluded-dns-match-second", FAILURE, None, ["dns:not-allowed.example.com"],
                ["dns:example.com", "dns:not-allowed.example.com"], host)
    constrained("excluded-match-permitted-and-excluded", FAILURE, domain, domain, domain, host)
    four, six = ["ip:192.0.2.0/24"], ["ip:::1/128"]
    constrained("permitted-ip-mismatch", FAILURE, four, None, ["ip:192.0.3.1"], "192.0.3.1")
    constrained("permitted-ipv4-match", SUCCESS, four, None, ["ip:192.0.2.1"], "192.0.2.1")
    constrained("permitted-ipv6-match", SUCCESS, six, None, ["ip:::1"], "::1")
    constrained("excluded-ipv4-match", FAILURE, None, four, ["ip:192.0.2.1"], "192.0.2.1")
    constrained("excluded-ipv6-match", FAILURE, None, six, ["ip:::1"], "::1")
    constrained("permitted-different-constraint-type", SUCCESS, four, None, domain, host)
    constrained("excluded-different-constraint-type", SUCCESS, None, four, domain, host)
    foo, other = ["dn:CN=foo"], ["dn:CN=not-foo"]
    for identifier, expected, permitted, excluded, subject, names in (
        ("permitted-dn-mismatch", FAILURE, foo, None, "CN=not-foo", other),
        ("excluded-dn-match", FAILURE, None, foo, "CN=foo", foo),
        ("permitted-dn-match", SUCCESS, foo, None, "CN=foo", foo),
        ("permitted-dn-match-subject-san-mismatch", FAILURE, foo, None, "CN=not-foo", foo),
        ("excluded-dn-match-sub-mismatch", FAILURE, None, foo, "CN=foo", other),
    ):
        constrained(identifier, expected, permitted, excluded, names, None, subject=subject)
    own = "own::nc-"
    constrained("uri-permitted", SUCCESS, ["uri:.example.com"], None, ["uri:https://a.example.com/", "dns:example.com"],
                host, own)
    constrained("uri-not-permitted", FAILURE, ["uri:example.com"], None,
                ["uri:https://a.example.org/", "dns:example.com"], host, own)
    constrained("uri-excluded", FAILURE, None, ["uri:.example.com"], ["uri:https://a.example.com/", "dns:example.com"],
                host, own)
    constrained("uri-without-a-host", FAILURE, ["uri:example.com"], None, ["uri:urn:example", "dns:example.com"],
                host, own)
    constrained("email-not-permitted", FAILURE, ["email:example.com"], None,
                ["email:a@example.org", "dns:example.com"], host, own)
    constrained("email-permitted", SUCCESS, ["email:example.com"], None, ["email:a@example.com", "dns:example.com"],
                host, own)
    constrained("dns-in-capitals", SUCCESS, ["dns:EXAMPLE.com"], None, domain, host, own)
    constrained("dns-excluded-in-capitals", FAILURE, None, ["dns:EXAMPLE.com"], domain, host, own)
    constrained("dns-that-ends-alike", FAILURE, domain, None, ["dns:badexample.com"], "badexample.com", own)
    constrained("everything-excluded", FAILURE, None, ["dns:"], domain, host, own)
    constrained("everything-permitted", SUCCESS, ["dns:"], None, domain, host, own)
    constrained("all-addresses-excluded", SUCCESS, domain, ["ip:0.0.0.0/0", "ip:::/0"], domain, host, own)
    constrained("wildcard-below-permitted", SUCCESS, domain, None, ["dns:*.example.com"], "a.example.com", own)
    constrained("wildcard-below-excluded", FAILURE, None, domain, ["dns:*.example.com"], "a.example.com", own)
    # The common name never counts as a server name (RFC 9525, 2).
    constrained("common-name-is-no-name", SUCCESS, domain, None, domain, host, own, subject="CN=not-example.org")
    constrained("common-name-beside-an-address", SUCCESS, domain, None, ["ip:192.0.2.1"], "192.0.2.1", own,
                subject="CN=not-example.org")


def odd_constraints():
    host, names = "foo.example.com", ["dns:foo.example.com"]
    constrained("invalid-dnsname-wildcard", FAILURE, ["dns:*.example.com"], None, names, host)
    constrained("invalid-dnsname-leading-period", FAILURE, ["dns:.example.com"], None, names, host)
    four, six = general_name("ip:127.0.0.1").hex(), general_name("ip:::1").hex()
    constrained("invalid-ipv4-address", FAILURE, ["raw:" + four], None, ["ip:127.0.0.1"], "127.0.0.1")
    constrained("invalid-ipv6-address", FAILURE, ["raw:" + six], None, ["ip:::1"], "::1")
    holes = der.context(7, bytes([10, 0, 0, 0, 255, 0, 255, 0]), constructed=False).hex()
    constrained("mask-with-holes", FAILURE, ["raw:" + holes], None, ["ip:10.1.0.1"], "10.1.0.1", "own::nc-")
    constrained("of-a-kind-that-nobody-knows", FAILURE, ["raw:" + der.context(8, der.oid("1.2.3"), False).hex()], None,
                ["raw:" + der.context(8, der.oid("1.2.3"), False).hex(), "dns:example.com"], "example.com", "own::nc-")
    root = authority()
    for words, critical in (("noncritical", False), ("critical", True)):
        own = name_constraints(["dns:example.com"], critical=critical)
        case(f"rfc5280::nc::not-allowed-in-ee-{words}", FAILURE, leaf(root, extra=[own]), root)
    permitted = name_constraints(["dns:example.com"], critical=False)
    lax = authority(nc=permitted)
    case("rfc5280::nc::permitted-dns-match-noncritical", FAILURE, leaf(lax), lax)
    case("webpki::nc::permitted-dns-match-noncritical", SUCCESS, leaf(lax), lax)
    strict = authority(nc=name_constraints(["dns:example.org"], critical=False))
    case("own::nc-counts-although-it-is-not-critical", FAILURE, leaf(strict), strict)
    for identifier, constraints in (
        ("intermediate-permitted-excluded-subtrees-both-null", name_constraints(None, None)),
        ("intermediate-permitted-excluded-subtrees-both-empty-sequences", name_constraints([], [])),
    ):
        intermediate = authority(parent=root, nc=constraints)
        case("webpki::nc::" + identifier, FAILURE, leaf(intermediate), root, [intermediate])
    broken = authority(parent=root, nc=extension("2.5.29.30", b"broken", True))
    case("own::nc-that-cannot-be-read", FAILURE, leaf(broken), root, [broken])
    tree = der.sequence(general_name("dns:example.com"), der.context(0, b"\x01", constructed=False))
    minimum = authority(parent=root, nc=extension("2.5.29.30", der.sequence(der.context(0, tree)), True))
    case("own::nc-with-a-minimum", FAILURE, leaf(minimum), root, [minimum])


def of_intermediates():
    root = authority()
    first = authority(parent=root, nc=name_constraints(None, ["dns:example.com"]))
    case("rfc5280::nc::excluded-dns-match", FAILURE, leaf(first), root, [first])

    def chain(identifier, expected, parents, names, host):
        case("rfc5280::nc::" + identifier, expected, leaf(parents[-1], names), parents[0], parents[1:], host=host)

    both = name_constraints(["dns:permitted.example.com"], ["dns:forbidden.example.com"])
    forbidden = alternative_names("dns:forbidden.example.com")
    names, host = ["dns:permitted.example.com"], "permitted.example.com"
    first = authority(parent=root, nc=both)
    second = authority(parent=first, san=forbidden)
    chain("intermediate-with-san-rejected-by-intermediate-nc", FAILURE, [root, first, second], names, host)
    strict = authority(nc=both)
    first = authority(parent=strict)
    second = authority(parent=first, san=forbidden)
    chain("intermediate-with-san-rejected-by-root-nc", FAILURE, [strict, first, second], names, host)
    foo, bar = "dns:foo.example.com", "dns:bar.example.com"
    for identifier, above, below in (
        ("narrows", [foo, bar], [bar]), ("widens", [bar], [foo, bar]),
    ):
        first = authority(parent=root, nc=name_constraints(above))
        second = authority(parent=first, nc=name_constraints(below))
        chain("restrictive-permits-in-intermediates-" + identifier, FAILURE, [root, first, second], [foo],
              "foo.example.com")
    first = authority(parent=root, nc=name_constraints(["dns:example.com"]))
    chain("nc-permits-invalid-dns-san", FAILURE, [root, first], ["dns:.example.com", foo], "foo.example.com")
    second = authority(parent=root, nc=name_constraints(["ip:192.0.2.0/24"]))
    chain("nc-permits-invalid-ip-san", FAILURE, [root, second], ["ip:192.0.2.0/24", "ip:192.0.2.1"], "192.0.2.1")
    same = "CN=not-example.com"
    own = alternative_names("dns:not-example.com")
    strict = authority(same, nc=name_constraints(["dns:example.com"]), san=own)
    rollover = authority(same, strict, san=own)
    chain("permitted-self-issued", SUCCESS, [strict, rollover], ["dns:example.com"], "example.com")
    strict = authority(nc=name_constraints(["dns:example.com"]))
    issuer = authority(same, strict)
    peer = leaf(issuer, own, subject=same)
    case("rfc5280::nc::excluded-self-issued-leaf", FAILURE, peer, strict, [issuer], host="not-example.com")


def two_ways():
    """One logical intermediate with two certificates, of which one leads to a root that forbids it."""
    key, subject = ec_key(), "CN=an-intermediate"
    forbidden = alternative_names("dns:forbidden.example.com")
    lost, trusted = authority(), authority()
    strict = authority(
        parent=trusted, nc=name_constraints(["dns:permitted.example.com"], ["dns:forbidden.example.com"]))
    one = authority(subject, lost, key, san=forbidden)
    two = authority(subject, strict, key)
    peer = leaf(one, ["dns:permitted.example.com"])
    case("rfc5280::nc::nc-forbids-alternate-chain-ica", SUCCESS, peer, trusted, [strict, one, two],
         host="permitted.example.com")
    first, second = authority(), authority()
    strict = authority(parent=first, nc=name_constraints(None, ["dns:forbidden.example.com"]))
    one = authority(subject, strict, key, san=forbidden)
    two = authority(subject, second, key, san=alternative_names("dns:unconstrained-ica.example.com"))
    peer = leaf(one, ["dns:unconstrained.example.com"])
    case("rfc5280::nc::nc-forbids-same-chain-ica", SUCCESS, peer, [first, second], [strict, one, two],
         host="unconstrained.example.com")


def alternative():
    root = authority()

    def server(identifier, expected, names, host, **change):
        case(identifier, expected, leaf(root, names, **change), root, host=host)

    server("rfc5280::san::malformed", FAILURE, extension("2.5.29.17", b"malformed"), "example.com")
    server("rfc5280::san::noncritical-with-empty-subject", FAILURE, ["dns:example.com"], "example.com", subject="")
    server("own::san-critical-with-empty-subject", SUCCESS, alternative_names("dns:example.com", critical=True),
           "example.com", subject="")
    server("rfc5280::san::underscore-dns", SUCCESS, ["dns:a_b.example.com"], "a_b.example.com")
    server("own::san-empty", FAILURE, extension("2.5.29.17", der.sequence()), "example.com")
    server("own::san-of-addresses-and-names", SUCCESS, ["ip:192.0.2.1", "dns:example.com"], "192.0.2.1")
    server("own::san-other-kinds-only", FAILURE, ["email:a@example.com", "uri:https://example.com/"], "example.com")
    server("own::san-dns-name-with-an-end-in-its-middle", FAILURE, ["dns:example.com\0.evil.example"], "example.com")
    principal = der.context(0, der.oid("1.3.6.1.4.1.311.20.2.3") + der.context(0, der.utf8("example.com")))
    server("cve::cve-2024-6119-other-name-before-the-name", SUCCESS, ["raw:" + principal.hex(), "dns:example.com"],
           "example.com")
    server("cve::cve-2024-6119-other-name-only", FAILURE, ["raw:" + principal.hex()], "example.com")
