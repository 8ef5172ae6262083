// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if !Metrics
    #error(
        """
        BluebonnetMetrics needs the trait "Metrics" of the package Bluebonnet, which is off by default: \
        write traits: [.defaults, "Metrics"] where your Package.swift names the package
        """)
#endif
