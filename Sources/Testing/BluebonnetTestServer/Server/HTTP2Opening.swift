// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore

/// The first bytes of a connection, until they tell whether the client speaks HTTP/2: its connection preface begins
/// with a method that no request has (RFC 9113, 3.4).
struct HTTP2Opening {
    private static let mark = Array("PRI ".utf8)

    /// What has arrived.
    private(set) var bytes = ByteBuffer()

    /// Takes in what arrived, and says whether it is HTTP/2. Nil when more bytes are needed.
    mutating func append(_ more: ByteBuffer) -> Bool? {
        bytes.writeImmutableBuffer(more)
        let begin = bytes.readableBytesView.prefix(Self.mark.count)
        guard begin.elementsEqual(Self.mark.prefix(begin.count)) else { return false }
        return begin.count == Self.mark.count ? true : nil
    }
}
