// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct IdleLimitTests {
    private static let start: UInt64 = 1_000_000

    /// A limit of 800 that starts at `start`.
    private static func begun() -> IdleLimit {
        var limit = IdleLimit(800)
        limit.recordMovement(at: start)
        return limit
    }

    /// Checks the limit at each instant at which it asks for a check, until it has passed.
    ///
    /// - Parameter sent: the number of body bytes sent at an instant.
    private static func end(
        _ limit: consuming IdleLimit, bodyByteCount: Int64?, sent: (UInt64) -> Int64
    ) -> (instant: UInt64, looks: Int)? {
        for looks in 1...1000 {
            let instant = limit.nextLook(bodyByteCount: bodyByteCount)
            if limit.checkPassed(now: instant, sentByteCount: sent(instant)) { return (instant, looks) }
        }
        return nil
    }

    @Test func limitWithoutABodyIsCheckedOnce() throws {
        let end = try #require(Self.end(Self.begun(), bodyByteCount: 0) { _ in 0 })
        #expect(end == (Self.start + 800, 1))
    }

    @Test func bodySentAtOnceExtendsTheLimitByAnEighth() throws {
        let end = try #require(Self.end(Self.begun(), bodyByteCount: 7) { _ in 7 })
        #expect(end == (Self.start + 900, 2))
    }

    @Test(arguments: [nil, 500 as Int64?]) func lastSentByteExtendsTheLimitByAnEighth(bodyByteCount: Int64?)
        throws
    {
        for stop in stride(from: 0 as UInt64, through: 5000, by: 37) {
            // Until then, one byte is sent every 10.
            let sent = { (instant: UInt64) in Int64(min(instant - Self.start, stop) / 10) }
            let end = try #require(Self.end(Self.begun(), bodyByteCount: bodyByteCount, sent: sent))
            let last = Self.start + UInt64(min(sent(.max), 500)) * 10
            #expect(end.instant >= last + 800, "\(stop)")
            #expect(end.instant <= last + 900, "\(stop)")
            #expect(end.looks <= 8 * (stop / 800 + 2), "\(stop)")
        }
    }

    @Test func unsentBodyDoesNotExtendTheLimit() throws {
        let end = try #require(Self.end(Self.begun(), bodyByteCount: 7) { _ in 0 })
        #expect(end.instant == Self.start + 800)
    }

    @Test func movementExtendsTheLimit() {
        var limit = Self.begun()
        limit.recordMovement(at: Self.start + 500)
        #expect(limit.nextLook(bodyByteCount: 0) == Self.start + 1300)
        let early = limit.checkPassed(now: Self.start + 1299, sentByteCount: 0)
        let late = limit.checkPassed(now: Self.start + 1300, sentByteCount: 0)
        #expect(!early && late)
    }

    @Test func resentRequestCountsFromItsStart() {
        var limit = Self.begun()
        let first = limit.checkPassed(now: Self.start + 700, sentByteCount: 9)
        limit.startAgain()
        let second = limit.checkPassed(now: Self.start + 1500, sentByteCount: 3)
        #expect(!first && !second)
        #expect(limit.nextLook(bodyByteCount: 3) == Self.start + 2300)
    }

    @Test func suspendedLimitIsNeverReached() {
        var suspended = Self.begun()
        suspended.suspend()
        var none = IdleLimit(0)
        none.recordMovement(at: Self.start)
        for limit in [IdleLimit(800), suspended, none] {
            var limit = limit
            let hasPassed = limit.checkPassed(now: .max, sentByteCount: 0)
            #expect(limit.nextLook(bodyByteCount: nil) == .max)
            #expect(!hasPassed)
        }
    }

    /// Bytes of other streams arrived 100 before each check.
    @Test func movementOfASharedConnectionExtendsTheLimitTenfold() {
        var limit = Self.begun()
        var now = Self.start + 800
        while limit.checkPassed(now: now, sentByteCount: 0),
            limit.postpone(afterMovementOfConnection: now - 100, now: now)
        {
            #expect(limit.nextLook(bodyByteCount: 0) > now)
            now = limit.nextLook(bodyByteCount: 0)
        }
        #expect(now == Self.start + 8000)
    }

    @Test func silentSharedConnectionDoesNotExtendTheLimit() {
        var limit = Self.begun()
        let continues = limit.postpone(afterMovementOfConnection: Self.start, now: Self.start + 800)
        #expect(!continues)
    }
}
