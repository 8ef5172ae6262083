# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""Makes certificates (RFC 5280), good ones and such as no authority may issue."""
import hashlib
import ipaddress
import itertools
from datetime import datetime, timedelta, timezone

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, padding, rsa

import der

NOW = datetime.now(timezone.utc).replace(microsecond=0)
DAY = timedelta(days=1)

USUAL = object()  # the extension as in a valid certificate; None omits it

SERVER, CLIENT, ANY = "1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2", "2.5.29.37.0"
CODE, EMAIL, STAMP, OCSP = (f"1.3.6.1.5.5.7.3.{number}" for number in (3, 4, 8, 9))
PRECERTIFICATE = "1.3.6.1.4.1.11129.2.4.4"
SIGNATURE, CERTIFICATES, LISTS = 0, 5, 6  # bits of keyUsage

ATTRIBUTES = {"CN": "2.5.4.3", "O": "2.5.4.10", "C": "2.5.4.6"}
_numbers = itertools.count(1)
_pool = []


def ec_key():
    """A key on P-256."""
    return ec.generate_private_key(ec.SECP256R1())


def pooled_key():
    """One of a few keys on P-256: for leaves, whose keys nobody compares."""
    if len(_pool) < 4:
        _pool.append(ec_key())
    return _pool[next(_numbers) % len(_pool)]


# Names

def name(text):
    """A distinguished name of pairs like "CN=a,O=b"; "" is the empty one."""
    parts = [part.split("=", 1) for part in text.split(",")] if text else []
    return der.sequence(*(
        der.set_of(der.sequence(der.oid(ATTRIBUTES[key]), der.printable(value) if key == "C" else der.utf8(value)))
        for key, value in parts))


def general_name(text, constraint=False):
    """A GeneralName of words like "dns:example.com", "ip:10.0.0.1", "ip:10.0.0.0/8", "dn:CN=a", "raw:hexadecimal"."""
    kind, value = text.split(":", 1)
    if kind == "dns":
        return der.context(2, value.encode(), constructed=False)
    if kind == "email":
        return der.context(1, value.encode(), constructed=False)
    if kind == "uri":
        return der.context(6, value.encode(), constructed=False)
    if kind == "dn":
        return der.context(4, name(value))
    if kind == "ip":
        if "/" in value:
            network = ipaddress.ip_network(value)
            content = network.network_address.packed + network.netmask.packed
        else:
            content = ipaddress.ip_address(value).packed
        return der.context(7, content, constructed=False)
    if kind == "raw":
        return bytes.fromhex(value)
    raise ValueError(text)


def general_names(*names):
    return der.sequence(*(general_name(one) for one in names))


# Extensions: pairs of an object identifier with "!" in front of it when it is critical, and a value.

def extension(oid, value, critical=False):
    return (oid, critical, value)


def basic_constraints(ca, path_length=None, critical=True):
    parts = ([der.boolean(True)] if ca else []) + ([] if path_length is None else [der.integer(path_length)])
    return extension("2.5.29.19", der.sequence(*parts), critical)


def key_usage(*numbers, critical=True):
    return extension("2.5.29.15", der.named_bits(numbers), critical)


def extended_key_usage(*oids, critical=False):
    return extension("2.5.29.37", der.sequence(*(der.oid(one) for one in oids)), critical)


def alternative_names(*names, critical=False):
    return extension("2.5.29.17", general_names(*names), critical)


def name_constraints(permitted=None, excluded=None, critical=True):
    """With lists of words as in `general_name`. None leaves a part out; an empty list is there and empty."""
    parts = []
    for number, names in ((0, permitted), (1, excluded)):
        if names is not None:
            trees = (der.sequence(general_name(one, constraint=True)) for one in names)
            parts.append(der.context(number, b"".join(trees)))
    return extension("2.5.29.30", der.sequence(*parts), critical)


def subject_key(identifier, critical=False):
    return extension("2.5.29.14", der.octets(identifier), critical)


def authority_key(identifier=None, issuer=None, serial=None, critical=False):
    parts = [] if identifier is None else [der.context(0, identifier, constructed=False)]
    parts += [] if issuer is None else [der.context(1, general_name(issuer))]
    parts += [] if serial is None else [der.element(0x82, der.split(der.integer(serial))[0][1])]
    return extension("2.5.29.35", der.sequence(*parts), critical)


# Signatures

def algorithm(key, digest):
    """The AlgorithmIdentifier of a signature."""
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return der.sequence(der.oid({"sha1": "1.2.840.10045.4.1", "sha256": "1.2.840.10045.4.3.2"}[digest]))
    if isinstance(key, rsa.RSAPrivateKey):
        last = {"md5": 4, "sha1": 5, "sha256": 11}[digest]
        return der.sequence(der.oid(f"1.2.840.113549.1.1.{last}"), der.null())
    if isinstance(key, dsa.DSAPrivateKey):
        return der.sequence(der.oid("2.16.840.1.101.3.4.3.2"))
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return der.sequence(der.oid("1.3.101.112"))
    return key.algorithm


