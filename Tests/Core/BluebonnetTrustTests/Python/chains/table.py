# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""The cases that were made so far."""
import base64

SUCCESS, FAILURE = "SUCCESS", "FAILURE"
_cases = {}


def case(identifier, expected, peer, roots, chain=(), host="example.com", at=None):
    """Adds a case.

    peer: the server's certificate. chain: what it sends besides. roots: what is trusted. host: what the certificate has
    to name; None compares nothing. at: seconds since 1970; None is now.
    """
    if identifier in _cases:
        raise ValueError(f"{identifier} is there twice")
    roots = roots if isinstance(roots, (list, tuple)) else [roots]

    def text(one):
        return base64.b64encode(one.der).decode()

    _cases[identifier] = {
        "identifier": identifier, "expected": expected, "peer": text(peer), "chain": [text(one) for one in chain],
        "roots": [text(one) for one in roots], "host": host, "moment": at,
    }


def all_cases():
    return list(_cases.values())
