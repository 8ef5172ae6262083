// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Determines whether the share of refused transfers depends on the rate of transfers. A value without a clock:
/// instants are nanoseconds of a monotonic clock.
///
/// A server with a rate limit accepts the same number of transfers per second when fewer are sent, so the share of
/// refusals falls. A server that refuses for other reasons refuses the same share. Therefore blocks with the same
/// number of refusals are compared: a later block at half the rate with an earlier block.
struct RefusedShares: Equatable {
    private static let blockSize = 20
    /// A smaller share of refusals is the normal cost of a learned rate.
    private static let lowestShare = 0.02

    private struct Block: Equatable {
        let share: Double
        /// All transfers per second, and the accepted transfers per second.
        let rate, acceptedRate: Double
    }

    private var refusedCount = 0
    private var acceptedCount = 0
    /// When the block began; nil before its first accepted transfer.
    private var began: UInt64?
    /// The block with which later blocks are compared.
    private var reference: Block?

    /// Begins a new block: the counts so far say nothing about a rate.
    mutating func beginBlock() { (refusedCount, acceptedCount, began) = (0, 0, nil) }

    mutating func recordAccepted(now: UInt64) {
        if began == nil { began = now }
        acceptedCount += 1
    }

    mutating func recordRefused() { refusedCount += 1 }

    /// Returns whether refusals depend on the rate; nil if that is not yet known.
    ///
    /// - Parameter rate: the rate that paces the transfers; nil if they are not paced.
    mutating func finishBlock(rate: Double?, now: UInt64) -> Bool? {
        guard refusedCount >= Self.blockSize, acceptedCount > 0, let began, now > began else { return nil }
        let (count, seconds) = (Double(refusedCount + acceptedCount), Double(now - began) / 1e9)
        let block = Block(
            share: Double(refusedCount) / count, rate: count / seconds, acceptedRate: Double(acceptedCount) / seconds)
        beginBlock()
        guard rate != nil, let earlier = reference, block.share <= 2 * earlier.share, block.rate < earlier.rate else {
            reference = block  // the first block, another limit, or a higher rate
            return nil
        }
        guard block.rate <= earlier.rate / 2 else { return nil }
        let expected = max(0, 1 - earlier.acceptedRate / block.rate)
        let isSame = block.share > Self.lowestShare && block.share > (earlier.share + expected) / 2
        reference = isSame ? nil : block
        return !isSame
    }
}
