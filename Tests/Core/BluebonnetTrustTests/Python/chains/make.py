# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""Writes a file of certificate chains, and what is to be said of each: python3 make.py FILE.

The cases are those of C2SP's x509-limbo and Netflix's BetterTLS, made anew: an identifier is that suite's where the
case is, and what is expected is what that suite expects, or RFC 5280 where the suite has no such case.
"""
import json
import sys

import graphs
import matrix
import names
import profile
import table
import web


def main():
    for family in (profile, names, web, graphs, matrix):
        family.make()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(table.all_cases(), file)


main()
