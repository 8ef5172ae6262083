// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if !Cache
    #error(
        """
        BluebonnetCache requires the trait "Cache" of the package Bluebonnet, which is on by default: \
        remove traits: [] where your Package.swift names the package, or write traits: ["Cache"]
        """)
#endif
