// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import CArena
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Bluebonnet

/// One after the other, because regions are few. A build with a sanitizer has no arena.
@Suite(.serialized, .timeLimit(.minutes(1)), .enabled(if: bluebonnet_arena_is_available())) struct ArenaTests {
    /// A block full of a byte of its own, which nobody else may change.
    private struct Block {
        let bytes: UnsafeMutableRawBufferPointer
        let byte: UInt8

        init(_ start: UnsafeMutableRawPointer?, _ count: Int, _ byte: UInt8) {
            bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
            self.byte = byte
            if let start { memset(start, CInt(byte), count) }
        }

        var isIntact: Bool { ArenaTests.isFull(UnsafeRawBufferPointer(bytes), of: byte) }
    }

    /// Whether all bytes are the same: compared by the C library, because there are many.
    private static func isFull(_ bytes: UnsafeRawBufferPointer, of byte: UInt8) -> Bool {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
        return bytes[0] == byte && memcmp(start, start + 1, bytes.count - 1) == 0
    }

    /// Blocks on their way from thread to thread.
    private final class Pile: Sendable {
        let addresses = Mutex<[UInt]>([])
    }

    private static let edges = [0, 16, 32, 512, 1024, 1040, 2048, 8192, 16_385, 16_448, 20_000]

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

    @Test(arguments: [0, 13, 1000, 1496, 2048, 16_385])
    func blockFreedLastIsTakenNext(size: Int) async {
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

    @Test func growingBlockMovesAndLeavesItsOldOneToTheNext() async {
        let (isFirst, isTaken, isKept, staysWhenItFits) = await onKeepingThread {
            let (first, large) = (bluebonnet_realloc(nil, 100), bluebonnet_malloc(200))
            let isFirst = bluebonnet_used_block_count() == 2
            bluebonnet_free(large)
            let grown = bluebonnet_realloc(first, 195)
            let next = bluebonnet_malloc(112)
            let same = bluebonnet_realloc(grown, 208)
            defer {
                bluebonnet_free(next)
                bluebonnet_free(same)
            }
            return (isFirst, grown == large, next == first, same == grown)
        }
        #expect(isFirst && isTaken && isKept && staysWhenItFits)
    }

    @Test(arguments: [
        (0, true), (1024, true), (2048, true), (2049, false), (8191, false), (16_448, true), (16_449, false),
    ])
    func theRegionGivesBlocksOfSomeSizes(size: Int, isFromRegion: Bool) async {
        let counts = await onKeepingThread {
            let before = bluebonnet_used_block_count()
            let blocks = [bluebonnet_malloc(size), bluebonnet_calloc(1, size)]
            let used = bluebonnet_used_block_count()
            for block in blocks { bluebonnet_free(block) }
            return [before, used, bluebonnet_used_block_count()]
        }
        #expect(counts == [0, isFromRegion ? 2 : 0, 0])
    }

    /// Pages stay with their sizes, so that there may be less room than there was in the beginning, but not none.
    @Test(arguments: [(16, 655_360), (2048, 5120), (16_448, 2048)])
    func aFullRegionLeavesTheRestToTheCLibrary(size: Int, most: Int) async {
        let (used, intact, left) = await onKeepingThread {
            for each in [16, 2048, 16_448] { bluebonnet_free(bluebonnet_malloc(each)) }
            let count = most + 500
            let blocks = (0..<count).map { Block(bluebonnet_malloc(size), size, UInt8(truncatingIfNeeded: $0)) }
            let used = Int(bluebonnet_used_block_count())
            let intact = blocks.count { $0.isIntact }
            for block in blocks { bluebonnet_free(block.bytes.baseAddress) }
            return (used, intact == count, bluebonnet_used_block_count())
        }
        #expect((1...most).contains(used) && intact && left == 0)
    }

    /// Memory that the kernel has had back is zero.
    @Test(arguments: [(128, true), (129, false), (2048, false)])
    func largeBlocksAreKeptWhileOneIsInUse(count: Int, areKept: Bool) async {
        let (whileInUse, afterwards, isWhole) = await onKeepingThread {
            let place = 8192
            func look() -> UInt8? {
                let block = bluebonnet_malloc(16_448)
                defer { bluebonnet_free(block) }
                return block?.load(fromByteOffset: place, as: UInt8.self)
            }
            let blocks = (0..<count).map { _ in Block(bluebonnet_malloc(16_448), 16_448, 0xA5) }
            for block in blocks.dropFirst() { bluebonnet_free(block.bytes.baseAddress) }
            let whileInUse = look()
            bluebonnet_free(blocks[0].bytes.baseAddress)
            let afterwards = look()
            // All of them are there once more.
            let again = (0..<count).map { Block(bluebonnet_malloc(16_448), 16_448, UInt8(truncatingIfNeeded: $0)) }
            let isWhole = Int(bluebonnet_used_block_count()) == count && again.allSatisfy(\.isIntact)
            for block in again { bluebonnet_free(block.bytes.baseAddress) }
            return (whileInUse, afterwards, isWhole)
        }
        #expect(whileInUse == 0xA5)
        #expect(afterwards == (areKept ? 0xA5 : 0))
        #expect(isWhole)
    }

    @Test func aThreadThatDoesNotKeepHasTheCLibrarys() {
        let block = bluebonnet_malloc(100)
        #expect(bluebonnet_used_block_count() == 0)
        free(block)
    }

    @Test func blocksFreedByOtherThreadsAreNotInUseForTheNextOwner() async {
        let addresses = await onKeepingThread { (0..<5).map { UInt(bitPattern: bluebonnet_malloc(100 + $0)) } }
        for address in addresses { bluebonnet_free(UnsafeMutableRawPointer(bitPattern: address)) }
        let count = await onKeepingThread { bluebonnet_used_block_count() }
        #expect(count == 0)
    }

    @Test func blockFreedByAnotherThreadComesBackWhenItIsNeeded() async {
        let (isInUse, isTakenAgain) = await onKeepingThread {
            // One more than any region has, so that the next one has to come back.
            let blocks = (0..<2049).map { _ in bluebonnet_malloc(16_385) }
            let used = bluebonnet_used_block_count()
            let address = UInt(bitPattern: blocks[0])
            let isFreed = Gate()
            Thread.detachNewThread {
                bluebonnet_free(UnsafeMutableRawPointer(bitPattern: address))
                isFreed.open()
            }
            isFreed.waitBlocking()
            let isInUse = used > 0 && bluebonnet_used_block_count() == used
            let again = bluebonnet_malloc(16_385)
            defer { for block in blocks { bluebonnet_free(block) } }
            return (isInUse, again == blocks[0])
        }
        #expect(isInUse && isTakenAgain)
    }

    @Test func manyThreadsHandBlocksToEachOther() async {
        let pile = Pile()
        await withTaskGroup(of: Int.self) { group in
            for seed in 1...12 {
                group.addTask {
                    await onKeepingThread {
                        var random = SeededGenerator(seed: UInt64(seed))
                        var faults = 0
                        for _ in 0..<3000 {
                            let count = Int.random(in: 8...300, using: &random)
                            let block = bluebonnet_malloc(count)
                            block?.storeBytes(of: count, as: Int.self)
                            if let block { memset(block + 8, CInt(count & 255), count - 8) }
                            let other = pile.addresses.withLock { addresses -> UInt? in
                                addresses.append(UInt(bitPattern: block))
                                guard addresses.count > 50 else { return nil }
                                return addresses.remove(at: Int.random(in: addresses.indices, using: &random))
                            }
                            faults += Self.takeApart(other)
                        }
                        return faults
                    }
                }
            }
            for await faults in group { #expect(faults == 0) }
        }
        var faults = 0
        for block in pile.addresses.withLock({ $0 }) { faults += Self.takeApart(block) }
        #expect(faults == 0)
    }

    /// Frees a block that begins with its length and is full of that number's last byte; 1 when it is not.
    private static func takeApart(_ address: UInt?) -> Int {
        guard let address, let block = UnsafeMutableRawPointer(bitPattern: address) else { return 0 }
        let count = block.load(as: Int.self)
        let isIntact =
            (8...300).contains(count)
            && UnsafeRawBufferPointer(start: block + 8, count: count - 8).allSatisfy { $0 == UInt8(count & 255) }
        bluebonnet_free(block)
        return isIntact ? 0 : 1
    }

    @Test func textsAndWhatCannotBeTaken() async {
        let text = await onKeepingThread {
            bluebonnet_free(strdup("the C library's"))
            bluebonnet_free(nil)
            if bluebonnet_calloc(.max, 2) != nil { return UInt(0) }
            return UInt(bitPattern: bluebonnet_strdup("a text of ours"))
        }
        let copy = UnsafeMutablePointer<CChar>(bitPattern: text)
        #expect(copy.map { String(cString: $0) } == "a text of ours")
        bluebonnet_free(copy)
    }

    private func onKeepingThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                bluebonnet_arena_attach()
                let result = work()
                bluebonnet_arena_detach()
                continuation.resume(returning: result)
            }
        }
    }
}
