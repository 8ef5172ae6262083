# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
#
# A script for gdb: prints the names of source files in the order in which a program first enters a function of each,
# from the function in TracedRequest.swift on. The environment variable TRACE_FILES has the names.
import os
import re

import gdb

START = "TracedRequest.swift"
groups = {}
entered = []


class Entry(gdb.Breakpoint):
    """A function of a file. The program never stops at it."""

    def __init__(self, address, file):
        super().__init__("*" + address, internal=True)
        self.silent = True
        self.file = file

    def stop(self):
        if self.file == START or START in entered:
            if self.file not in entered:
                entered.append(self.file)
                print("ENTERED", self.file, flush=True)
            for entry in groups[self.file]:
                entry.enabled = False
        return False


def is_written(address):
    """Whether a function is in the source. Copies, witnesses and accessors, which the compiler makes, have suffixes.

    A copy of a generic function of the standard library, which some file gets, names none of the program's modules.
    """
    symbol = gdb.execute("info symbol " + address, to_string=True).split()[0]
    if "Bluebonnet" not in symbol and "TraceProbe" not in symbol:
        return False
    return not re.search(r"(W[A-Za-z]{1,2}|w[a-z]{2}|vau)$", symbol)


for setting in ("pagination off", "confirm off", "print thread-events off", "style enabled off"):
    gdb.execute("set " + setting)
for signal in ("SIGPIPE", "SIGALRM"):
    gdb.execute(f"handle {signal} nostop noprint pass", to_string=True)
# The program is loaded, and its addresses are final.
gdb.execute("starti", to_string=True)
for file in [START, *os.environ["TRACE_FILES"].split()]:
    text = gdb.execute(f"rbreak {file}:.", to_string=True)
    addresses = re.findall(rf"Breakpoint \d+ at (0x[0-9a-f]+): file \S*/{re.escape(file)}, line [1-9]", text)
    for breakpoint in gdb.breakpoints() or []:
        if not isinstance(breakpoint, Entry):
            breakpoint.delete()
    groups[file] = [Entry(address, file) for address in addresses if is_written(address)]
gdb.execute("continue")
