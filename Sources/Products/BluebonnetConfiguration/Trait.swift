// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if !Configuration
    #error(
        """
        BluebonnetConfiguration needs the trait "Configuration" of the package Bluebonnet, which is off by default: \
        write traits: [.defaults, "Configuration"] where your Package.swift names the package
        """)
#endif