def sign(key, content, digest):
    hash_of = {"md5": hashes.MD5, "sha1": hashes.SHA1, "sha256": hashes.SHA256}[digest]()
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return key.sign(content, ec.ECDSA(hash_of))
    if isinstance(key, rsa.RSAPrivateKey):
        return key.sign(content, padding.PKCS1v15(), hash_of)
    if isinstance(key, dsa.DSAPrivateKey):
        return key.sign(content, hash_of)
    return key.sign(content)


def public_key(key):
    """SubjectPublicKeyInfo."""
    if hasattr(key, "public_key_info"):
        return key.public_key_info
    return key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def key_identifier(key):
    """SHA-1 of the key's bits (RFC 5280, 4.2.1.2)."""
    parts = der.split(der.split(public_key(key))[0][1])
    return hashlib.sha1(parts[1][1][1:]).digest()


# Certificates

class Certificate:
    def __init__(self, bytes_, key, subject, serial):
        self.der, self.key, self.subject, self.serial = bytes_, key, subject, serial


def certificate(subject, parent, key, extensions, *, issuer=None, version=3, serial=None, begin=None, end=None,
                digest="sha256", signer=None, outer=None, breaks=False):
    """A certificate for a key, by a parent, or by itself when that is None.

    issuer: another name than the parent's. signer: another key than the parent's. outer: another AlgorithmIdentifier
    around the signature than in what is signed. breaks: the signature is of something else.
    """
    signer = signer or (parent.key if parent else key)
    issuer = issuer if issuer is not None else (parent.subject if parent else subject)
    serial = serial if serial is not None else 0x1000_0000 + next(_numbers)
    inner = algorithm(signer, digest)
    parts = [der.context(0, der.integer(version - 1))] if version > 1 else []
    parts += [der.integer(serial), inner, name(issuer)]
    parts += [der.sequence(der.time(begin or NOW - DAY), der.time(end or NOW + 365 * DAY)), name(subject)]
    parts += [public_key(key)]
    if extensions:
        parts.append(der.context(3, der.sequence(*(
            der.sequence(*([der.oid(oid)] + ([der.boolean(True)] if critical else []) + [der.octets(value)]))
            for oid, critical, value in extensions))))
    signed = der.sequence(*parts)
    signature = sign(signer, signed + (b"x" if breaks else b""), digest)
    return Certificate(der.sequence(signed, outer or inner, der.bits(signature)), key, subject, serial)


def _chosen(usual, **given):
    """The extensions that are left: those given instead of the usual ones, and no None."""
    values = [given[what] if given[what] is not USUAL else usual[what] for what in usual]
    return [value for value in values if value is not None]


def authority(subject=None, parent=None, key=None, *, path_length=None, bc=USUAL, ku=USUAL, ski=USUAL, aki=USUAL,
              san=None, nc=None, eku=None, extra=(), **rest):
    """A certificate authority's certificate: a root without a parent, or an intermediate."""
    key = key or ec_key()
    subject = subject if subject is not None else f"CN={'intermediate' if parent else 'root'} {next(_numbers)}"
    usual = {
        "bc": basic_constraints(True, path_length), "ku": key_usage(CERTIFICATES, LISTS),
        "ski": subject_key(key_identifier(key)), "aki": authority_key(key_identifier(parent.key if parent else key)),
        "san": None, "nc": None, "eku": None,
    }
    extensions = _chosen(usual, bc=bc, ku=ku, ski=ski, aki=aki, san=san, nc=nc, eku=eku) + list(extra)
    return certificate(subject, parent, key, extensions, **rest)


def leaf(parent, san=USUAL, *, subject="O=leaf", key=None, bc=None, ku=USUAL, eku=USUAL, ski=USUAL, aki=USUAL,
         extra=(), bare=False, **rest):
    """A server's certificate, good for example.com unless it says otherwise. `san` may be a list of words."""
    key = key or pooled_key()
    if isinstance(san, (list, tuple)) and (not san or isinstance(san[0], str) and ":" in san[0]):
        san = alternative_names(*san)
    usual = {
        "bc": None, "ku": key_usage(SIGNATURE), "eku": extended_key_usage(SERVER),
        "ski": subject_key(key_identifier(key)), "aki": authority_key(key_identifier(parent.key)),
        "san": alternative_names("dns:example.com"),
    }
    extensions = _chosen(usual, bc=bc, ku=ku, eku=eku, ski=ski, aki=aki, san=san) + list(extra)
    return certificate(subject, parent, key, [] if bare else extensions, **rest)
