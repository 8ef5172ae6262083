# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""Cookies for domains around public suffixes, and whether a client may keep them:

    python3 suffixes.py LIST OUTPUT [EVERY]

LIST is the list of the system (https://publicsuffix.org/list/); the list of the package `publicsuffixlist` is the
newer one. Every EVERY-th rule of both is taken, and all rules with a wildcard or an exception. Each line of OUTPUT is
one cookie, as JSON: the host that sets it, its domain, and what both lists say.
"""
import json
import os
import sys

import publicsuffixlist
from publicsuffixlist import PublicSuffixList


def rules(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and not line.startswith("//"):
                yield words[0]


def ascii_name(name):
    return name.encode("idna").decode() if any(ord(letter) > 127 for letter in name) else name


class Cookies:
    def __init__(self, system, newest):
        self.lists, self.found = (system, newest), {}

    def add(self, kind, host, domain, shown=None):
        """shown: the domain as the server writes it."""
        key = (host, shown or domain)
        if key in self.found or len(host) > 200:
            return
        answers = [self.is_acceptable(each, host, domain) for each in self.lists]
        self.found[key] = {
            "kind": kind, "host": host, "domain": shown or domain,
            "accepted": answers[0], "acceptedByNewest": answers[1],
        }

    @staticmethod
    def is_acceptable(suffixes, host, domain):
        """RFC 6265, 5.3, steps 5 and 6, for a domain that is not the host itself. The domain may not be above a public
        suffix either, as in a cookie for amazonaws.com of a host below s3.amazonaws.com."""
        own = suffixes.privatesuffix(host)
        return own is not None and host.endswith("." + domain) and (domain == own or domain.endswith("." + own))


def add_rule(cookies, rule):
    is_exception = rule.startswith("!")
    name = ascii_name(rule.lstrip("!").replace("*", "wild"))
    kind = "exception" if is_exception else "wildcard" if "*" in rule else "exact"
    kind = "international" if "xn--" in name and kind == "exact" else kind
    cookies.add(kind, "a.b." + name, name)
    cookies.add(kind, "a.b." + name, "b." + name)
    cookies.add(kind, "b." + name, name)
    if "." in name:
        cookies.add(kind, "a." + name, name.split(".", 1)[1])
    if len(name) % 3 == 0:
        cookies.add("capitals", "c.d." + name, name, name.upper())
        cookies.add("capitals", "c.d." + name, "d." + name, "D." + name.title())
        cookies.add("leading dot", "e.f." + name, name, "." + name)
        cookies.add("leading dot", "e.f." + name, "f." + name, ".f." + name)
    if len(name) % 5 == 0:
        cookies.add("dot behind", "i.j." + name, name + ".")
        cookies.add("dot behind", "i.j." + name, "j." + name + ".")
    if name != rule and kind == "international":
        cookies.add("in UTF-8", "g.h." + name, name, rule)


def main():
    path, output = sys.argv[1:3]
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with open(path, encoding="utf-8") as file:
        system = PublicSuffixList(file)
    newest = PublicSuffixList()
    own = os.path.join(os.path.dirname(publicsuffixlist.__file__), "public_suffix_list.dat")
    old, new = list(rules(path)), list(rules(own))
    cookies = Cookies(system, newest)
    odd = [rule for rule in old if rule.startswith("!") or "*" in rule]
    fresh = sorted(set(new) - set(old))
    # All rules of the unusual kinds, and samples of the other rules and of rules missing from the system's list.
    for rule in odd + old[::every] + fresh[::every]:
        add_rule(cookies, rule)
    for name in ("unlisted-by-anybody", "test", "invalid"):
        add_rule(cookies, name)
        cookies.add("default rule", "a.b." + name, name)
    with open(output, "w", encoding="utf-8") as file:
        for cookie in cookies.found.values():
            file.write(json.dumps(cookie, ensure_ascii=False) + "\n")


main()
