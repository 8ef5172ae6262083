// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if !Logging
    #error(
        """
        BluebonnetLogging needs the trait "Logging" of the package Bluebonnet, which is off by default: \
        write traits: [.defaults, "Logging"] where your Package.swift names the package
        """)
#endif
