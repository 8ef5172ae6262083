// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if !Journal
    #error(
        """
        BluebonnetJournal requires the trait "Journal" of the package Bluebonnet, which is on by default: \
        remove traits: [] where your Package.swift names the package, or write traits: ["Journal"]
        """)
#endif
