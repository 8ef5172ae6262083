# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""More than one way, circles, and what takes long: x509-limbo's pathological::… and cve::…, and BetterTLS's path
building."""
import curve
import der
from certificates import (
    DAY, NOW, Certificate, alternative_names, authority, basic_constraints, ec_key, extension, key_usage, leaf,
    name_constraints,
)
from table import FAILURE, SUCCESS, case


def make():
    circles()
    long_chains()
    many_names()
    path_building()
    published_faults()


def cross(subject, key, issuer_subject, issuer_key, **rest):
    """A certificate for one authority by another, of which there need be no certificate."""
    return authority(subject, Certificate(b"", issuer_key, issuer_subject, 1), key, **rest)


def circles():
    root = authority()
    one, two = ec_key(), ec_key()
    first = cross("CN=circle 1", one, "CN=circle 2", two)
    second = cross("CN=circle 2", two, "CN=circle 1", one)
    case("pathological::intermediate-cycle-distinct-cas", FAILURE, leaf(first), root, [first, second])
    first = cross("CN=circle", one, "CN=circle", two)
    second = cross("CN=circle", two, "CN=circle", one)
    case("pathological::intermediate-cycle-same-logical-ca", FAILURE, leaf(first), root, [first, second])
    three = ec_key()
    ring = [cross(f"CN=ring {number}", key, f"CN=ring {(number + 1) % 3}", issuer)
            for number, (key, issuer) in enumerate(((one, two), (two, three), (three, one)))]
    case("own::circle-of-three", FAILURE, leaf(ring[0]), root, ring)
    trusted = authority("CN=ring 1", key=two)
    case("own::circle-of-three-that-a-root-leaves", SUCCESS, leaf(ring[0]), trusted, ring)
    expired = authority(root.subject, other := authority(), root.key, path_length=1, begin=NOW - 900 * DAY,
                        end=NOW - 300 * DAY)
    case("pathological::multiple-chains-expired-intermediate", SUCCESS, leaf(root), [root, other], [expired])
    many = authority(parent=root)
    case("own::same-intermediate-a-hundred-times", SUCCESS, leaf(many), root, [many] * 100)


def long_chains():
    def chain(count):
        parents = [authority()]
        for _ in range(count):
            parents.append(authority(parent=parents[-1]))
        return leaf(parents[-1]), parents[0], parents[1:]

    case("own::ten-intermediates", SUCCESS, *chain(10))
    case("own::sixty-intermediates", SUCCESS, *chain(60))
    case("own::two-hundred-intermediates", FAILURE, *chain(200))


def many_names():
    """Work that grows with the product of names and constraints (CVE-2018-0734 and others were found so)."""
    def attempt(identifier, permitted, excluded, names, **change):
        root = authority(nc=name_constraints(permitted, excluded))
        case("pathological::" + identifier, FAILURE, leaf(root, names, **change), root, host=None)

    trees = [f"dns:t{number}.test" for number in range(1100)]
    attempt("nc-dos-1", trees, [f"dns:x{number}.test" for number in range(1100)],
            [f"dns:t{number}.test" for number in range(1100)])
    attempt("nc-dos-2", None, [f"dn:CN=x{number}" for number in range(1100)],
            [f"dn:CN=t{number}" for number in range(1100)])
    attempt("nc-dos-3", [f"email:t{number}.test" for number in range(1100)], None,
            [f"email:a@t{number}.test" for number in range(1100)])
    root = authority(nc=name_constraints([f"dns:t{number}.test" for number in range(100)]))
    names = [f"dns:a.t{number}.test" for number in range(100)]
    case("own::hundred-names-under-hundred-constraints", SUCCESS, leaf(root, names), root, host="a.t99.test")


def path_building():
    """Two certificates of one intermediate, a good one and one that leads nowhere, in both orders."""
    faults = {
        "expired": {"begin": NOW - 900 * DAY, "end": NOW - 300 * DAY},
        "not-yet-valid": {"begin": NOW + 300 * DAY, "end": NOW + 900 * DAY},
        "no-authority": {"bc": basic_constraints(False)},
        "no-basic-constraints": {"bc": None},
        "no-usage": {"ku": key_usage(6)},
        "path-too-short": {"parent": "short"},
        "name-constraints": {"nc": name_constraints(["dns:example.org"])},
        "unknown-critical-extension": {"extra": [extension("1.3.6.1.4.1.55738.666.1", b"", True)]},
        "broken-signature": {"breaks": True},
        "sha1": {"digest": "sha1"},
        "unknown-root": {"parent": "lost"},
    }
    for fault, change in faults.items():
        root, lost = authority(), authority()
        middle = authority(parent=root)
        short = authority(middle.subject, root, middle.key, path_length=0)
        change = dict(change)
        parent = {"short": short, "lost": lost, None: middle}[change.pop("parent", None)]
        key, subject = ec_key(), "CN=with two certificates"
        bad, good = authority(subject, parent, key, **change), authority(subject, middle, key)
        rest = {id(short): [short], id(lost): [lost]}.get(id(parent), [])
        for words, chain in (("first", [bad] + rest + [good, middle]), ("last", [middle, good] + rest + [bad])):
            case(f"bettertls::pathbuilding::{fault}-{words}", SUCCESS, leaf(good), root, chain)
        case(f"bettertls::pathbuilding::{fault}-alone", FAILURE, leaf(bad), root, [bad] + (rest or [middle]))


def published_faults():
    root, keys = authority("CN=Root A"), {"B": ec_key(), "C": ec_key()}
    keys["A"] = root.key
    issuer = authority("CN=Intermediate A1", root)
    crosses = [cross(f"CN=Root {one}", keys[one], f"CN=Root {two}", keys[two])
               for one in "ABC" for two in "ABC" if one != two]
    host = "cve-2024-0567.example.com"
    peer = leaf(issuer, alternative_names("dns:" + host, critical=True), subject="")
    case("cve::cve-2024-0567", SUCCESS, peer, root, [issuer] + crosses, host=host)
    root = authority()
    for identifier, permitted, excluded, host in (
        ("cve-2025-61727", ["dns:example.com"], ["dns:bar.example.com"], "bar.example.com"),
        ("cve-2025-61727-nc-permits-variant", ["dns:foo.example.com"], None, "foo.example.com"),
    ):
        strict = authority(parent=root, nc=name_constraints(permitted, excluded))
        case("cve::" + identifier, FAILURE, leaf(strict, ["dns:*.example.com"]), root, [strict], host=host)
    forger = curve.ForgedKey(root.key)
    forged = authority(root.subject, Certificate(b"", forger, root.subject, 1), forger)
    case("cve::cve-2020-0601-root-with-another-generator", FAILURE, leaf(forged), root, [forged])
    below = authority(parent=forged)
    case("cve::cve-2020-0601-intermediate", FAILURE, leaf(below), root, [below, forged])
    # A Punycode constraint that needs more space than OpenSSL 3.0.6 had, and a UTF-8 mailbox that it applies to.
    long = "xn--" + "a" * 250 + "-" + "b" * 250
    strict = authority(parent=root, nc=name_constraints(["email:" + long]))
    mailbox = der.context(0, der.oid("1.3.6.1.5.5.7.8.9") + der.context(0, der.utf8("a@\u00e9xample.com")))
    case("cve::cve-2022-3602-mailbox-under-punycode", FAILURE,
         leaf(strict, ["raw:" + mailbox.hex(), "dns:example.com"]), root, [strict])
    # Mappings that make the policy tree grow with a power of the chain's length. No policies are requested here.
    parents = [authority()]
    for level in range(12):
        one, two = f"1.3.6.1.4.1.55738.667.{level}.1", f"1.3.6.1.4.1.55738.667.{level}.2"
        policies = der.sequence(*(der.sequence(der.oid(each)) for each in (one, two)))
        below = [f"1.3.6.1.4.1.55738.667.{level + 1}.{last}" for last in (1, 2)]
        mappings = der.sequence(*(der.sequence(der.oid(a), der.oid(b)) for a in (one, two) for b in below))
        parents.append(authority(parent=parents[-1], extra=[
            extension("2.5.29.32", policies), extension("2.5.29.33", mappings, True)]))
    case("cve::cve-2023-0464-growing-policies", SUCCESS, leaf(parents[-1]), parents[0], parents[1:])
