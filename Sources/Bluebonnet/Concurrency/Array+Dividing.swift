// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension Array {
    /// The elements in their order, in up to `partCount` parts whose counts differ by one at most: so many that each has
    /// at least `least`, or else one.
    func divided(among partCount: Int, least: Int) -> [[Element]] {
        let partCount = Swift.max(1, Swift.min(partCount, count / least))
        return (0..<partCount).map { Array(self[count * $0 / partCount..<count * ($0 + 1) / partCount]) }
    }
}
