// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension Array {
    /// The elements in their order, in up to `partCount` parts as equal as can be, but for the last one none of fewer
    /// than `least`.
    func divided(among partCount: Int, least: Int) -> [[Element]] {
        let size = Swift.max(least, (count + partCount - 1) / partCount)
        return stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
