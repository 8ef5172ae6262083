# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""DER (X.690), as far as certificates need it. Every function returns bytes, also for what no certificate may have."""


def element(tag, content):
    count = len(content)
    if count < 128:
        return bytes([tag, count]) + content
    digits = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(digits)]) + digits + content


def sequence(*parts):
    return element(0x30, b"".join(parts))


def set_of(*parts):
    return element(0x31, b"".join(sorted(parts)))


def context(number, content, constructed=True):
    return element((0xA0 if constructed else 0x80) | number, content)


def integer(value):
    # The sign needs its own bit.
    bit_count = (value if value >= 0 else value + 1).bit_length()
    return element(0x02, value.to_bytes(bit_count // 8 + 1, "big", signed=True))


def boolean(value):
    return element(0x01, b"\xff" if value else b"\x00")


def octets(content):
    return element(0x04, content)


def bits(content, unused=0):
    return element(0x03, bytes([unused]) + content)


def named_bits(numbers):
    """A BIT STRING in which these bits are set, without the zeros behind the last one."""
    if not numbers:
        return bits(b"")
    count = max(numbers) + 1
    value = sum(1 << (count - 1 - number) for number in numbers)
    unused = -count % 8
    return bits((value << unused).to_bytes((count + unused) // 8, "big"), unused)


def null():
    return element(0x05, b"")


def oid(text):
    numbers = [int(number) for number in text.split(".")]
    content = b""
    for number in [numbers[0] * 40 + numbers[1]] + numbers[2:]:
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(0x80 | (number & 0x7F))
        content += bytes(reversed(groups))
    return element(0x06, content)


def utf8(text):
    return element(0x0C, text.encode())


def printable(text):
    return element(0x13, text.encode())


def time(moment):
    """UTCTime until 2049, GeneralizedTime from then on (RFC 5280, 4.1.2.5)."""
    if moment.year < 2050:
        return element(0x17, moment.strftime("%y%m%d%H%M%SZ").encode())
    return element(0x18, moment.strftime("%Y%m%d%H%M%SZ").encode())


def split(content):
    """The elements that bytes are made of, as pairs of a tag and a content."""
    found = []
    while content:
        tag, count, content = content[0], content[1], content[2:]
        if count > 127:
            size = count & 0x7F
            count, content = int.from_bytes(content[:size], "big"), content[size:]
        found.append((tag, content[:count]))
        content = content[count:]
    return found
