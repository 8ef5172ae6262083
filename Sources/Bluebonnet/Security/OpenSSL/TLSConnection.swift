// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Questions about a TLS connection of libcurl's, which is known by its `SSL` object. Network thread only.
enum TLSConnection {
    /// Whether HTTP/2 was negotiated.
    static func isMultiplexed(_ connection: UnsafeMutableRawPointer) -> Bool {
        var name: UnsafePointer<UInt8>?
        var count: CUnsignedInt = 0
        SSL_get0_alpn_selected(OpaquePointer(connection), &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }

    /// Whether decrypted bytes wait that were not read.
    static func hasPendingBytes(_ connection: UnsafeMutableRawPointer) -> Bool {
        SSL_pending(OpaquePointer(connection)) > 0
    }
}
