# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""Every combination of names and constraints: BetterTLS's name constraints. What is expected is computed here, by RFC
5280, 4.2.1.10: each name has to be under a permitted tree of its kind, if there is one, and under no excluded one."""
import itertools

from certificates import authority, leaf, name_constraints
from table import FAILURE, SUCCESS, case

GOOD_NAME, BAD_NAME = "dns:good.example", "dns:bad.example"
GOOD_ADDRESS, BAD_ADDRESS = "ip:192.0.2.1", "ip:198.51.100.1"

NAMES = {"none": [], "good": [GOOD_NAME], "bad": [BAD_NAME], "both": [GOOD_NAME, BAD_NAME]}
ADDRESSES = {"none": [], "good": [GOOD_ADDRESS], "bad": [BAD_ADDRESS], "both": [GOOD_ADDRESS, BAD_ADDRESS]}
PERMITTED = {
    "none": [], "dns": [GOOD_NAME], "ip": ["ip:192.0.2.0/24"], "dns+ip": [GOOD_NAME, "ip:192.0.2.0/24"],
    "dns2": [GOOD_NAME, BAD_NAME],
}
EXCLUDED = {"none": [], "dns": [BAD_NAME], "ip": ["ip:198.51.100.0/24"]}


def is_allowed(name, permitted, excluded):
    """The trees hold the good names and addresses, or the bad ones, as a whole."""
    def kind(one):
        return one.split(":")[0]

    def holds(tree):
        if kind(tree) == "dns":
            return tree == name
        return tree.rsplit(".", 1)[0] == name.rsplit(".", 1)[0]

    of_its_kind = [tree for tree in permitted if kind(tree) == kind(name)]
    if of_its_kind and not any(holds(tree) for tree in of_its_kind):
        return False
    return not any(holds(tree) for tree in excluded if kind(tree) == kind(name))


def make():
    for allowed, denied in itertools.product(PERMITTED, EXCLUDED):
        permitted, excluded = PERMITTED[allowed], EXCLUDED[denied]
        constraints = name_constraints(permitted or None, excluded or None) if permitted or excluded else None
        root = authority()
        intermediate = authority(parent=root, nc=constraints)
        for names, addresses in itertools.product(NAMES, ADDRESSES):
            has = NAMES[names] + ADDRESSES[addresses]
            if not has or (allowed == denied == "none" and "bad" in (names, addresses)):
                continue
            peer = leaf(intermediate, has)
            holds = all(is_allowed(name, permitted, excluded) for name in has)
            for words, wanted in (("name", GOOD_NAME), ("address", GOOD_ADDRESS)):
                if words == "name" and names == "none" or words == "address" and addresses == "none":
                    continue
                expected = SUCCESS if holds and wanted in has else FAILURE
                constraint = f"permitted-{allowed}-excluded-{denied}"
                case(f"bettertls::nameconstraints::{words}-of-{names}-{addresses}-{constraint}", expected, peer, root,
                     [intermediate], host=wanted.split(":")[1])
