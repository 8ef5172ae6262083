// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if !HTTPTypes
    #error(
        """
        BluebonnetHTTPTypes needs the trait "HTTPTypes" of the package Bluebonnet, which is off by default: \
        write traits: [.defaults, "HTTPTypes"] where your Package.swift names the package
        """)
#endif
