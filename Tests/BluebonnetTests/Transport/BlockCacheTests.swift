// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CLinux
import Foundation
import Glibc
import Testing

@testable import Bluebonnet

@Suite struct BlockCacheTests {
    /// A block full of a byte of its own, which nobody else may change.
    private struct Block {
        let bytes: UnsafeMutableRawBufferPointer
        let byte: UInt8

        init(_ start: UnsafeMutableRawPointer?, _ count: Int, _ byte: UInt8) {
            bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
            self.byte = byte
            if let start { memset(start, CInt(byte), count) }
        }

        var isIntact: Bool { BlockCacheTests.isFull(UnsafeRawBufferPointer(bytes), of: byte) }
    }

    /// Whether all bytes are the same: compared by the C library, because there are many.
    private static func isFull(_ bytes: UnsafeRawBufferPointer, of byte: UInt8) -> Bool {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
        return bytes[0] == byte && memcmp(start, start + 1, bytes.count - 1) == 0
    }

    private static let edges = [0, 24, 40, 512, 1032, 1033, 2048, 8192, 16_385, 16_448, 20_000]

    private func size(_ random: inout SeededGenerator) -> Int {
        let edge = Self.edges.randomElement(using: &random) ?? 0
        return max(0, edge + Int.random(in: -3...40, using: &random))
    }

    @Test(arguments: 1...4)
    func blocksAreTheirOwnersWhateverIsTakenAndFreed(seed: UInt64) async {
        let faults = await onKeepingThread { [self] in
            var random = SeededGenerator(seed: seed)
            var (blocks, faults): ([Block], Int) = ([], 0)
            for number in 0..<2000 {
                let (count, pattern) = (size(&random), UInt8(truncatingIfNeeded: number))
                switch Int.random(in: 0..<5, using: &random) {
                case 0 where blocks.count < 300, 1 where blocks.count < 300:
                    blocks.append(Block(bluebonnet_malloc(count), count, pattern))
                case 2:
                    let zeros = UnsafeMutableRawBufferPointer(start: bluebonnet_calloc(1, count), count: count)
                    if !Self.isFull(UnsafeRawBufferPointer(zeros), of: 0) { faults += 1 }
                    blocks.append(Block(zeros.baseAddress, count, pattern))
                case 3 where !blocks.isEmpty:
                    let old = blocks.remove(at: Int.random(in: blocks.indices, using: &random))
                    let new = UnsafeMutableRawBufferPointer(
                        start: bluebonnet_realloc(old.bytes.baseAddress, count + 1), count: count + 1)
                    let kept = UnsafeRawBufferPointer(rebasing: new[..<min(old.bytes.count, count + 1)])
                    if !Self.isFull(kept, of: old.byte) { faults += 1 }
                    blocks.append(Block(new.baseAddress, count + 1, pattern))
                default:
                    guard !blocks.isEmpty else { continue }
                    let old = blocks.remove(at: Int.random(in: blocks.indices, using: &random))
                    if !old.isIntact || Int(bitPattern: old.bytes.baseAddress) % 16 != 0 { faults += 1 }
                    bluebonnet_free(old.bytes.baseAddress)
                }
            }
            for block in blocks {
                if !block.isIntact { faults += 1 }
                bluebonnet_free(block.bytes.baseAddress)
            }
            return faults
        }
        #expect(faults == 0)
    }

    @Test(arguments: [1496, 2048, 16_385])
    func whatWasFreedLastIsTakenNext(size: Int) async {
        let isSame = await onKeepingThread {
            let other = bluebonnet_malloc(size)
            let block = bluebonnet_malloc(size)
            bluebonnet_free(other)
            bluebonnet_free(block)
            let next = bluebonnet_malloc(size)
            defer { bluebonnet_free(next) }
            return next == block
        }
        #expect(isSame)
    }

    @Test func whatGrowsIsTakenFromTheStoreAndLeavesItsOldBlockThere() async {
        let (isTaken, isKept, staysWhenItFits) = await onKeepingThread {
            let (small, large) = (bluebonnet_malloc(100), bluebonnet_malloc(200))
            // The C library may give more than was asked for.
            let (least, most) = (malloc_usable_size(small), malloc_usable_size(large))
            bluebonnet_free(large)
            let grown = bluebonnet_realloc(small, most)
            let next = bluebonnet_malloc(least)
            let same = bluebonnet_realloc(grown, most - 50)
            defer {
                bluebonnet_free(next)
                bluebonnet_free(same)
            }
            return (grown == large, next == small, same == grown)
        }
        #expect(isTaken && isKept && staysWhenItFits)
    }

    /// The C library may give a small block of the next size, of which as many are kept.
    @Test(arguments: [
        (1, 64...128), (24, 64...128), (25, 64...128), (1032, 64...128), (1033, 128...128), (16_385, 64...64),
        (4096, 0...0), (20_000, 0...0),
    ])
    func noMoreBlocksAreKeptThanWasSaid(size: Int, expected: ClosedRange<CInt>) async {
        let counts = await onKeepingThread {
            let blocks = (0..<300).map { _ in bluebonnet_malloc(size) }
            for block in blocks { bluebonnet_free(block) }
            let kept = bluebonnet_kept_block_count()
            let again = (0..<10).map { _ in bluebonnet_calloc(1, size) }
            let left = bluebonnet_kept_block_count()
            for block in again { bluebonnet_free(block) }
            return [kept, left, bluebonnet_kept_block_count()]
        }
        #expect(expected.contains(counts[0]))
        #expect(counts == [counts[0], max(0, counts[0] - 10), counts[0]])
    }

    @Test func aThreadThatDoesNotKeepKeepsNothing() {
        bluebonnet_free(bluebonnet_malloc(100))
        #expect(bluebonnet_kept_block_count() == 0)
    }

    @Test func aBlockMayBeFreedElsewhereAndByTheCLibrary() async {
        let text = await onKeepingThread {
            bluebonnet_free(strdup("the C library's"))
            if bluebonnet_calloc(.max, 2) != nil { return UInt(0) }
            return UInt(bitPattern: bluebonnet_strdup("a text of ours"))
        }
        let copy = UnsafeMutablePointer<CChar>(bitPattern: text)
        #expect(copy.map { String(cString: $0) } == "a text of ours")
        free(copy)
        bluebonnet_free(nil)
    }

    private func onKeepingThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                bluebonnet_keep_blocks()
                let result = work()
                bluebonnet_let_blocks_go()
                continuation.resume(returning: result)
            }
        }
    }
}
