// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// The middle and the ends of a figure's values over the rounds.
struct Spread: Encodable {
    let median: Double
    let minimum: Double
    let maximum: Double

    /// Takes at least one value.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
    }

    /// For example `54012 (52000–55100)`.
    func text(fractionDigits digits: Int) -> String {
        let number = { (value: Double) in String(format: "%.\(digits)f", value) }
        return "\(number(median)) (\(number(minimum))–\(number(maximum)))"
    }
}
