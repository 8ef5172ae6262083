// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore

/// The first bytes of a connection, which determine whether the client uses HTTP/2: its connection preface begins with
/// a method that no request has (RFC 9113, 3.4).
struct HTTP2Opening {
    private static let mark = Array("PRI ".utf8)

    /// The bytes received so far.
    private(set) var bytes = ByteBuffer()

    /// Appends received bytes. Returns whether the connection is HTTP/2; nil if more bytes are needed.
    mutating func append(_ more: ByteBuffer) -> Bool? {
        bytes.writeImmutableBuffer(more)
        let begin = bytes.readableBytesView.prefix(Self.mark.count)
        guard begin.elementsEqual(Self.mark.prefix(begin.count)) else { return false }
        return begin.count == Self.mark.count ? true : nil
    }
}
