// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if !Tracing
    #error(
        """
        BluebonnetTracing needs the trait "Tracing" of the package Bluebonnet, which is off by default: \
        write traits: [.defaults, "Tracing"] where your Package.swift names the package
        """)
#endif
