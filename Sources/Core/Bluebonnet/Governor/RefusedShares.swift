// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Tells whether the share of transfers that a server refuses depends on their rate. A value without a clock: instants
/// are nanoseconds of a monotonic clock.
///
/// A server that limits a rate accepts as many transfers a second when fewer are sent, so that its refusals become
/// fewer. A server that refuses for other reasons refuses the same share. So blocks with as many refusals each are
/// compared: a later one at half the rate with an earlier one.
struct RefusedShares: Equatable {
    private static let blockSize = 20
    /// Fewer refusals than that are the price of a learned rate.
    private static let lowestShare = 0.02

    private struct Block: Equatable {
        let share: Double
        /// Transfers a second, and accepted ones of them.
        let rate, acceptedRate: Double
    }

    private var refusedCount = 0
    private var acceptedCount = 0
    /// Nil before the first accepted transfer.
    private var began: UInt64?
    /// What later blocks are compared with.
    private var reference: Block?

    /// Begins a block anew: what was counted says nothing of a rate.
    mutating func beginBlock() { (refusedCount, acceptedCount, began) = (0, 0, nil) }

    mutating func noteAccepted(now: UInt64) {
        if began == nil { began = now }
        acceptedCount += 1
    }

    mutating func noteRefused() { refusedCount += 1 }

    /// Whether refusals depend on the rate; nil while that is not known.
    ///
    /// - Parameter rate: at which transfers begin; nil when nothing holds them back.
    mutating func depend(on rate: Double?, now: UInt64) -> Bool? {
        guard refusedCount >= Self.blockSize, acceptedCount > 0, let began, now > began else { return nil }
        let (count, seconds) = (Double(refusedCount + acceptedCount), Double(now - began) / 1e9)
        let block = Block(
            share: Double(refusedCount) / count, rate: count / seconds, acceptedRate: Double(acceptedCount) / seconds)
        beginBlock()
        guard rate != nil, let earlier = reference, block.share <= 2 * earlier.share, block.rate < earlier.rate else {
            reference = block  // the first one, another limit, or a higher rate
            return nil
        }
        guard block.rate <= earlier.rate / 2 else { return nil }
        let expected = max(0, 1 - earlier.acceptedRate / block.rate)
        let isSame = block.share > Self.lowestShare && block.share > (earlier.share + expected) / 2
        reference = isSame ? nil : block
        return !isSame
    }
}
