// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOCore

/// The position at which a tunnel stops passing the server's bytes while both ends stay open, for a stalled handshake.
public enum TunnelStall: Sendable, Hashable {
    /// After this number of bytes.
    case afterByteCount(Int)
    /// Before the first TLS record of a type (RFC 8446, 5.1): 20 is a change of ciphers, 22 the plaintext handshake,
    /// 23 encrypted data.
    case beforeRecord(type: UInt8)
    /// After the head and the first half of the content of the first TLS record of a type.
    case insideRecord(type: UInt8)
}

/// Determines how many of a server's bytes still pass. A value type that parses only the heads of TLS records.
struct TunnelMeter {
    private let stall: TunnelStall
    private var head: [UInt8] = []
    private var remainingInRecord = 0
    private var passedByteCount = 0
    private(set) var isStalled = false

    init(_ stall: TunnelStall) {
        self.stall = stall
    }

    /// Returns the bytes that pass.
    mutating func consume(_ buffer: ByteBuffer) -> [UInt8] {
        var passed: [UInt8] = []
        for byte in buffer.readableBytesView where admit(byte) { passed.append(byte) }
        return passed
    }

    private mutating func admit(_ byte: UInt8) -> Bool {
        if isStalled { return false }
        switch stall {
        case .afterByteCount(let limit): isStalled = passedByteCount == limit
        case .beforeRecord(let type): isStalled = isBetweenRecords && byte == type
        case .insideRecord(let type): isStalled = head.count == 5 && head[0] == type && remainingInRecord == half
        }
        if isStalled { return false }
        passedByteCount += 1
        follow(byte)
        return true
    }

    private var isBetweenRecords: Bool { head.isEmpty }

    private var half: Int { ((Int(head[3]) << 8 | Int(head[4])) + 1) / 2 }

    private mutating func follow(_ byte: UInt8) {
        if head.count < 5 {
            head.append(byte)
            if head.count == 5 { remainingInRecord = Int(head[3]) << 8 | Int(head[4]) }
        } else {
            remainingInRecord -= 1
        }
        if head.count == 5 && remainingInRecord == 0 { head = [] }
    }
}
