// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Compressed data made by hand, so that every byte is known (RFC 1950, 1951, 1952).
package enum Compressed {
    /// Returns a text as one gzip member, stored without compression.
    package static func gzip(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return head + stored(bytes) + little(checksum(of: bytes), 4) + little(UInt32(bytes.count), 4)
    }

    /// The length of the trailer of a member: checksum and length.
    package static let gzipEndByteCount = 8

    /// Returns one gzip member of `blockCount` blocks of 258 zero bytes, and one more byte: 13 bits for each block.
    package static func zeros(blockCount: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.append(0b011, count: 3)  // the last block, of fixed codes
        bits.append(0b0000_1100, count: 8)  // the byte 0
        for _ in 0..<blockCount { bits.append(0b00000_10100011, count: 13) }  // length 258, distance 1
        bits.append(0, count: 7)  // the end of the block
        let count = blockCount * 258 + 1
        let checksum = checksum(ofZeros: count)
        return head + bits.bytes + little(checksum, 4) + little(UInt32(count), 4)
    }

    /// Returns a text in the zlib format, which `deflate` means in HTTP.
    package static func zlib(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return [0x78, 0x01] + stored(bytes) + little(high << 16 | low, 4).reversed()
    }

    /// Returns a text as raw deflate without header and checksum, which some servers send as `deflate`.
    package static func rawDeflate(_ text: String) -> [UInt8] { stored(Array(text.utf8)) }

    private static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

    /// Returns one final block of fewer than 64 KiB.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        [1] + little(UInt32(bytes.count), 2) + little(~UInt32(bytes.count), 2) + bytes
    }

    private static func little(_ number: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private static func checksum(of bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 255)] }
    }

    private static func checksum(ofZeros count: Int) -> UInt32 {
        let table = table
        var value = ~UInt32(0)
        for _ in 0..<count { value = value >> 8 ^ table[Int(value & 255)] }
        return ~value
    }
}

/// Writes bits in the order of deflate: the lowest bit of each byte first.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 8

    mutating func append(_ bits: Int, count: Int) {
        for index in 0..<count {
            if used == 8 {
                bytes.append(0)
                used = 0
            }
            bytes[bytes.count - 1] |= UInt8(bits >> index & 1) << used
            used += 1
        }
    }
}
