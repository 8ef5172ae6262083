// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension Int64 {
    /// Returns the sum, or the largest or smallest number if the sum overflows. For numbers that a server chose, such
    /// as lengths: a response may announce `Int64.max` bytes.
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
