// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct CorkedWritesTests {
    private let pair: TCPPair

    init() throws { pair = try TCPPair() }

    private var isCorked: Bool { get throws { try TCPInformation(of: pair.near).isCorked } }

    @Test func singleRequestIsNotCorked() throws {
        var corkedWrites = CorkedWrites()
        corkedWrites.requestIsWritten(to: pair.near)
        #expect(try !isCorked)
        corkedWrites.end()
        corkedWrites.requestIsWritten(to: pair.near)
        #expect(try !isCorked)
    }

    @Test func requestsAfterTheFirstAreCorkedUntilTheEnd() throws {
        var corkedWrites = CorkedWrites()
        for _ in 0..<2 { corkedWrites.requestIsWritten(to: pair.near) }
        #expect(try isCorked)
        corkedWrites.end()
        #expect(try !isCorked)
        corkedWrites.end()
        #expect(try !isCorked)
    }

    @Test func writeToAnotherConnectionEndsTheBurst() throws {
        var corkedWrites = CorkedWrites()
        let other = try TCPPair()
        for _ in 0..<2 { corkedWrites.requestIsWritten(to: pair.near) }
        corkedWrites.requestIsWritten(to: other.near)
        #expect(try !isCorked)
        #expect(try !TCPInformation(of: other.near).isCorked)
        corkedWrites.requestIsWritten(to: other.near)
        #expect(try TCPInformation(of: other.near).isCorked)
        corkedWrites.end()
        #expect(try !TCPInformation(of: other.near).isCorked)
    }

    @Test func forgottenSocketIsNotTouchedAgain() throws {
        var corkedWrites = CorkedWrites()
        let other = try TCPPair()
        for _ in 0..<2 { corkedWrites.requestIsWritten(to: pair.near) }
        corkedWrites.forget(other.near)
        corkedWrites.forget(pair.near)
        corkedWrites.end()
        #expect(try isCorked)
        corkedWrites.requestIsWritten(to: pair.near)
        corkedWrites.end()
        #expect(try isCorked)
    }

    /// The kernel holds bytes back for at most 200 ms, so a slow run counts a few more segments.
    @Test func requestsShareSegmentsAndAreFlushedRegularly() throws {
        var corkedWrites = CorkedWrites()
        let count = 1 + 10 * CorkedWrites.flushInterval
        let before = try TCPInformation(of: pair.near).sentSegmentCount
        var written: [UInt8] = []
        for number in 0..<count {
            corkedWrites.requestIsWritten(to: pair.near)
            let request = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 40)
            pair.write(request)
            written += request
        }
        corkedWrites.end()
        #expect(pair.read(count: written.count) == written)
        let segmentCount = try TCPInformation(of: pair.near).sentSegmentCount - before
        #expect(segmentCount > 4)
        #expect(segmentCount < count / 4)
    }
}
