// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// The public types of the module below belong to the interface of this one.
@_exported public import BluebonnetHTTP

// Foundation's types that calls are made of: a program that names them needs no import of FoundationNetworking.
@_exported public import class FoundationNetworking.HTTPURLResponse
@_exported public import class FoundationNetworking.URLCredential
@_exported public import struct FoundationNetworking.URLRequest
