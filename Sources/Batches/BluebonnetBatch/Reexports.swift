// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// `RequestLine.Pagination` is a type of the module below.
@_exported public import BluebonnetPipelines
