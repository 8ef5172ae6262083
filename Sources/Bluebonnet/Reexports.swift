// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// The public types of the module below belong to the interface of this one.
@_exported public import BluebonnetHTTP
