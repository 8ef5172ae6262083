// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Chooses the row of `tallies` that a change goes to. A value type.
///
/// A worker uses a new row after some changes: while any transaction of the server is older than the versions of a row,
/// each change of the row visits all of them. The counts of a batch are the sums of all rows. `worker` of a row has the
/// worker's number in its lowest 40 bits.
struct TallyKey {
    private static let changeLimit = 256
    private static let bits = 40
    /// The bits of the worker's number.
    static let workerMask = 1 << bits - 1

    private var slice = Int.random(in: 0..<(1 << 21))
    private var changeCount = 0

    /// Returns the key for the next change.
    mutating func next(_ worker: Int) -> Int {
        changeCount += 1
        if changeCount > Self.changeLimit { (slice, changeCount) = ((slice + 1) % (1 << 22), 1) }
        return slice << Self.bits | worker
    }
}
