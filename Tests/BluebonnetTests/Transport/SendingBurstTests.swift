// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import Bluebonnet

@Suite struct SendingBurstTests {
    private let pair: TCPPair

    init() throws { pair = try TCPPair() }

    private var isCorked: Bool { get throws { try TCPInformation(of: pair.near).isCorked } }

    @Test func singleRequestIsNotHeldBack() throws {
        var burst = SendingBurst()
        burst.requestIsWritten(to: pair.near)
        #expect(try !isCorked)
        burst.end()
        burst.requestIsWritten(to: pair.near)
        #expect(try !isCorked)
    }

    @Test func requestsFromTheSecondOnLeaveTogetherAtTheEnd() throws {
        var burst = SendingBurst()
        for _ in 0..<2 { burst.requestIsWritten(to: pair.near) }
        #expect(try isCorked)
        burst.end()
        #expect(try !isCorked)
        burst.end()
        #expect(try !isCorked)
    }

    @Test func burstEndsWhenAnotherConnectionIsWrittenTo() throws {
        var burst = SendingBurst()
        let other = try TCPPair()
        for _ in 0..<2 { burst.requestIsWritten(to: pair.near) }
        burst.requestIsWritten(to: other.near)
        #expect(try !isCorked)
        #expect(try !TCPInformation(of: other.near).isCorked)
        burst.requestIsWritten(to: other.near)
        #expect(try TCPInformation(of: other.near).isCorked)
        burst.end()
        #expect(try !TCPInformation(of: other.near).isCorked)
    }

    @Test func aSocketThatIsClosedIsNotTouchedAgain() throws {
        var burst = SendingBurst()
        let other = try TCPPair()
        for _ in 0..<2 { burst.requestIsWritten(to: pair.near) }
        burst.forget(other.near)
        burst.forget(pair.near)
        burst.end()
        #expect(try isCorked)
        burst.requestIsWritten(to: pair.near)
        burst.end()
        #expect(try isCorked)
    }

    /// The kernel holds bytes back for 200 ms at most, so that a slow run counts some segments more.
    @Test func requestsShareSegmentsAndNoneWaitsForAllTheOthers() throws {
        var burst = SendingBurst()
        let count = 1 + 10 * SendingBurst.flushInterval
        let before = try TCPInformation(of: pair.near).sentSegmentCount
        var written: [UInt8] = []
        for number in 0..<count {
            burst.requestIsWritten(to: pair.near)
            let request = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 40)
            pair.write(request)
            written += request
        }
        burst.end()
        #expect(pair.read(count: written.count) == written)
        let segmentCount = try TCPInformation(of: pair.near).sentSegmentCount - before
        #expect(segmentCount > 4)
        #expect(segmentCount < count / 4)
    }
}
