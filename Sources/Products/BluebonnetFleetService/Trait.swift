// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if !Service
    #error(
        """
        BluebonnetFleetService needs the trait "Service" of the package Bluebonnet, which is off by default: \
        write traits: [.defaults, "Service"] where your Package.swift names the package
        """)
#endif
